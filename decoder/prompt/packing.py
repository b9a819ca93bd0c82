"""Makes prompts (`pack`): cuts the texts around the cursor to a budget of tokens.

If the start of a prompt moved by a line at each keystroke, its key-value cache would be of no use. So the start of the
prefix moves in coarse steps: it is cut only at line starts next to multiples of a step. The cut stays until the budget
is full, and then moves by a step. The result depends on nothing but the texts and the budget; the tokens of lines are
cached. Knows families and budgets; knows nothing of models.

With room for 1,000 tokens a step is 1,000 characters. Of a prefix of 10,000 characters some 3,500 have room, so it is
cut at the first line start from 7,000 on. While lines are typed at its end the cut stays there, until what is after it
has no room any more. Then it moves to 8,000.

In this module, room is the number of tokens that a text may still take; steps are characters, but for `_SUFFIX_STEP`.
Completions (`preparation`) and programs (`generation`) call `pack`; prompts of rewrites have other layouts.
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
"""No more characters than this times the room are looked at; code has 3 to 4 a token."""

_SLACK = 2
"""Tokens that joining texts may cost beyond the sum of their counts."""

_TYPED = 32
"""Tokens kept free for the line being typed: their number goes up and down, and the cut must not move with it."""

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
    2. The suffix gets the rest but for what the prefix needs, and at least a quarter of the rest (`_suffix_room`).
    3. The prefix gets what both have left.

    Args:
        source: Its prefix should end before the half-typed word (`heal`).
        budget: The most tokens of the prompt; at least 32, and one for each of the family's markers.
    """
    lines, family = card.vocabulary.lines, card.family
    snippets = _fitting(lines, source.snippets, budget // 4)
    room = budget - _SLACK - _count(card, replace(source, prefix="", suffix="", snippets=snippets))
    suffix = ""
    if family.reads_suffix:
        suffix = _beginning(lines, source.suffix, _suffix_room(lines, source.prefix, room))
    prefix = _end(lines, source.prefix, room - lines.count(suffix))
    packed = replace(source, prefix=prefix, suffix=suffix, snippets=snippets)
    tokens = tuple(card.tokens(family.layout(packed))) or _for_no_text(card.vocabulary)
    return Prompt(tokens, prefix, suffix, snippets)


def _for_no_text(vocabulary: Vocabulary) -> tuple[int, ...]:
    """The prompt where all texts are empty, as logits need a token: a text begins where another has ended."""
    return tuple(sorted(vocabulary.end)[:1] or vocabulary.encode("\n"))


def _count(card: ModelCard, source: PromptSource) -> int:
    """The tokens of the prompt for a source that is not cut."""
    return sum(1 for _ in card.tokens(card.family.layout(source)))


def _suffix_room(lines: LineTokens, prefix: str, room: int) -> int:
    """The room of the suffix: what the prefix leaves, and at least a quarter.

    It shrinks in steps while the prefix grows, as most families read the suffix first: another suffix would change
    all of the prompt. The finished lines and the line being typed take whole steps each, so the room does not
    change with each token of the line.

    Args:
        room: That of the prefix and the suffix together.
    """
    if len(prefix) > room * _CHARACTERS_PER_TOKEN:  # too long to be worth counting
        return room // 4
    line_start = prefix.rfind("\n") + 1
    parts = prefix[:line_start], prefix[line_start:]
    steps = sum(lines.count(part) // _SUFFIX_STEP + 1 for part in parts)
    return max(room // 4, room - steps * _SUFFIX_STEP)


def _end(lines: LineTokens, text: str, room: int) -> str:
    """As much of the end of `text` as has room, cut at a line start next to a multiple of a step.

    The first step has as many characters as the room has tokens, which is about a quarter of the room. If tokens
    have so few characters that not even two steps have room, half the step is tried, and so on.
    """
    end, step = "", max(room, 16)
    # Some of the room is for the line being typed. Tokens that it has already take no more, so the cut stays.
    typed = lines.count(text[text.rfind("\n") + 1 :][: _TYPED * _CHARACTERS_PER_TOKEN])
    room -= max(min(_TYPED, room // 8) - typed, 0)
    while step and len(end) < min(2 * step, len(text)):
        end = _end_by_steps(lines, step, text, room) or end
        step //= 2
    return end


def _end_by_steps(lines: LineTokens, step: int, text: str, room: int) -> str:
    """The longest end of `text` that has room and is cut next to a multiple of `step` characters.

    Multiples count from the start of `text`, which stays the same while its end is typed.
    """
    end = ""
    for multiple in range((len(text) - 1) // step, -1, -1):
        longer = text[_line_start(text, multiple * step, step) :]
        if lines.count(longer) > room or len(longer) > room * _CHARACTERS_PER_TOKEN:
            break
        end = longer
    return end


def _beginning(lines: LineTokens, text: str, room: int) -> str:
    """As much of the beginning of `text` as has room, cut after a line end near a multiple of a step.

    The first step is about an eighth of the room. If tokens have so few characters that not even one step has room,
    half the step is tried, and so on.
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


def _fitting(lines: LineTokens, snippets: tuple[Snippet, ...], room: int) -> tuple[Snippet, ...]:
    """The first snippets that have room; the last one may be cut after a line end."""
    fitting = []
    for snippet in snippets:
        room -= lines.count(f"{snippet.path}\n") + _SLACK
        text = _beginning(lines, snippet.text, room) if room > 0 else ""
        if not text:
            break
        room -= lines.count(text)
        fitting.append(Snippet(snippet.path, text))
    return tuple(fitting)


def _line_start(text: str, offset: int, farthest: int) -> int:
    """The first line start from `offset` on; `offset` itself if there is none within `farthest` characters.

    A line that is longer than this is cut within.
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
