"""Finds where in the draft the output is: at a place before which the draft has the output's last tokens.

`Alignment` is an index over the draft's n-grams. `find` makes a bounded number of comparisons, however long the draft
is and however often a token recurs in it: only the occurrences nearest to an expected place are looked at.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log2
from typing import NamedTuple

_MOST_OCCURRENCES = 8
"""The most occurrences that are looked at on either side of the expected place."""
_LONG_NGRAM = 6
"""Tokens of the longer n-grams, by which text that was moved is found again, however far away."""
LONGEST = 32
"""The most tokens of a match that are compared; a longer match says no more."""
_TOKENS_PER_DOUBLING = 0.75
"""How many more tokens must match at a place of double the distance, so that it is as likely."""


class DraftPlace(NamedTuple):
    """A place in the draft at which the output may go on."""

    at: int
    """Index of the draft token that would come next."""
    match: int
    """Tokens before it that are the last tokens of the output, at most `LONGEST`."""
    distance: int
    """Tokens between it and where the output was expected to go on; doubled for places before that."""


class Alignment:
    """The places of a draft, by the tokens before them."""

    def __init__(self, draft: Sequence[int]) -> None:
        self._draft = draft
        self._after: dict[int, list[int]] = defaultdict(list)
        self._after_long: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for index, token in enumerate(draft, 1):
            self._after[token].append(index)
        for index in range(_LONG_NGRAM, len(draft) + 1):
            self._after_long[tuple(draft[index - _LONG_NGRAM : index])].append(index)

    def find(self, output: Sequence[int], since: int, expected: int) -> DraftPlace | None:
        """The most likely place to go on; None where the draft does not have the output's last token.

        A place is likely if it has a long match and is near `expected`, rather after it than before.

        Args:
            since: Only tokens of the output from this index on count as matching.
            expected: The index of the draft's token that is expected next.
        """
        places = (self._place_at(index, output, since, expected) for index in self._candidates(output, expected))
        return max(places, key=_likelihood, default=None)

    def _place_at(self, index: int, output: Sequence[int], since: int, expected: int) -> DraftPlace:
        match = matching_end(self._draft, index, output, len(output), min(LONGEST, len(output) - since))
        return DraftPlace(index, match, abs(index - expected) * (2 if index < expected else 1))

    def _candidates(self, output: Sequence[int], expected: int) -> Iterator[int]:
        """The nearest places after the output's last token, and those after its last `_LONG_NGRAM` tokens."""
        if not output:
            return
        yield from _nearest(self._after.get(output[-1], ()), expected)
        if len(output) >= _LONG_NGRAM:
            yield from _nearest(self._after_long.get(tuple(output[-_LONG_NGRAM:]), ()), expected)


def matching_end(first: Sequence[int], end: int, other: Sequence[int], other_end: int, most: int) -> int:
    """How many tokens before `end` in one sequence equal those before `other_end` in the other, at most `most`."""
    most = min(most, end, other_end)
    length = 0
    while length < most and first[end - 1 - length] == other[other_end - 1 - length]:
        length += 1
    return length


def _nearest(places: Sequence[int], expected: int) -> Sequence[int]:
    """The ascending places that are nearest to `expected`, on either side."""
    middle = bisect_left(places, expected)
    return places[max(0, middle - _MOST_OCCURRENCES) : middle + _MOST_OCCURRENCES]


def _likelihood(place: DraftPlace) -> float:
    """A number that is larger for a likelier place."""
    return place.match - _TOKENS_PER_DOUBLING * log2(1 + place.distance)
