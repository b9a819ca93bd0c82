"""Places in texts, sorted by the tokens before them, so that all places after the same tokens are one range.

A suffix array read backwards (Manber and Myers 1993), made by doubling, and sorted no deeper than needed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

_DEPTH: Final = 16
"""Tokens by which places are sorted: no longer context can be looked up."""
_NOTHING: Final = -1
"""Stands before each text; no token is equal to it."""
_SAMPLED: Final = 64
"""Places of a range that are looked at, evenly spread: what follows a line end everywhere is known well enough then."""


@dataclass(frozen=True, slots=True, eq=False)  # comparing all tokens would take long
class SuffixArray:
    """The places of some texts; equal to itself alone.

    Args:
        tokens: int32 [count], the texts one after the other, a mark before each.
        places: int32 [count], indices of `tokens`, in the order of the tokens before them, the nearest first.
        nearest: int32 [count], the token before each of `places`.
    """

    tokens: memoryview
    places: memoryview
    nearest: memoryview

    @classmethod
    def of(cls, texts: Sequence[npt.ArrayLike]) -> SuffixArray:
        """The array of texts, given as tokens; none goes on in the next."""
        mark = np.array([_NOTHING], np.int32)
        tokens = np.concatenate([part for text in texts for part in (mark, np.asarray(text, np.int32))] or [mark])
        before = np.concatenate([mark, tokens[:-1]])
        ranks = before.astype(np.int64) + 1
        depth = 1
        while depth < _DEPTH:
            farther = np.zeros_like(ranks)
            farther[depth:] = ranks[:-depth]
            ranks = _ranks(ranks * (ranks.max() + 1) + farther)
            depth *= 2
        places = np.argsort(ranks, kind="stable").astype(np.int32)
        places = places[tokens[places] != _NOTHING]
        return cls(tokens.data, places.data, before[places].data)

    def following(
        self, context: Sequence[int], orders: Sequence[int], *, without: range = range(0)
    ) -> Iterator[Counter[int]]:
        """How often which tokens follow the last tokens of `context`, for as many of them as `orders` says.

        Args:
            orders: Lengths of contexts, ascending. The first context that occurs nowhere ends the answer.
            without: Indices of tokens that do not count.
        """
        if not context:
            return
        tokens, last = self.tokens, context[-1]
        first, stop = bisect_left(self.nearest, last), bisect_right(self.nearest, last)
        places, depth, counted, counts = self._some(first, stop), 1, (0, 0, 0), Counter[int]()
        for order in orders:
            if order > min(len(context), _DEPTH):
                return
            while depth < order and places:
                depth += 1
                if stop - first > _SAMPLED:
                    first, stop = self._narrowed(first, stop, depth, context[-depth])
                    places = self._some(first, stop)
                else:  # all of the range
                    places = [place for place in places if tokens[place - depth] == context[-depth]]
            if not places:
                return
            if counted != (first, stop, len(places)):
                counted = first, stop, len(places)
                counts = Counter([tokens[place] for place in places if place not in without])
            yield counts

    def _some(self, first: int, stop: int) -> list[int]:
        """The places of a range, of a long one some."""
        some: list[int] = self.places[first : stop : 1 + max(stop - first - 1, 0) // _SAMPLED].tolist()
        return some

    def _narrowed(self, first: int, stop: int, depth: int, token: int) -> tuple[int, int]:
        """The part of a range with a token `depth` tokens before its places."""
        tokens, places = self.tokens, self.places

        def before(index: int) -> int:
            return tokens[places[index] - depth]

        indices = range(first, stop)
        return first + bisect_left(indices, token, key=before), first + bisect_right(indices, token, key=before)


def _ranks(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many different keys are smaller, of each."""
    order = np.argsort(keys)
    ordered = keys[order]
    ranks = np.zeros_like(keys)
    ranks[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return ranks
