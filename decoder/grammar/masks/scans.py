"""What an external scanner makes of texts, whatever the stack: it sees nothing of that."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.scanner import DECLINED, UNDECIDED, Answer, Scanned
from decoder.grammar.version import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoder.grammar.masks.paths import Texts
    from decoder.grammar.masks.plans import Indices, Patience
    from decoder.grammar.masks.suffixes import Suffixes
    from decoder.grammar.reader import Reader

_LONGEST_UNDECIDED: Final = 8
"""Characters of a text that the scanner is shown before it is shown all of it."""
_MANY: Final = 16
"""So many texts are looked at together before their characters are: they may all be within a string."""
_SCANS_KEPT: Final = 1 << 15
_UNASKED: Final = -1
_WITHIN: Final = "words of a text, "
_WORD: Final = "x"
"""Behind a text that leaves the scanner undecided with this, too, something may follow: the automaton tries it."""
_PARTS_KEPT: Final = 256
"""What stands before the texts may be anything: more are found anew."""
_BYTES_OF_PARTS: Final = 2000
_BYTES_OF_INDEX: Final = 12
"""Of what is kept, measured with `tracemalloc` and rounded up."""


class Start(NamedTuple):
    """How a scanner is started."""

    external_state: int
    saved: bytes
    pending: str
    """What it reads before the texts: the beginning of a token."""
    at_start: bool
    """It is the beginning of the file."""


class Parts(NamedTuple):
    """What the scanner makes of all texts."""

    declined: Indices
    scanned: Mapping[Scanned, tuple[Indices, Indices]]
    """By token: texts, and the rest of each; the whole text where the token ends in what stands before. Of tokens that
    end in the texts, all that differ in where they do are one, but for line ends."""
    within: Indices
    """Texts that end within a token of the scanner's that goes on with words: they may follow."""
    undecided: Indices
    """Others of which all has been seen."""


