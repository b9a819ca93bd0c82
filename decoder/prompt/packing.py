"""Cuts the text around the cursor to a token budget, in such a way that the cut stays where it is while one types.

If the start of a prompt moved by a line at each keystroke, its KV cache would never be found again. So the start of
the prefix moves in coarse steps: it is cut only at line starts next to multiples of a step, and the cut stays until
the budget is full and then moves by a step. All of it is a function of the texts and the budget; only the tokens of
lines are cached. Knows families and budgets; knows nothing of models.
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
"""No text is looked at beyond the budget times this; code has 3 to 4."""

_SLACK = 2
"""Tokens that joining texts may cost beyond the sum of their counts."""

_TYPED = 32
"""Tokens kept free for the line being typed: their number goes up and down, and the cut must not move with it."""

_SUFFIX_STEP = 64
"""Tokens by which a growing prefix takes room from the suffix."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model reads."""

    tokens: tuple[int, ...]
    prefix: str
    """The part of the prefix that was kept: its end."""
    suffix: str
    """The part of the suffix that was kept: its beginning; empty where the family does not read one."""
    snippets: tuple[Snippet, ...]


class Packer:
    """Makes prompts in one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.family: Family = vocabulary.row or family_of(vocabulary.special, vocabulary.chat)
        self.end = vocabulary.end
        """The tokens that end what the model fills in."""
        if self.family.chat is not None:
            self.end |= frozenset(vocabulary.starting_with(FENCE.encode()).tolist())
        self._special = vocabulary.special
        self._nothing = tuple(sorted(vocabulary.end)[:1] or vocabulary.encode("\n"))
        """Read where there is no text at all, as logits need a token: a text begins where another has ended."""
        self.lines = LineTokens(vocabulary.encode)

    def pack(self, source: PromptSource, budget: int) -> Prompt:
        """A prompt of at most `budget` tokens (at least 32 and the family's markers).

        A quarter goes to snippets if there are any, in their order, and of what remains a quarter to the suffix;
        what one does not need the other gets. A half-typed word should have been healed away from the prefix.
        """
        snippets = self._fitting(source.snippets, budget // 4)
        room = budget - _SLACK - self._length(replace(source, prefix="", suffix="", snippets=snippets))
        suffix = (
            self._beginning(source.suffix, self._suffix_room(source.prefix, room)) if self.family.reads_suffix else ""
        )
        prefix = self._end(source.prefix, room - self.lines.count(suffix))
        packed = replace(source, prefix=prefix, suffix=suffix, snippets=snippets)
        return Prompt(tuple(self.tokens(self.family.layout(packed))) or self._nothing, prefix, suffix, snippets)

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
        """A quarter, and what the prefix leaves; it shrinks in steps, as most families read the suffix first.

        The finished lines and the line being typed each take whole steps, as the tokens of the latter come and go.
        """
        if len(prefix) > room * _CHARACTERS_PER_TOKEN:
            return room // 4
        start = prefix.rfind("\n") + 1
        steps = sum(self.lines.count(part) // _SUFFIX_STEP + 1 for part in (prefix[:start], prefix[start:]))
        return max(room // 4, room - steps * _SUFFIX_STEP)

    def _end(self, text: str, room: int) -> str:
        """As much of the end of `text` as has room, cut at a line start next to a multiple of the step."""
        kept, step = "", max(room, 16)  # characters; a quarter of the room, more or less
        typed = self.lines.count(text[text.rfind("\n") + 1 :][: _TYPED * _CHARACTERS_PER_TOKEN])
        room -= max(min(_TYPED, room // 8) - typed, 0)
        while step and len(kept) < min(2 * step, len(text)):
            kept = self._end_by(step, text, room) or kept
            step //= 2  # where a token has so few characters that two steps have no room
        return kept

    def _end_by(self, step: int, text: str, room: int) -> str:
        """The same with this step."""
        kept = ""
        for multiple in range((len(text) - 1) // step, -1, -1):
            candidate = text[_line_start(text, multiple * step, step) :]
            if self.lines.count(candidate) > room or len(candidate) > room * _CHARACTERS_PER_TOKEN:
                break
            kept = candidate
        return kept

    def _beginning(self, text: str, room: int) -> str:
        """As much of the beginning of `text` as has room, cut after a line end."""
        kept, step = "", max(room // 2, 8)
        while step and not kept:
            for stop in range(step, min(len(text), room * _CHARACTERS_PER_TOKEN) + step, step):
                candidate = text[: _line_stop(text, stop)]
                if self.lines.count(candidate) > room:
                    break
                kept = candidate
            step //= 2  # where a token has so few characters that one step has no room
        return kept

    def _fitting(self, snippets: tuple[Snippet, ...], room: int) -> tuple[Snippet, ...]:
        """Snippets as long as there is room; one that is too long is cut after a line end."""
        fitting = []
        for snippet in snippets:
            room -= self.lines.count(f"{snippet.path}\n") + _SLACK
            text = self._beginning(snippet.text, room) if room > 0 else ""
            if not text:
                break
            room -= self.lines.count(text)
            fitting.append(Snippet(snippet.path, text))
        return tuple(fitting)


def _line_start(text: str, place: int, farthest: int) -> int:
    """The first line start at `place` or after it; `place` itself where the line goes on for too long."""
    if not place:
        return 0
    start = text.find("\n", place - 1, place + farthest) + 1
    return start or place


def _line_stop(text: str, place: int) -> int:
    """The last line start at `place` or before it, or `place` itself where the first line reaches as far."""
    if place >= len(text):
        return len(text)
    return text.rfind("\n", 0, place) + 1 or place


_PACKERS: WeakKeyDictionary[Vocabulary, Packer] = WeakKeyDictionary()


def packer_for(vocabulary: Vocabulary) -> Packer:
    """The one packer of a vocabulary, which remembers its lines."""
    if vocabulary not in _PACKERS:
        _PACKERS[vocabulary] = Packer(vocabulary)
    return _PACKERS[vocabulary]


_BEFORE_LINE_END = re.compile(r"(?<=\S)(?=\r?\n)")
"""Before the line end, unless blanks are before it: GPT-2's split, StarCoder2, the built-in model, DeepSeek."""

_BEFORE_TEXT = re.compile(r"(?<=\n)(?=[ \t]*[^\s])")
"""After the line end, unless a blank line follows: Qwen and other splits that join punctuation to line ends; Llama."""

_SAMPLE = "".join(
    f"{before}{end}{after}"
    for before in ("x", "});", "é", "1", "if a:  ", "# b\t", '"', "")
    for end in ("\n", "\r\n", "\n\n", "\n  \n", "\r\n\r\n\t\n")
    for after in ("y ", "    return", "\t\tz", "  }", " 你", "")
)

_REMEMBERED = 16_384
"""Lines; a few megabytes."""
_REMEMBERED_TEXTS = 32
"""Parts of files up to a line that is being typed: the same ones are packed at each key."""


class LineTokens:
    """Tokens of texts in one vocabulary."""

    def __init__(self, encode: Callable[[str], list[int]]) -> None:
        self._cut = next((cut for cut in (_BEFORE_LINE_END, _BEFORE_TEXT) if _holds(cut, encode)), None)
        self._encoded = lru_cache(_REMEMBERED)(lambda text: tuple(encode(text)))
        self._joined = lru_cache(_REMEMBERED_TEXTS)(self._of_lines)

    def encode(self, text: str) -> list[int]:
        """The tokens that the tokenizer gives for `text`."""
        if self._cut is None:
            return [*self._encoded(text)]
        lines, last = self.last_cut(text)
        return [*self._joined(lines), *self._of_lines(last)]

    def count(self, text: str) -> int:
        """How many they are."""
        if self._cut is None:
            return len(self._encoded(text))
        lines, last = self.last_cut(text)
        return len(self._joined(lines)) + len(self._of_lines(last))

    def last_cut(self, text: str) -> tuple[str, str]:
        """A text cut before its last line, if the tokens of the parts are then those of the text."""
        line_end = searched = len(text)
        while self._cut and (line_end := text.rfind("\n", 0, line_end)) >= 0:
            # no cut looks beyond the line end after it
            cuts = [cut.start() for cut in self._cut.finditer(text, max(line_end - 1, 0), searched)]
            searched = line_end + 1
            if cuts:
                return text[: cuts[-1]], text[cuts[-1] :]
        return text, ""

    def _of_lines(self, text: str) -> Sequence[int]:
        if not text:
            return ()
        pieces = self._cut.split(text) if self._cut else (text,)
        return tuple(chain.from_iterable(map(self._encoded, pieces)))


def _holds(cut: re.Pattern[str], encode: Callable[[str], list[int]]) -> bool:
    return list(chain.from_iterable(map(encode, cut.split(_SAMPLE)))) == encode(_SAMPLE)
