"""Counts what follows some tokens in texts, by a suffix array.

The places in the texts are sorted by the tokens before them, so that all places after the same tokens are one range.
This is a suffix array of the texts read backwards (Manber and Myers 1993). It is made by doubling, and sorted by
`_DEPTH` tokens only.
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
"""The tokens by which places are sorted: no longer context can be looked up."""
_MARK: Final = -1
"""Stands before each text; no token is equal to it."""
_SAMPLED: Final = 64
"""The most places of a range that are counted, evenly spread: enough to know what follows a line end everywhere."""


@dataclass(frozen=True, slots=True, eq=False)  # comparing all tokens would take long
class SuffixArray:
    """The places of some texts; equal to itself alone.

    Args:
        tokens: int32, the texts one after the other, a mark before each.
        places: int32, the indices of all tokens that are no mark, sorted by the token before each, then by the one
            before that, and so on.
        nearest: int32 [places], the token before each of `places`.
    """

    tokens: memoryview
    places: memoryview
    nearest: memoryview

    @classmethod
    def of(cls, texts: Sequence[npt.ArrayLike]) -> SuffixArray:
        """The array of texts, given as tokens; no context spans two texts."""
        mark = np.array([_MARK], np.int32)
        tokens = np.concatenate([part for text in texts for part in (mark, np.asarray(text, np.int32))] or [mark])
        before = np.concatenate([mark, tokens[:-1]])
        ranks = before.astype(np.int64) + 1
        depth = 1  # `ranks` sorts the places by so many tokens before each
        while depth < _DEPTH:
            earlier_ranks = np.zeros_like(ranks)
            earlier_ranks[depth:] = ranks[:-depth]
            ranks = _ranks(ranks * (ranks.max() + 1) + earlier_ranks)
            depth *= 2
        places = np.argsort(ranks, kind="stable").astype(np.int32)
        places = places[tokens[places] != _MARK]
        return cls(tokens.data, places.data, before[places].data)

    def following(
        self, context: Sequence[int], orders: Sequence[int], *, without: range = range(0)
    ) -> Iterator[Counter[int]]:
        """For each order, how often each token follows the last tokens of `context`, as many of them as the order.

        Args:
            orders: Numbers of tokens, ascending. The first context that occurs nowhere ends the answer.
            without: Indices of tokens that do not count.
        """
        if not context:
            return
        tokens, last = self.tokens, context[-1]
        first, stop = bisect_left(self.nearest, last), bisect_right(self.nearest, last)
        places, depth, counted, counts = self._sample(first, stop), 1, (0, 0, 0), Counter[int]()
        for order in orders:
            if order > min(len(context), _DEPTH):
                return
            while depth < order and places:
                depth += 1
                if stop - first > _SAMPLED:
                    first, stop = self._narrowed(first, stop, depth, context[-depth])
                    places = self._sample(first, stop)
                else:  # `places` has all of the range, so they are compared one by one
                    places = [place for place in places if tokens[place - depth] == context[-depth]]
            if not places:
                return
            if counted != (first, stop, len(places)):  # else the longer context occurs at the same places
                counted = first, stop, len(places)
                counts = Counter([tokens[place] for place in places if place not in without])
            yield counts

    def _sample(self, first: int, stop: int) -> list[int]:
        """The places of a range; of more than `_SAMPLED` a part, evenly spread."""
        sample: list[int] = self.places[first : stop : 1 + max(stop - first - 1, 0) // _SAMPLED].tolist()
        return sample

    def _narrowed(self, first: int, stop: int, depth: int, token: int) -> tuple[int, int]:
        """The part of a range whose places have `token` at `depth` tokens before them."""
        tokens, places = self.tokens, self.places

        def before(index: int) -> int:
            return tokens[places[index] - depth]

        indices = range(first, stop)
        return first + bisect_left(indices, token, key=before), first + bisect_right(indices, token, key=before)


def _ranks(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each key, how many different keys are smaller."""
    order = np.argsort(keys)
    ordered = keys[order]
    ranks = np.zeros_like(keys)
    ranks[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return ranks
