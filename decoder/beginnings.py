"""The beginnings of a text that make sense to read: up to a word's end, or to a closing sign, with their scores."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from context_index.symbols import continues_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoder.lexical import Lexical

FEWEST = 4
"""Characters that a beginning has at least, besides what editors close by themselves at its end."""
_BRACKETS, _QUOTES = frozenset(")]}"), frozenset("\"'`")
_ADDED = "".join(_BRACKETS | _QUOTES)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A beginning of a text."""

    length: int
    """Characters of the text."""
    score: float
    """Natural logarithm of the probability of its tokens."""


def is_worth_reading(beginning: str) -> bool:
    """Whether a beginning is more than a few signs."""
    return len(beginning.strip().rstrip(_ADDED)) >= FEWEST


def may_end(text: str, length: int) -> bool:
    """Whether a beginning of a text ends with a word or a bracket, or is all of it."""
    if length == len(text):
        return True
    last, following = text[length - 1 : length], text[length]
    return last in _BRACKETS or (continues_identifier(last) and not continues_identifier(following))


def beginnings(
    text: str, start: Lexical, required: str, ends: Sequence[int], scores: Sequence[float]
) -> Iterator[Beginning]:
    """The beginnings of a text, the shortest first and the whole last.

    Args:
        start: The place before what is required.
        required: What the output had to begin with before the text.
        ends: Characters of the output after each token.
        scores: Natural logarithm of the probability of each token.
    """
    for end, total in zip(ends, accumulate(scores), strict=False):  # the last score may be that of the end
        length = min(end - len(required), len(text))
        if length > 0 and (may_end(text, length) or _ends_string(text[:length], start, required)):
            yield Beginning(length, total)
            if length == len(text):
                return


def _ends_string(beginning: str, start: Lexical, required: str) -> bool:
    return beginning[-1] in _QUOTES and start.advance(required + beginning).in_code
