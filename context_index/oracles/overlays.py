"""Putting a name, or nothing, where a checker shall look."""

from __future__ import annotations

import re

from context_index.oracles.protocol import Overlay
from context_index.symbols import Position

IN_QUOTES = frozenset({Position.SUBSCRIPT, Position.LITERAL})
"""Positions that are always within a string."""
_REST_OF_NAME = re.compile(r"[\w$]*")
_REST_OF_STRING = re.compile(r"[^'\"`\r\n]*")
_QUOTES = "'\"`"


def filled(text: str, offset: int, name: str, position: Position, *, behind: str = "") -> Overlay:
    """The text with `name` in place of what stands at `offset`, asked about before it.

    A string that is not closed is closed: the rest of the line is not meant to be in it.
    `behind` is put behind the name, or behind the string that it is in.
    """
    quote = open_quote(text, offset, position)
    if quote is None:
        end = word_end(text, offset)
        return Overlay(text[:offset] + name + behind + text[end:], offset)
    found = _REST_OF_STRING.match(text, offset)
    end = found.end() if found is not None else offset
    if not text.startswith(quote, end):
        return Overlay(text[:offset] + name + quote + behind + text[offset:], offset)
    end += len(quote)
    return Overlay(text[:offset] + name + quote + behind + text[end:], offset)


def open_quote(text: str, offset: int, position: Position) -> str | None:
    """The quote that opens the string in which a name at `offset` is; None where it is in none."""
    if position in IN_QUOTES or (position is Position.OBJECT_KEY and text[offset - 1 : offset] in tuple(_QUOTES)):
        return text[offset - 1 : offset] if text[offset - 1 : offset] in tuple(_QUOTES) else None
    if position is not Position.MODULE:
        return None
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    last = max(line.rfind(quote) for quote in _QUOTES)
    return line[last] if last >= 0 else None


def word_end(text: str, offset: int) -> int:
    """Where the name ends that an offset is in, or before."""
    found = _REST_OF_NAME.match(text, offset)
    return offset if found is None else found.end()


def line_end(text: str, offset: int) -> int:
    """Where the line at an offset ends."""
    ends = [end for end in (text.find("\n", offset), text.find("\r", offset)) if end >= 0]
    return min(ends, default=len(text))
