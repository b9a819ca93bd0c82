"""Passages of other files that share many words with the lines above the cursor.

Each file has an index from words to its passages, made once for each version of its text. A search takes time in
proportion to the occurrences of rare words. Files are indexed a few at a time, as questions come.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from context_index.retrieve.texts import Source

_WORD = re.compile(r"[A-Za-z_$][\w$]{2,}")
_LINES = 8
_STEP = 4
_COMMON = 24
"""A word in more passages of a file than this is ignored."""
_LEAST_SHARED = 5
_LEAST_LIKENESS = 0.2


@dataclass(slots=True)
class _Passages:
    sizes: list[int] = field(default_factory=list)
    """The number of different words in each passage."""
    with_word: dict[str, list[int]] = field(default_factory=dict)

    def read_on(self, lines: Sequence[str], room: int) -> int:
        """Index further passages, as long as there is room; returns the number of characters read."""
        last, read = max(len(lines) - _LINES // 2, 1), 0
        while (start := len(self.sizes) * _STEP) < last and read < room:
            text = "\n".join(lines[start : start + _LINES])
            own = words(text)
            for word in own:
                self.with_word.setdefault(word, []).append(len(self.sizes))
            self.sizes.append(len(own))
            read += len(text)
        return read


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file, 0-based, the end not among them; `likeness` is shared words by all words."""

    source: Source
    start: int
    end: int
    likeness: float


class SimilarPassages:
    """Finds similar passages, and remembers the indexes of the files of the last search."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Source, _Passages]] = {}

    def find(self, sources: Iterable[Source], lines: Sequence[str], room: int) -> list[Passage]:
        """The best passage of each source, the most alike first.

        Args:
            room: The most characters to index now; the rest is indexed with the next questions.
        """
        wanted = words("\n".join(lines))
        if len(wanted) < _LEAST_SHARED:
            return []
        found = []
        known: dict[int, tuple[Source, _Passages]] = {}
        for source in sources:
            entry = self._known.get(id(source))
            if entry is None or entry[0] is not source:
                entry = (source, _Passages())
            room -= entry[1].read_on(source.lines, room)
            known[id(source)] = entry
            if (best := _best(source, entry[1], wanted)) is not None:
                found.append(best)
        self._known = known
        return sorted(found, key=lambda passage: (-passage.likeness, str(passage.source.path)))


def words(text: str) -> set[str]:
    """The words of at least three characters that could be names."""
    return set(_WORD.findall(text))


def _best(source: Source, passages: _Passages, wanted: set[str]) -> Passage | None:
    shared: Counter[int] = Counter()
    for word in wanted & passages.with_word.keys():
        numbers = passages.with_word[word]
        if len(numbers) <= _COMMON:
            shared.update(numbers)
    best, likeness = -1, _LEAST_LIKENESS
    for number, count in sorted(shared.items()):
        if count >= _LEAST_SHARED:
            alike = count / (len(wanted) + passages.sizes[number] - count)
            best, likeness = (number, alike) if alike > likeness else (best, likeness)
    if best < 0:
        return None
    return Passage(source, best * _STEP, min(best * _STEP + _LINES, len(source.lines)), likeness)
