"""What an external scanner makes of texts, whatever the stack: it sees nothing of that."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.grammar.masks.places import those_that
from decoder.grammar.masks.suffixes import NOTHING
from decoder.grammar.scanner import DECLINED, UNDECIDED, Answer, Scanned
from decoder.grammar.version import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoder.grammar.masks.paths import Texts
    from decoder.grammar.masks.plans import Indices, Patience
    from decoder.grammar.masks.suffixes import Suffixes
    from decoder.grammar.reader import Reader

_SCANS_KEPT: Final = 1 << 15
_UNASKED: Final = -1
_LETTER: Final = "x"
"""Behind a text that leaves the scanner undecided with this, too, something may follow: the automaton tries it."""
_GOES_ON: Final = -1
_UNDECIDED: Final = -2
_MANY: Final = 256
"""So many texts are worth the while of finding out which characters mean nothing to the scanner."""
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
        self._scans: dict[tuple[int, bytes, str, bool], tuple[Scanned | Answer, int]] = {}
        self._stays: dict[Start, str] = {}
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
        undecided: Indices = np.zeros(0, dtype=np.int32)
        for answer, some in self._by_first(numbers, start):
            if answer is UNDECIDED:
                undecided = some
            else:
                told[answer].append(some)
        shown = numbers.copy()
        staying = self._staying(start) if len(undecided) > _MANY else ""
        shown[undecided] = self._suffixes.stripped(numbers[undecided], staying)
        said, answers = self._by_beginning(shown[undecided], start)
        if staying and any(isinstance(one, Scanned) and self._reader.is_line_end(Token(*one)) for one in answers):
            shown = numbers  # what follows a line end is looked at in the whole of a text
            said, answers = self._by_beginning(shown[undecided], start)
        for number, answer in enumerate(answers):
            told[answer].append(undecided[said == number])
        scanned: dict[Scanned, list[Indices]] = defaultdict(list)
        rests: dict[Scanned, list[Indices]] = defaultdict(list)
        for answer, several in told.items():
            if isinstance(answer, Scanned):
                kept = self._wherever(answer, start)
                length = max(answer.end - len(start.pending), 0)
                scanned[kept] += several
                rests[kept] += [self._suffixes.without(shown[some], length) for some in several]
        goes_on = undecided[said == _GOES_ON]
        is_blank = self._suffixes.are_blank[numbers[goes_on]] & bool(start.pending.isspace() or not start.pending)
        is_blank &= (numbers[goes_on] != NOTHING) | bool(start.pending)
        return Parts(
            _joined(told[DECLINED]),
            {answer: (_joined(scanned[answer]), _joined(found)) for answer, found in rests.items()},
            goes_on[~is_blank],
            np.concatenate([goes_on[is_blank], undecided[said == _UNDECIDED]]),
        )

    def _staying(self, start: Start) -> str:
        """Characters that leave the scanner undecided as it is, as letters do within a string."""
        staying = self._stays.get(start)
        if staying is None:
            if len(self._stays) >= _PARTS_KEPT:
                self._stays.clear()
            external_state, saved, pending, at_start = start
            reader = self._reader

            def stay(*added: str) -> bool:
                return all(reader.stays(external_state, saved, pending, pending + more) for more in added)

            staying = self._stays[start] = "" if at_start or not pending else "".join(those_that(stay))
        return staying

    def _wherever(self, answer: Scanned, start: Start) -> Scanned:
        """The same for tokens that differ in nothing but where in a text they end."""
        before = len(start.pending)
        if answer.end <= before or self._reader.is_line_end(Token(*answer)):
            return answer
        return answer._replace(start=min(answer.start, before), end=before + 1)

    def _by_beginning(self, numbers: Indices, start: Start) -> tuple[Indices, list[Scanned | Answer]]:
        """What is said of texts: each is shown once with a letter behind it; none that begins like another that far.

        Returns:
            For each text the number of an answer, below zero for those that are undecided; and the answers.
        """
        ends, of_end = np.unique(numbers, return_inverse=True)
        said: list[int] = []
        answers: dict[Scanned | Answer, int] = {}
        pending, every = start.pending, self._suffixes.all
        seen = ""
        for number in ends.tolist():
            text = pending + every[number]
            if not seen or not text.startswith(seen):
                self._patience.check()
                answer, extent = self._scan(start, text + _LETTER)
                seen = text[: extent + 1] if extent < len(text) else ""
                undecided = _GOES_ON if answer is UNDECIDED else _UNDECIDED
                same = answers.setdefault(answer, len(answers)) if seen else undecided
            said.append(same)
        return np.array(said, dtype=np.int32)[of_end], [*answers]

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

    def _scan(self, start: Start, text: str) -> tuple[Scanned | Answer, int]:
        """What the scanner says of a text, and the index of the last character that it has looked at."""
        key = (start.external_state, start.saved, text, start.at_start)
        told = self._scans.get(key)
        if told is None:
            if len(self._scans) >= _SCANS_KEPT:
                self._scans.clear()
            told = self._scans[key] = self._reader.look(*key[:3], at_start=start.at_start)
        return told


def _joined(arrays: list[Indices]) -> Indices:
    return np.concatenate(arrays) if arrays else np.zeros(0, dtype=np.int32)
