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
    is_closed: bool
    """Whether it closes the brackets and strings that it opens: who takes it gets no others."""


def is_worth_reading(beginning: str, *, in_line: bool) -> bool:
    """Whether a beginning is more than a few signs, and, where a line begins, more than a word.

    Args:
        in_line: Whether anything is above it on its line.
    """
    text = beginning.strip()
    is_long = len(text.rstrip(_ADDED)) >= FEWEST
    return is_long and (in_line or not all(map(continues_identifier, text)))


def may_end(text: str, length: int) -> bool:
    """Whether a beginning of a text ends with a word or a bracket, or is all of it."""
    if length == len(text):
        return True
    last, following = text[length - 1 : length], text[length]
    is_word = continues_identifier(last) and not (continues_identifier(following) or following in _QUOTES)
    return last in _BRACKETS or is_word


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
    place = start.advance(required)
    depth = floor = place.depth
    read = 0
    for end, total in zip(ends, accumulate(scores), strict=False):  # the last score may be that of the end
        length = min(end - len(required), len(text))
        for character in text[read : max(read, length)]:
            place = place.step(character)
            depth = place.finished().depth
            floor = min(floor, depth)
        read = max(read, length)
        is_string = length > 0 and text[length - 1] in _QUOTES and place.in_code
        if length > 0 and (may_end(text, length) or is_string):
            yield Beginning(length, total, is_closed=depth == floor)
            if length == len(text):
                return
