"""Prompts for a rewrite: the embedded model's own layout, a chat template, or plain text for the rest.

Embedded: `layouts.rewrite`, as its training uses it. Instruct models are asked in their own template, and their answer
is begun for them with a Markdown fence, so that they write code and nothing else; the closing fence ends it. Other
models go on with a text of comments that says what follows. Knows nothing of budgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.prompt import layouts
from decoder.prompt.families import family_of
from decoder.prompt.layouts import Layout, Marker, Text

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.models.vocabulary import Vocabulary

_FENCE = "```"


@dataclass(frozen=True, slots=True)
class RewritePrompt:
    """What the model reads."""

    tokens: tuple[int, ...]
    end: frozenset[int]
    """Tokens by which it says that it is done."""


def rewrite_prompt(vocabulary: Vocabulary, language: Language, instruction: str, original: str) -> RewritePrompt:
    """The prompt to write `original` anew as `instruction` says."""
    if family_of(vocabulary.special).name == "embedded":
        layout: Layout = layouts.rewrite(language, instruction, original)
    elif vocabulary.chat is not None:
        fenced = _FENCE not in original
        layout = vocabulary.chat.asked(_question(language, instruction, original, fenced=fenced), vocabulary.special)
        if fenced:
            layout = (*layout, Text(f"{_FENCE}{language}\n"))
            closing = vocabulary.starting_with(_FENCE.encode())
            return RewritePrompt(_tokens(vocabulary, layout), vocabulary.end | frozenset(closing))
    else:
        layout = (Text(_plain(language, instruction, original)),)
        if "<s>" in vocabulary.special:
            layout = (Marker("<s>"), *layout)
    return RewritePrompt(_tokens(vocabulary, layout), vocabulary.end)


def _tokens(vocabulary: Vocabulary, layout: Layout) -> tuple[int, ...]:
    tokens: list[int] = []
    for part in layout:
        tokens += [vocabulary.special[part.spelling]] if isinstance(part, Marker) else vocabulary.encode(part.text)
    return tuple(tokens)


def _question(language: Language, instruction: str, original: str, *, fenced: bool) -> str:
    opening, closing = (f"{_FENCE}{language}\n", f"\n{_FENCE}") if fenced else ("", "")
    answer = "in one fenced block" if fenced else "without Markdown"
    return (
        f"Rewrite the {language} code below. {instruction.strip()}\n"
        f"Answer with the whole code, changed only where that asks for it, {answer}, and say nothing else.\n\n"
        f"{opening}{original}{closing}"
    )


def _plain(language: Language, instruction: str, original: str) -> str:
    sign = "#" if language.is_python else "//"
    said = " ".join(instruction.split())
    return f"{sign} Before:\n{original}\n\n{sign} After this change: {said}\n"
