"""Makes prompts (`pack`): cuts the texts around the cursor to a budget of tokens.

If the start of a prompt moved by a line at each keystroke, its key-value cache would be of no use. So the start of the
prefix moves in coarse steps: it is cut only at the first line start after a multiple of a step. The cut stays until the
budget is full, and then moves by a step. The result depends on nothing but the texts and the budget; the tokens of
lines are cached. Knows families and budgets; knows nothing of models.

With room for 1,000 tokens a step is 1,000 characters. Of a prefix of 10,000 characters some 3,500 have room, so it is
cut at the first line start from 7,000 on. While lines are typed at its end the cut stays there, until the text after it
has no room any more. Then it moves to 8,000.

In this module, room is the number of tokens that a text may take. Steps are in characters; only `_SUFFIX_STEP` is in
tokens. Completions (`preparation`) and programs (`generation`) call `pack`; prompts of rewrites have other layouts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index.symbols import Snippet

if TYPE_CHECKING:
    from decoder.models.card import ModelCard
    from decoder.models.line_tokens import LineTokens
    from decoder.models.vocabulary import Vocabulary
    from decoder.prompt.families import PromptSource

_CHARACTERS_PER_TOKEN = 12
"""For each token of room, so many characters of a text are read at most: the rest could not have room. Code has 3 to 4
characters a token."""

_SLACK = 2
"""Tokens by which joined texts may exceed the sum of their counts."""

_TYPED = 32
"""Tokens of room for the line being typed. The line grows and shrinks, and the cut must not move with it."""

_SUFFIX_STEP = 64
"""Tokens by which a growing prefix takes room from the suffix."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt, and the texts that are in it."""

    tokens: tuple[int, ...]
    prefix: str
    """The end of the source's prefix that has room."""
    suffix: str
    """The beginning of the source's suffix that has room; empty where the family does not read one."""
    snippets: tuple[Snippet, ...]
    """The first of the source's snippets that have room; the last of them may be cut."""


def pack(card: ModelCard, source: PromptSource, budget: int) -> Prompt:
    """A model's prompt for the texts around a cursor, which are cut where they are too long.

    1. Snippets get up to a quarter of the budget, in their order.
    2. Of the rest, the suffix gets what the prefix does not need, and at least a quarter (`_suffix_room`).
    3. The prefix gets what the snippets and the suffix leave.

    Args:
        source: Its prefix should end before the half-typed word (`heal`).
        budget: The most tokens of the prompt: 32 or more, and no fewer than the family has markers.
    """
    lines, family = card.vocabulary.lines, card.family
    snippets = _keep_snippets(lines, source.snippets, budget // 4)
    room = budget - _SLACK - _count_tokens(card, replace(source, prefix="", suffix="", snippets=snippets))
    suffix = ""
    if family.reads_suffix:
        suffix = _keep_beginning(lines, source.suffix, _suffix_room(lines, source.prefix, room))
    prefix = _keep_end(lines, source.prefix, room - lines.count(suffix))
    packed = replace(source, prefix=prefix, suffix=suffix, snippets=snippets)
    tokens = tuple(card.tokens(family.layout(packed))) or _prompt_without_text(card.vocabulary)
    return Prompt(tokens, prefix, suffix, snippets)


def _prompt_without_text(vocabulary: Vocabulary) -> tuple[int, ...]:
    """The prompt where all texts are empty: an end token, as logits follow a token, and a text begins after an end."""
    return tuple(sorted(vocabulary.end)[:1] or vocabulary.encode("\n"))


def _count_tokens(card: ModelCard, source: PromptSource) -> int:
    """The number of tokens of the prompt for a source that is not cut."""
    return sum(1 for _ in card.tokens(card.family.layout(source)))


def _suffix_room(lines: LineTokens, prefix: str, room: int) -> int:
    """The room of the suffix: what the prefix leaves, and at least a quarter.

    Most families read the suffix first, so another suffix changes all of the prompt. Therefore its room shrinks in
    steps of `_SUFFIX_STEP` while the prefix grows. The finished lines take whole steps, and so does the line being
    typed: the room does not change with each token of the line.

    Args:
        room: The room of the prefix and the suffix together.
    """
    if len(prefix) > room * _CHARACTERS_PER_TOKEN:  # too long to be worth counting
        return room // 4
    line_start = prefix.rfind("\n") + 1
    parts = prefix[:line_start], prefix[line_start:]
    steps = sum(lines.count(part) // _SUFFIX_STEP + 1 for part in parts)
    return max(room // 4, room - steps * _SUFFIX_STEP)


def _keep_end(lines: LineTokens, text: str, room: int) -> str:
    """The end of `text` that has room, cut at the first line start after a multiple of a step.

    A room of N tokens gives steps of N characters, which are about N/4 tokens. If not even two steps have room, as
    tokens are short in this text, half the step is tried, and so on.
    """
    end, step = "", max(room, 16)
    # Room is kept for the line being typed: `_TYPED` tokens less those that the line has. Each token that is typed then
    # takes one of them, so the cut stays.
    typed = lines.count(text[text.rfind("\n") + 1 :][: _TYPED * _CHARACTERS_PER_TOKEN])
    room -= max(min(_TYPED, room // 8) - typed, 0)
    while step and len(end) < min(2 * step, len(text)):
        end = _keep_end_by_steps(lines, step, text, room) or end
        step //= 2
    return end


def _keep_end_by_steps(lines: LineTokens, step: int, text: str, room: int) -> str:
    """The longest end of `text` that has room and begins at the first line start after a multiple of `step` characters.

    Multiples count from the start of `text`, which stays the same while its end is typed.
    """
    end = ""
    for multiple in range((len(text) - 1) // step, -1, -1):
        longer = text[_line_start(text, multiple * step, step) :]
        if lines.count(longer) > room or len(longer) > room * _CHARACTERS_PER_TOKEN:
            break
        end = longer
    return end


def _keep_beginning(lines: LineTokens, text: str, room: int) -> str:
    """The beginning of `text` that has room, cut after the last line end before a multiple of a step.

    A room of N tokens gives steps of N/2 characters, which are about N/8 tokens. If not even one step has room, as
    tokens are short in this text, half the step is tried, and so on.
    """
    beginning, step = "", max(room // 2, 8)
    while step and not beginning:
        for stop in range(step, min(len(text), room * _CHARACTERS_PER_TOKEN) + step, step):
            longer = text[: _line_stop(text, stop)]
            if lines.count(longer) > room:
                break
            beginning = longer
        step //= 2
    return beginning


def _keep_snippets(lines: LineTokens, snippets: tuple[Snippet, ...], room: int) -> tuple[Snippet, ...]:
    """The first snippets that have room; the last one may be cut after a line end."""
    fitting = []
    for snippet in snippets:
        room -= lines.count(f"{snippet.path}\n") + _SLACK
        text = _keep_beginning(lines, snippet.text, room) if room > 0 else ""
        if not text:
            break
        room -= lines.count(text)
        fitting.append(Snippet(snippet.path, text))
    return tuple(fitting)


def _line_start(text: str, offset: int, farthest: int) -> int:
    """The first line start from `offset` on; `offset` itself if there is none within `farthest` characters.

    So a line that is longer is cut in its middle.
    """
    if not offset:
        return 0
    start = text.find("\n", offset - 1, offset + farthest) + 1
    return start or offset


def _line_stop(text: str, offset: int) -> int:
    """The last line start up to `offset`; `offset` itself if the first line reaches as far."""
    if offset >= len(text):
        return len(text)
    return text.rfind("\n", 0, offset) + 1 or offset
