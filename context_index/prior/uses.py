"""The uses of names in a file around one place: how often and in which contexts each was used, above and below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from context_index.languages.record import Lexis
from context_index.prior.contexts import TextContexts, contexts
from context_index.prior.lexemes import lexemes

ABOVE, BELOW = 24_000, 12_000
"""The most characters of the file that are read before and after the place."""


class Uses(NamedTuple):
    """The uses of names around one place of a file."""

    before: Sequence[str]
    """The lexemes above the place."""
    above: TextContexts
    """The names above the place, and their contexts."""
    below: TextContexts
    """The names below it."""


def uses_around(text: str, offset: int, lexis: Lexis) -> Uses:
    """Read the file around an offset at which no word has begun."""
    start = max(offset - ABOVE, 0)
    start = max(text.find("\n", start, offset) + 1, start) if start else 0
    end = text.find("\n", offset, offset + BELOW)
    rest_start = offset if end < 0 else end
    before, above = _above(text[start:offset], lexis)
    after = (*lexemes(text[offset:rest_start], lexis), *_lexemes(text[rest_start : rest_start + BELOW], lexis))
    return Uses(before, above, contexts(after))


_lexemes = lru_cache(maxsize=4)(lexemes)
"""Cached, as the text below the cursor's line stays the same while the line is typed."""


@lru_cache(maxsize=4)  # the text above a word stays the same while the word is typed
def _above(text: str, lexis: Lexis) -> tuple[Sequence[str], TextContexts]:
    """The lexemes of a text, and its names and their contexts."""
    before = lexemes(text, lexis)
    return before, contexts(before)
