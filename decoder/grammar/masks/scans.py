"""What an external scanner makes of texts, whatever the stack: it sees nothing of that."""

from __future__ import annotations

from collections import defaultdict
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

_SCANS_KEPT: Final = 1 << 15
_UNASKED: Final = -1
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
        self._scans: dict[tuple[int, bytes, str, bool], tuple[Scanned | Answer, int]] = {}
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
        undecided: Indices = np.zeros(0, dtype=np.int32)
        for answer, some in self._by_first(numbers, start):
            if answer is UNDECIDED:
                undecided = some
            else:
                told[answer].append(some)
        within, others, decided = self._by_beginning(numbers, undecided, start)
        for answer, found in decided.items():
            told[answer].append(np.array(found, dtype=np.int32))
        scanned: dict[Scanned, list[Indices]] = defaultdict(list)
        for answer, several in told.items():
            if isinstance(answer, Scanned):
                kept = self._wherever(answer, start)
                length = max(answer.end - len(start.pending), 0)
                scanned[kept] += several
                rests[kept] += [self._suffixes.without(numbers[some], length) for some in several]
        return Parts(
            _joined(told[DECLINED]),
            {answer: (_joined(scanned[answer]), _joined(found)) for answer, found in rests.items()},
            np.array(within, dtype=np.int32),
            np.array(others, dtype=np.int32),
        )

    def _wherever(self, answer: Scanned, start: Start) -> Scanned:
        """The same for tokens that differ in nothing but where in a text they end."""
        before = len(start.pending)
        if answer.end <= before or self._reader.is_line_end(Token(*answer)):
            return answer
        return answer._replace(start=min(answer.start, before), end=before + 1)

    def _by_beginning(
        self, numbers: Indices, some: Indices, start: Start
    ) -> tuple[list[int], list[int], dict[Scanned | Answer, list[int]]]:
        """Texts in order, each shown once with more behind it; not those that begin like one as far as was looked.

        Returns:
            Texts within a token that goes on with words; others that are undecided; and the rest by what is said.
        """
        within: list[int] = []
        undecided: list[int] = []
        decided: dict[Scanned | Answer, list[int]] = defaultdict(list)
        every, pending = self._suffixes.all, start.pending
        seen = ""
        same = undecided
        for at, number in zip(some.tolist(), numbers[some].tolist(), strict=True):
            text = pending + every[number]
            if not seen or not text.startswith(seen):
                self._patience.check()
                answer, extent = self._scan(start, text + _WORD)
                seen = ""
                if answer is UNDECIDED:
                    same = undecided if text.isspace() else within
                elif extent >= len(text):
                    same = undecided
                else:
                    same = decided[answer]
                    seen = text[: extent + 1]
            same.append(at)
        return within, undecided, decided

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
