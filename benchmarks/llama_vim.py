"""What llama.vim sends for a cursor, and the first line that it shows of the answer; for `inscope bench head_to_head`.

This follows github.com/ggml-org/llama.vim, autoload/llama.vim at a1c8e6e4: `s:fim_ctx_local`, `llama#fim` and
`s:fim_render`, for a first request, without chunks of other files. One thing differs: the temperature after its
samplers is 0, so that the prediction is greedy. The time limit that it sends cuts nothing of a first line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

PREFIX_LINES, SUFFIX_LINES, PREDICTED = 256, 64, 128
"""Lines above and below the cursor that are sent, and tokens that are asked for."""
_BLANKS = " \t"


@dataclass(frozen=True, slots=True)
class LocalContext:
    """What is sent of a file."""

    prefix: str
    """Whole lines above the cursor's."""
    middle: str
    """The cursor's line up to the cursor."""
    suffix: str
    """The rest of the cursor's line, and whole lines below it."""
    indent: int
    """Blanks that the cursor's line begins with; 0 if there is nothing before the cursor."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """What is shown."""

    text: str
    """The first line of it; empty where nothing is shown."""
    surplus: int = 0
    """Blanks before the cursor, on a blank line, that the answer does not begin with."""


def context_at(text: str, offset: int, part: int = 1) -> LocalContext:
    """What is sent of a text for a cursor at `offset`.

    Args:
        part: By what the number of lines is divided, for models that read little.
    """
    lines, row, column = _lines(text, offset)
    line = lines[row]
    above = lines[max(0, row - PREFIX_LINES // part) : row]
    below = lines[row + 1 : row + 1 + SUFFIX_LINES // part]
    before, after = ("", "") if not line.strip(_BLANKS) else (line[:column], line[column:])
    suffix = f"{after}\n" + "\n".join(below) + "\n"
    return LocalContext("\n".join(above) + "\n", before, suffix, 0 if not before else _leading(line))


def infill(context: LocalContext) -> dict[str, Any]:
    """The body of `POST /infill`."""
    return {
        "input_prefix": context.prefix, "input_suffix": context.suffix, "input_extra": [], "prompt": context.middle,
        **_settings(context),
    }  # fmt: skip


def completion(context: LocalContext) -> dict[str, Any]:
    """The body of `POST /completion` for a model that has no markers: the text before the cursor."""
    return {"prompt": context.prefix + context.middle, **_settings(context)}


def _settings(context: LocalContext) -> dict[str, Any]:
    """The fields that both requests have."""
    return {
        "id_slot": 0, "n_predict": PREDICTED, "stop": [], "n_indent": context.indent, "top_k": 40, "top_p": 0.9,
        "samplers": ["top_k", "top_p", "infill", "temperature"], "temperature": 0, "stream": False,
        "cache_prompt": True, "t_max_prompt_ms": 500, "t_max_predict_ms": 250,
    }  # fmt: skip


def shown(text: str, offset: int, content: str) -> Ghost:
    """The first line of what is shown for an answer's content, with the cursor at `offset` of the text."""
    lines, row, column = _lines(text, offset)
    line, answer = lines[row], content.split("\n")
    while answer and not answer[-1]:
        answer.pop()
    if not answer:
        return Ghost("")
    surplus = 0
    if not line.strip(_BLANKS):
        lead = min(_leading(answer[0]), len(line))
        line, surplus, answer[0] = answer[0][:lead], max(0, column - lead), answer[0][lead:]
    before, after = line[:column], line[column:]
    if _repeats(answer, before, after, lines, row) or not ("\n".join(answer) + after).strip():
        return Ghost("")
    return Ghost(answer[0], surplus)


def _repeats(answer: Sequence[str], before: str, after: str, lines: Sequence[str], row: int) -> bool:
    """Whether an answer's lines only repeat what follows in the file: the rest of the line, or the next lines."""
    if len(answer) == 1 and answer[0] in {"", after}:
        return True
    if len(answer) > 1 and not answer[0] and list(answer[1:]) == list(lines[row + 1 : row + len(answer)]):
        return True
    following = row + 1
    while following < len(lines) - 1 and not lines[following].strip(_BLANKS):
        following += 1
    if following >= len(lines) or before + answer[0] != lines[following]:
        return False
    match len(answer):
        case 1:
            return True
        case 2:
            return following + 1 < len(lines) and lines[following + 1].startswith(answer[-1])
        case _:
            return list(answer[1:]) == list(lines[following + 1 : following + len(answer)])


def _lines(text: str, offset: int) -> tuple[list[str], int, int]:
    """The lines of a text as Vim has them, without one after a final line end; then the cursor's row and column."""
    row = text.count("\n", 0, offset)
    column = offset - (text.rfind("\n", 0, offset) + 1)
    lines = text.split("\n")
    if len(lines) > row + 1 and not lines[-1]:
        lines.pop()
    return lines, row, column


def _leading(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip(_BLANKS))
