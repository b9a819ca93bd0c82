"""Makes prompts (`Packer.pack`): cuts the texts around the cursor to a budget of tokens.

If the start of a prompt moved by a line at each keystroke, its key-value cache would be of no use. So the start of the
prefix moves in coarse steps: it is cut only at line starts next to multiples of a step. The cut stays until the budget
is full, and then moves by a step. The result depends on nothing but the texts and the budget; the tokens of lines are
cached. Knows families and budgets; knows nothing of models.

With room for 1,000 tokens a step is 1,000 characters. Of a prefix of 10,000 characters some 3,500 have room, so it is
cut at the first line start from 7,000 on. While lines are typed at its end the cut stays there, until what is after it
has no room any more. Then it moves to 8,000.

In this module, room is the number of tokens that a text may still take; steps are characters, but for `_SUFFIX_STEP`.
Completions (`preparation`) and programs (`generation`) call `pack`; prompts of rewrites have other layouts and use
`tokens` alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from weakref import WeakKeyDictionary

from context_index.symbols import Snippet
from decoder.models.vocabulary import Vocabulary
from decoder.prompt.families import FENCE, Family, PromptSource, family_of
from decoder.prompt.layouts import Layout, Marker

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


class Packer:
    """Makes the prompts for a model; there is one for each vocabulary (`packer_for`)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.family: Family = vocabulary.row or family_of(vocabulary.special, vocabulary.chat)
        self.end = vocabulary.end
        """The tokens that end what the model fills in."""
        if self.family.chat is not None:
            self.end |= frozenset(vocabulary.starting_with(FENCE.encode()).tolist())
        self._special = vocabulary.special
        self._for_no_text = tuple(sorted(vocabulary.end)[:1] or vocabulary.encode("\n"))
        """The prompt where all texts are empty, as logits need a token: a text begins where another has ended."""
        self.lines = LineTokens(vocabulary.encode)

    def pack(self, source: PromptSource, budget: int) -> Prompt:
        """The prompt for the texts around a cursor, which are cut where they are too long.

        1. Snippets get up to a quarter of the budget, in their order.
        2. The suffix gets the rest but for what the prefix needs, and at least a quarter of the rest (`_suffix_room`).
        3. The prefix gets what both have left.

        Args:
            source: Its prefix should end before the half-typed word (`heal`).
            budget: The most tokens of the prompt; at least 32, and one for each of the family's markers.
        """
        snippets = self._fitting(source.snippets, budget // 4)
        room = budget - _SLACK - self._length(replace(source, prefix="", suffix="", snippets=snippets))
        suffix = ""
        if self.family.reads_suffix:
            suffix = self._beginning(source.suffix, self._suffix_room(source.prefix, room))
        prefix = self._end(source.prefix, room - self.lines.count(suffix))
        packed = replace(source, prefix=prefix, suffix=suffix, snippets=snippets)
        return Prompt(tuple(self.tokens(self.family.layout(packed))) or self._for_no_text, prefix, suffix, snippets)

    def tokens(self, layout: Layout) -> Iterator[int]:
        """The tokens of a layout, whatever their number."""
        for part in layout:
            if isinstance(part, Marker):
                yield self._special[part.spelling]
            else:
                yield from self.lines.encode(part.text)

    def _length(self, source: PromptSource) -> int:
        return sum(1 for _ in self.tokens(self.family.layout(source)))

    def _suffix_room(self, prefix: str, room: int) -> int:
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
        steps = sum(self.lines.count(part) // _SUFFIX_STEP + 1 for part in parts)
        return max(room // 4, room - steps * _SUFFIX_STEP)

    def _end(self, text: str, room: int) -> str:
        """As much of the end of `text` as has room, cut at a line start next to a multiple of a step.

        The first step has as many characters as the room has tokens, which is about a quarter of the room. If tokens
        have so few characters that not even two steps have room, half the step is tried, and so on.
        """
        end, step = "", max(room, 16)
        # Some of the room is for the line being typed. Tokens that it has already take no more, so the cut stays.
        typed = self.lines.count(text[text.rfind("\n") + 1 :][: _TYPED * _CHARACTERS_PER_TOKEN])
        room -= max(min(_TYPED, room // 8) - typed, 0)
        while step and len(end) < min(2 * step, len(text)):
            end = self._end_by_steps(step, text, room) or end
            step //= 2
        return end

    def _end_by_steps(self, step: int, text: str, room: int) -> str:
        """The longest end of `text` that has room and is cut next to a multiple of `step` characters.

        Multiples count from the start of `text`, which stays the same while its end is typed.
        """
        end = ""
        for multiple in range((len(text) - 1) // step, -1, -1):
            longer = text[_line_start(text, multiple * step, step) :]
            if self.lines.count(longer) > room or len(longer) > room * _CHARACTERS_PER_TOKEN:
                break
            end = longer
        return end

    def _beginning(self, text: str, room: int) -> str:
        """As much of the beginning of `text` as has room, cut after a line end near a multiple of a step.

        The first step is about an eighth of the room. If tokens have so few characters that not even one step has room,
        half the step is tried, and so on.
        """
        beginning, step = "", max(room // 2, 8)
        while step and not beginning:
            for stop in range(step, min(len(text), room * _CHARACTERS_PER_TOKEN) + step, step):
                longer = text[: _line_stop(text, stop)]
                if self.lines.count(longer) > room:
                    break
                beginning = longer
            step //= 2
        return beginning

    def _fitting(self, snippets: tuple[Snippet, ...], room: int) -> tuple[Snippet, ...]:
        """The first snippets that have room; the last one may be cut after a line end."""
        fitting = []
        for snippet in snippets:
            room -= self.lines.count(f"{snippet.path}\n") + _SLACK
            text = self._beginning(snippet.text, room) if room > 0 else ""
            if not text:
                break
            room -= self.lines.count(text)
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


_PACKERS: WeakKeyDictionary[Vocabulary, Packer] = WeakKeyDictionary()


def packer_for(vocabulary: Vocabulary) -> Packer:
    """The packer of a vocabulary, always the same one, as it caches the tokens of lines."""
    if vocabulary not in _PACKERS:
        _PACKERS[vocabulary] = Packer(vocabulary)
    return _PACKERS[vocabulary]


# A cut is a pattern that matches the empty text between two lines.

_BEFORE_LINE_END = re.compile(r"(?<=\S)(?=\r?\n)")
"""A cut before a line end, unless blanks precede it. It suits the tokenizers of GPT-2, StarCoder2, DeepSeek and the
built-in model."""

_BEFORE_TEXT = re.compile(r"(?<=\n)(?=[ \t]*[^\s])")
"""A cut after a line end, unless a blank line follows. It suits Qwen, Llama, and others that join punctuation to line
ends."""

_SAMPLE = "".join(
    f"{before}{end}{after}"
    for before in ("x", "});", "é", "1", "if a:  ", "# b\t", '"', "")
    for end in ("\n", "\r\n", "\n\n", "\n  \n", "\r\n\r\n\t\n")
    for after in ("y ", "    return", "\t\tz", "  }", " 你", "")
)
"""Line ends between all kinds of text, on which a cut is tried."""

_CACHED_LINES = 16_384
"""The most lines whose tokens are cached; a few megabytes."""
_CACHED_TEXTS = 32
"""The most texts of several lines whose tokens are cached: the text above the line being typed recurs with each key."""


class LineTokens:
    """Encodes texts line by line, so that the tokens of a line need not be computed again.

    A tokenizer gives a text other tokens than its lines together, unless it is cut where the tokenizer itself always
    divides a text. Two such cuts are tried; if neither suits the tokenizer, texts are encoded as a whole.
    """

    def __init__(self, encode: Callable[[str], list[int]]) -> None:
        self._cut = next((cut for cut in (_BEFORE_LINE_END, _BEFORE_TEXT) if _suits(cut, encode)), None)
        self._encode_line = lru_cache(_CACHED_LINES)(lambda text: tuple(encode(text)))
        self._encode_cached = lru_cache(_CACHED_TEXTS)(self._encode_lines)

    def encode(self, text: str) -> list[int]:
        """The tokens that the tokenizer gives for `text`."""
        if self._cut is None:
            return [*self._encode_line(text)]
        above, last_line = self.last_cut(text)
        return [*self._encode_cached(above), *self._encode_lines(last_line)]

    def count(self, text: str) -> int:
        """The number of tokens of `text`."""
        if self._cut is None:
            return len(self._encode_line(text))
        above, last_line = self.last_cut(text)
        return len(self._encode_cached(above)) + len(self._encode_lines(last_line))

    def last_cut(self, text: str) -> tuple[str, str]:
        """The text in two parts, cut at the last place where the parts together have the tokens of the text.

        The second part is usually the last line; it is empty where there is no such place.
        """
        line_end = searched = len(text)
        while self._cut and (line_end := text.rfind("\n", 0, line_end)) >= 0:
            # from the last line end back: a cut is next to a line end, and looks no further than the one after it
            cuts = [cut.start() for cut in self._cut.finditer(text, max(line_end - 1, 0), searched)]
            searched = line_end + 1
            if cuts:
                return text[: cuts[-1]], text[cuts[-1] :]
        return text, ""

    def _encode_lines(self, text: str) -> Sequence[int]:
        """The tokens of a text that begins and ends at cuts, line by line."""
        if not text:
            return ()
        lines = self._cut.split(text) if self._cut else (text,)
        return tuple(chain.from_iterable(map(self._encode_line, lines)))


def _suits(cut: re.Pattern[str], encode: Callable[[str], list[int]]) -> bool:
    """Whether the lines of the sample, cut so, have the tokens of the whole sample."""
    return list(chain.from_iterable(map(encode, cut.split(_SAMPLE)))) == encode(_SAMPLE)
