"""Holes in real files, in the form in which an editor asks for completions.

Half are the rest of a line from any column, as while typing; some are a run inside a line; a third are whole
statements and blocks, which end where the indentation or the closing brace ends them. A half-typed word is moved from
the prefix into the hole, as it is in prompts (`decoder.prompt.healing`), so that the model learns to begin with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from decoder.prompt.healing import heal

_WINDOWS = (240, 1_700)
"""The least and the most characters of a window; the most still fits the shipped model's context."""
_REST_OF_LINE, _RUN = 0.5, 0.65
"""Cumulative shares; the rest are blocks."""
_LONGEST_RUN = 24
_LONGEST_BLOCK = 8


@dataclass(frozen=True, slots=True)
class Hole:
    """A text with a piece taken out."""

    prefix: str
    middle: str
    suffix: str


def windows(text: str, draw: random.Random) -> Iterator[str]:
    """The text in pieces that end at line ends."""
    start = 0
    while start < len(text) - _WINDOWS[0] // 2:
        stop = start + draw.randint(*_WINDOWS)
        end = text.find("\n", stop)
        stop = len(text) if end < 0 or end - stop > _WINDOWS[0] else end + 1
        yield text[start:stop]
        start = stop


def hole(text: str, draw: random.Random) -> Hole:
    """One hole somewhere in the text."""
    kind = draw.random()
    place = draw.randrange(len(text))
    if kind < _REST_OF_LINE:
        start, stop = place, _line_end(text, place)
    elif kind < _RUN:
        start, stop = place, min(place + 1 + draw.randrange(_LONGEST_RUN), _line_end(text, place))
    else:
        start, stop = _block(text, place, draw)
    healed = heal(text[:start])
    return Hole(healed.prefix, healed.word + text[start:stop], text[stop:])


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _block(text: str, place: int, draw: random.Random) -> tuple[int, int]:
    """From a line's first character to the end of the lines that are indented as deep, or of the first few."""
    line_start = text.rfind("\n", 0, place) + 1
    line = text[line_start : _line_end(text, line_start)]
    depth = len(line) - len(line.lstrip())
    start = line_start + depth
    stop = _line_end(text, line_start)
    most = draw.randint(1, _LONGEST_BLOCK)
    for _ in range(most - 1):
        following = text[stop + 1 : _line_end(text, stop + 1)]
        if stop >= len(text) or (following.strip() and len(following) - len(following.lstrip()) < depth):
            break
        stop = _line_end(text, stop + 1)
    return start, start + len(text[start:stop].rstrip())
