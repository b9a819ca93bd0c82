"""The beginnings of a text that a person could accept on their own, each with its score.

`may_end` has the rule where one ends. `completion.result` offers the beginnings of a candidate, and `observer` scores
the first one while the text is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from context_index.symbols import continues_identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoder.lexical import Lexical

FEWEST_CHARACTERS = 4
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
    """Whether it closes every bracket and string that it opens. It may also close some that were open before it."""


def is_worth_reading(beginning: str, *, in_line: bool) -> bool:
    """Whether a beginning has `FEWEST_CHARACTERS` or more and, at the start of a line, more than a lone word.

    Args:
        in_line: Whether other text precedes it on its line.
    """
    text = beginning.strip()
    is_long = len(text.rstrip(_CLOSING_SIGNS)) >= FEWEST_CHARACTERS
    return is_long and (in_line or not all(map(continues_identifier, text)))


def may_end(text: str, length: int, *, in_code: bool = False) -> bool:
    """Whether the first `length` characters are the whole text, or end with a word, a closing bracket or closing quote.

    Args:
        in_code: Whether the place after them is in code, so that a quote before it has closed a string. Without this no
            quote counts.
    """
    if length == len(text):
        return True
    last, following = text[length - 1 : length], text[length]
    # letters before a quote may be the prefix of a string, such as `f"`
    ends_word = continues_identifier(last) and not (continues_identifier(following) or following in _QUOTES)
    return last in _CLOSING_BRACKETS or (last in _QUOTES and in_code) or ends_word


def beginnings(
    text: str, start: Lexical, required: str, ends: Sequence[int], scores: Sequence[float]
) -> Iterator[Beginning]:
    """The beginnings of a text, the shortest first and the whole last.

    Args:
        start: The place at which the output begins.
        required: The half-typed word with which the output had to begin. The text follows it.
        ends: The length of the output after each token, in characters, `required` included.
        scores: Natural logarithm of the probability of each token. If the model chose the end, its score comes last; it
            is not used, as the end writes nothing.
    """
    place = start.advance(required)
    lowest_depth = place.depth
    read_length = 0
    for end, total in zip(ends, accumulate(scores), strict=False):
        length = min(end - len(required), len(text))  # not above 0 while the tokens write `required`
        for character in text[read_length : max(read_length, length)]:
            place = place.step(character)
            lowest_depth = min(lowest_depth, place.depth)
        read_length = max(read_length, length)
        if length > 0 and may_end(text, length, in_code=place.in_code):
            # at the lowest depth that the text has reached, nothing that it opened is still open
            yield Beginning(length, total, is_closed=place.depth == lowest_depth)
            if length == len(text):
                return
