"""Where in the draft the output has got to: places whose text before them is what was just written.

An index over the draft's n-grams. A question costs a bounded number of comparisons, however long the draft is and
however often a token recurs in it: only the occurrences nearest to an expected place are looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log2
from typing import NamedTuple

_LOOKED_AT = 8
"""Occurrences on either side of the expected place."""
_LONG = 6
"""Tokens of the longer n-grams, by which text that was moved is found again, wherever it stands."""
LONGEST = 32
"""Tokens that are compared backwards; a longer match says no more."""
_FAR = 0.75
"""Tokens of match that a doubling of the distance is worth."""


class DraftPlace(NamedTuple):
    """A place in the draft at which the output may go on."""

    at: int
    """Index of the draft token that would come next."""
    match: int
    """Tokens before it that are the last tokens of the output, at most `LONGEST`."""
    distance: int
    """Tokens between it and where the output was expected to go on."""


class Alignment:
    """The places of a draft."""

    def __init__(self, draft: Sequence[int]) -> None:
        self._draft = draft
        self._after: dict[int, list[int]] = defaultdict(list)
        self._after_long: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for index, token in enumerate(draft, 1):
            self._after[token].append(index)
        for index in range(_LONG, len(draft) + 1):
            self._after_long[tuple(draft[index - _LONG : index])].append(index)

    def find(self, output: Sequence[int], since: int, expected: int) -> DraftPlace | None:
        """The most likely place to go on: with a long match, near `expected`, and rather after it than before.

        Args:
            since: Only tokens of the output from here on count as matching.
        """
        places = (self._judged(index, output, since, expected) for index in self._candidates(output, expected))
        return max(places, key=_likelihood, default=None)

    def _judged(self, index: int, output: Sequence[int], since: int, expected: int) -> DraftPlace:
        match = matching_end(self._draft, index, output, len(output), min(LONGEST, len(output) - since))
        return DraftPlace(index, match, abs(index - expected) * (2 if index < expected else 1))

    def _candidates(self, output: Sequence[int], expected: int) -> Iterator[int]:
        if not output:
            return
        yield from _nearest(self._after.get(output[-1], ()), expected)
        if len(output) >= _LONG:
            yield from _nearest(self._after_long.get(tuple(output[-_LONG:]), ()), expected)


def matching_end(one: Sequence[int], end: int, other: Sequence[int], other_end: int, most: int) -> int:
    """How many tokens two sequences have in common before two places, at most `most`."""
    most = min(most, end, other_end)
    length = 0
    while length < most and one[end - 1 - length] == other[other_end - 1 - length]:
        length += 1
    return length


def _nearest(places: Sequence[int], expected: int) -> Sequence[int]:
    middle = bisect_left(places, expected)
    return places[max(0, middle - _LOOKED_AT) : middle + _LOOKED_AT]


def _likelihood(place: DraftPlace) -> float:
    return place.match - _FAR * log2(1 + place.distance)
