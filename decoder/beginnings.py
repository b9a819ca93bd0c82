"""The beginnings of a text that a person could accept on their own, each with its score.

A beginning ends with a word, a closing bracket or a closing quote, or it is the whole text. `completion.result` offers
the beginnings of a candidate, and `observer` scores the first one while the text is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from context_index.symbols import continues_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoder.lexical import Lexical

FEWEST = 4
"""The fewest characters of a beginning. Closing signs at its end do not count, as editors add those themselves."""
_CLOSING_BRACKETS, _QUOTES = frozenset(")]}"), frozenset("\"'`")
_CLOSING_SIGNS = "".join(_CLOSING_BRACKETS | _QUOTES)


@dataclass(frozen=True, slots=True)
class Beginning:
    """A beginning of a text."""

    length: int
    """In characters, from the start of the text."""
    score: float
    """Natural logarithm of the probability of its tokens."""
    is_closed: bool
    """Whether it closes every bracket and string that it opens."""


def is_worth_reading(beginning: str, *, in_line: bool) -> bool:
    """Whether a beginning has at least `FEWEST` characters and, at the start of a line, more than a lone word.

    Args:
        in_line: Whether other text precedes it on its line.
    """
    text = beginning.strip()
    is_long = len(text.rstrip(_CLOSING_SIGNS)) >= FEWEST
    return is_long and (in_line or not all(map(continues_identifier, text)))


def may_end(text: str, length: int) -> bool:
    """Whether the first `length` characters end with a word or a closing bracket, or are the whole text."""
    if length == len(text):
        return True
    last, following = text[length - 1 : length], text[length]
    # letters before a quote may be the prefix of a string, such as `f"`
    ends_word = continues_identifier(last) and not (continues_identifier(following) or following in _QUOTES)
    return last in _CLOSING_BRACKETS or ends_word


def beginnings(
    text: str, start: Lexical, required: str, ends: Sequence[int], scores: Sequence[float]
) -> Iterator[Beginning]:
    """The beginnings of a text, the shortest first and the whole last.

    Args:
        start: The place at which the output begins.
        required: The half-typed word with which the output had to begin. The text follows it.
        ends: The length of the output after each token, in characters, `required` included.
        scores: Natural logarithm of the probability of each token; one more where the model chose the end.
    """
    place = start.advance(required)
    depth = lowest_depth = place.depth
    read_length = 0
    for end, total in zip(ends, accumulate(scores), strict=False):
        length = min(end - len(required), len(text))
        for character in text[read_length : max(read_length, length)]:
            place = place.step(character)
            depth = place.finished().depth
            lowest_depth = min(lowest_depth, depth)
        read_length = max(read_length, length)
        ends_string = length > 0 and text[length - 1] in _QUOTES and place.in_code
        if length > 0 and (may_end(text, length) or ends_string):
            yield Beginning(length, total, is_closed=depth == lowest_depth)
            if length == len(text):
                return
