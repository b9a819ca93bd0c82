"""The uses of names in a file: how often, where and in which contexts each was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from context_index.prior.contexts import WAYS, TextContexts, contexts
from context_index.prior.lexemes import lexemes

if TYPE_CHECKING:
    import numpy.typing as npt

ABOVE, BELOW = 24_000, 12_000
"""Characters of the file that are read, before and after the place."""

_lexemes = lru_cache(maxsize=4)(lexemes)
"""Cached, as the text below the cursor's line stays the same while one types."""


@lru_cache(maxsize=4)  # the text above a word stays the same while the word is typed
def _read(text: str, *, python: bool) -> tuple[Sequence[str], TextContexts]:
    before = lexemes(text, python=python)
    return before, contexts(before)


@dataclass(frozen=True, slots=True)
class Uses:
    """The uses of names around one place of a file."""

    before: tuple[str, ...]
    """The lexemes above the place."""
    vocabulary: dict[str, int]
    above: npt.NDArray[np.float32]
    """[vocabulary + 1]: uses above the place. The last entry of each array is for names that the file does not have."""
    below: npt.NDArray[np.float32]
    ways: npt.NDArray[np.uint64]
    """[WAYS, names of the file]."""
    names: npt.NDArray[np.intp]
    """[names of the file]."""

    @classmethod
    def around(cls, text: str, offset: int, *, python: bool) -> Uses:
        """Read the file around an offset at which no word has begun."""
        start = max(offset - ABOVE, 0)
        start = text.find("\n", start, offset) + 1 if start else 0
        end = text.find("\n", offset)
        rest = offset if end < 0 else end
        after = (*lexemes(text[offset:rest], python=python), *_lexemes(text[rest : rest + BELOW], python=python))
        before, upper = _read(text[start:offset], python=python)
        upper = replace(upper, vocabulary=upper.vocabulary.copy())  # what is below adds to it
        lower = contexts(after, upper.vocabulary)
        size = len(upper.vocabulary) + 1
        return cls(
            tuple(before),
            upper.vocabulary,
            np.bincount(upper.names, minlength=size).astype(np.float32),
            np.bincount(lower.names, minlength=size).astype(np.float32),
            np.concatenate([upper.ways, lower.ways], axis=1),
            np.concatenate([upper.names, lower.names]),
        )

    def rows(self, names: Sequence[str]) -> npt.NDArray[np.intp]:
        """The names as numbers of the vocabulary; the last number for those that it lacks."""
        lacking = len(self.above) - 1
        get = self.vocabulary.get
        return np.array([get(name, lacking) for name in names], dtype=np.intp)

    def counts(
        self, ways: tuple[int, ...], rows: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """How often names were used in a context: float32 [WAYS, names]; and how often any name was: [WAYS]."""
        found = np.zeros((len(WAYS), len(rows)), dtype=np.float32)
        totals = np.zeros(len(WAYS), dtype=np.float32)
        for index, way in enumerate(ways):
            same = np.flatnonzero(self.ways[index] == np.uint64(way))
            if len(same):
                totals[index] = len(same)
                found[index] = np.bincount(self.names[same], minlength=len(self.above))[rows]
        return found, totals