class Scans:
    """Shows texts to one grammar's external scanner."""

    def __init__(self, suffixes: Suffixes, reader: Reader, patience: Patience) -> None:
        self._suffixes = suffixes
        self._reader = reader
        self._patience = patience
        self._first: dict[Start, tuple[Indices, dict[Scanned | Answer, int]]] = {}
        self._scans: dict[tuple[int, bytes, str, bool], Scanned | Answer] = {}
        self.size = 0
        """Bytes of what is kept about texts, roughly."""

    def parts(self, texts: Texts, start: Start) -> Parts:
        """What the scanner makes of texts. Kept."""
        parts = texts.parts.get(start)
        if parts is None:
            if len(texts.parts) >= _PARTS_KEPT:
                texts.parts.clear()
            parts = texts.parts[start] = self._find(texts.numbers, start)
            self.size += _BYTES_OF_PARTS + _BYTES_OF_INDEX * len(texts)
        return parts

    def _find(self, numbers: Indices, start: Start) -> Parts:
        told: dict[Scanned | Answer, list[Indices]] = defaultdict(list)
        rests: dict[Scanned, list[Indices]] = defaultdict(list)
        for answer, some in self._answers(numbers, start):
            if isinstance(answer, Scanned):
                kept = self._wherever(answer, start)
                told[kept].append(some)
                rests[kept].append(self._suffixes.without(numbers[some], max(answer.end - len(start.pending), 0)))
            else:
                told[answer].append(some)
        undecided = _joined(told[UNDECIDED])
        is_within = np.zeros(len(undecided), dtype=np.bool_)
        for at, text in enumerate(self._suffixes.all[number] for number in numbers[undecided].tolist()):
            whole = start.pending + text
            is_within[at] = not whole.isspace() and self._scan(start, whole + _WORD) is UNDECIDED
        return Parts(
            _joined(told[DECLINED]),
            {answer: (_joined(told[answer]), _joined(found)) for answer, found in rests.items()},
            undecided[is_within],
            undecided[~is_within],
        )

    def _wherever(self, answer: Scanned, start: Start) -> Scanned:
        """The same for tokens that differ in nothing but where in a text they end."""
        before = len(start.pending)
        if answer.end <= before or self._reader.is_line_end(Token(*answer)):
            return answer
        return answer._replace(start=min(answer.start, before), end=before + 1)

    def _answers(self, numbers: Indices, start: Start) -> Iterator[tuple[Scanned | Answer, Indices]]:
        """Texts by what the scanner says, in no order."""
        work: list[tuple[int, Indices, Indices]] = []
        for answer, some in self._by_first(numbers, start):
            if answer is UNDECIDED:
                work.append((0, some, numbers[some]))
            else:
                yield answer, some
        while work:
            self._patience.check()
            length, members, rests = work.pop()
            for first, some, left in self._by_character(members, rests):
                text = self._suffixes.all[numbers[some[0]]]
                beginning = start.pending + text[: length + 1]
                answer = self._scan(start, beginning) if first else UNDECIDED
                if answer is not UNDECIDED or not first:
                    yield answer, some
                elif beginning.isspace() or (
                    length < _LONGEST_UNDECIDED and not (len(some) > _MANY and self._is_within(start, beginning))
                ):
                    work.append((length + 1, some, left))
                else:
                    yield from self._one_by_one(numbers, some, start)

    def _one_by_one(self, numbers: Indices, some: Indices, start: Start) -> Iterator[tuple[Scanned | Answer, Indices]]:
        """The same for texts that share a beginning, each shown as a whole."""
        found: dict[Scanned | Answer, list[int]] = defaultdict(list)
        for at, number in enumerate(numbers[some].tolist()):
            whole = start.pending + self._suffixes.all[number]
            goes_on = self._scan(start, whole + _WORD) is UNDECIDED
            found[UNDECIDED if goes_on else self._scan(start, whole)].append(at)
        for answer, places in found.items():
            yield answer, some[places]

    def _by_first(self, numbers: Indices, start: Start) -> Iterator[tuple[Scanned | Answer, Indices]]:
        """Texts by what the scanner makes of the first character of each, which is remembered for all texts."""
        firsts = self._suffixes.firsts[numbers]
        known = self._first.get(start)
        if known is None:
            if len(self._first) >= _PARTS_KEPT:
                self._first.clear()
            known = self._first[start] = (np.full(len(self._suffixes.letters), _UNASKED, dtype=np.int32), {})
        which, answers = known
        for first in np.unique(firsts[which[firsts] == _UNASKED]).tolist():
            letter = self._suffixes.letters[first]
            answer: Scanned | Answer = UNDECIDED
            if letter:
                answer = self._reader.scan(*start[:2], start.pending + letter, at_start=start.at_start)
            which[first] = answers.setdefault(answer, len(answers))
        of_text = which[firsts]
        for answer, number in answers.items():
            some = np.flatnonzero(of_text == number).astype(np.int32)
            if len(some):
                yield answer, some

    def _by_character(self, members: Indices, rests: Indices) -> Iterator[tuple[bool, Indices, Indices]]:
        """Texts by the next character of each, in order: whether there is one, the texts, and what is left of them."""
        codes = self._suffixes.codes[rests]
        edges = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
        left = self._suffixes.tails[rests]
        for first, end in pairwise(edges):
            if first < end:
                yield bool(codes[first] >= 0), members[first:end], left[first:end]

    def _is_within(self, start: Start, beginning: str) -> bool:
        """Whether words leave the scanner undecided, as they do within a string or a comment."""
        return self._scan(start, beginning + _WITHIN) is UNDECIDED

    def _scan(self, start: Start, text: str) -> Scanned | Answer:
        key = (start.external_state, start.saved, text, start.at_start)
        answer = self._scans.get(key)
        if answer is None:
            if len(self._scans) >= _SCANS_KEPT:
                self._scans.clear()
            answer = self._scans[key] = self._reader.scan(*key[:3], at_start=start.at_start)
        return answer


def _joined(arrays: list[Indices]) -> Indices:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int32)
