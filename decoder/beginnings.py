"""The beginnings of a text that make sense to read: up to a word's end, or to a closing sign, with their scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from context_index.symbols import continues_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FEWEST = 4
"""Characters that a beginning has at least, besides what editors close by themselves at its end."""
_ADDED = ")]}\"'`"
_CLOSING = frozenset(_ADDED)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A beginning of a text."""

    length: int
    """Characters of the text."""
    score: float
    """Natural logarithm of the probability of its tokens."""


def is_worth_reading(text: str, length: int) -> bool:
    """Whether a beginning of a text may be shown by itself: it ends with a word, and is more than a few signs."""
    return _may_end(text, length) and len(text[:length].strip().rstrip(_ADDED)) >= FEWEST


def beginnings(text: str, required: int, ends: Sequence[int], scores: Sequence[float]) -> Iterator[Beginning]:
    """The beginnings of a text, the shortest first and the whole last.

    Args:
        required: Characters before the text that the output had to begin with.
        ends: Characters of the output after each token.
        scores: Natural logarithm of the probability of each token.
    """
    totals = list(accumulate(scores))
    for number, end in enumerate(ends):
        length = min(end - required, len(text))
        if length <= 0 or not _may_end(text, length):
            continue
        yield Beginning(length, totals[number])
        if length == len(text):
            return


def _may_end(text: str, length: int) -> bool:
    if length == len(text):
        return True
    last, following = text[length - 1], text[length]
    return last in _CLOSING or (continues_identifier(last) and not continues_identifier(following))
