"""Holes in real files, in the form in which an editor asks for completions.

A third of the holes are in files that are otherwise finished. Half of this third are the rest of a line from any
column, some are a run inside a line, and a third are whole statements and blocks. The other holes are in files that are
still being written: the rest of the innermost block is gone as well, or everything below. These holes mostly begin
where people pause, at line starts and ends of words, and end with the line, the statement or the block. The brackets
that the last lines above open are closed after the cursor, as an editor closes them.

A half-typed word is moved from the prefix into the hole, as it is in prompts (`decoder.prompt.healing`), so that the
model learns to begin with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from decoder.prompt.healing import heal

_WINDOWS = (240, 1_700)
"""The least and the most characters of a window; the most still fits the shipped model's context."""
_FINISHED, _BLOCK_GONE = 1 / 3, 2 / 3
"""Cumulative shares of the states of a file: finished, and without the rest of the block. In all others everything
below is gone."""
_REST_OF_LINE, _RUN = 0.5, 0.65
"""Cumulative shares of the holes in finished files: rests of lines, and runs inside a line. All others are blocks."""
_LINE_START, _WORD_END = 0.35, 0.75
"""Cumulative shares of where holes in unfinished files begin: line starts, ends of words. All others begin anywhere."""
_LINE, _STATEMENT = 0.55, 0.75
"""Cumulative shares of what holes in unfinished files end with: line, statement. All others end with the block."""
_LONGEST_RUN = 24
"""The most characters of a run inside a line."""
_LONGEST_BLOCK = 8
"""The most lines of a block."""
_LONGEST_STRETCH = 10
"""The most lines above the cursor's that somebody has just typed."""
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


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
    state = draw.random()
    if state < _FINISHED:
        start, stop = _in_finished(text, draw)
        below = text[stop:]
    else:
        start, stop = _in_unfinished(text, draw)
        stretch = _stretch(text, start, draw)
        closed = [pair for pair in _pairs(text) if stretch <= pair[0] < start <= pair[1]]
        stop = min([stop, *(closer for _, closer in closed)])
        below = "".join(_closing(text, opener, start) for opener, _ in closed)
        if state < _BLOCK_GONE:
            below += text[_block_end(text, stretch, max([stop, *(closer + 1 for _, closer in closed)])) :]
    healed = heal(text[:start])
    return Hole(healed.prefix, healed.word + text[start:stop].rstrip("\n"), below)


def _in_finished(text: str, draw: random.Random) -> tuple[int, int]:
    """The span of a hole in a file that is otherwise finished."""
    kind = draw.random()
    place = draw.randrange(len(text))
    if kind < _REST_OF_LINE:
        return place, _line_end(text, place)
    if kind < _RUN:
        return place, min(place + 1 + draw.randrange(_LONGEST_RUN), _line_end(text, place))
    return _block(text, place, draw.randint(1, _LONGEST_BLOCK))


def _in_unfinished(text: str, draw: random.Random) -> tuple[int, int]:
    """The span of a hole in a file that is still being written."""
    start, kind = draw.randrange(len(text)), draw.random()
    if kind < _LINE_START:
        start = _content_start(text, start)
    elif kind < _WORD_END:
        while start < len(text) and text[start].isalnum():
            start += 1
    kind = draw.random()
    if kind < _LINE:
        return start, _line_end(text, start)
    _, stop = _block(text, start, _LONGEST_BLOCK, statements=1 if kind < _STATEMENT else _LONGEST_BLOCK)
    return start, max(start, stop)


def _stretch(text: str, place: int, draw: random.Random) -> int:
    """Where somebody began to type, some lines above a place, in the same statement of the top level."""
    start = _line_start(text, place)
    for _ in range(draw.randrange(_LONGEST_STRETCH + 1)):
        above = _line_start(text, max(0, start - 1))
        if _depth(text, _content_start(text, above)) == 0 and _content_start(text, above) < start - 1:
            break
        start = above
    return start


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    """The brackets that belong together, by where they are, the inner before the outer.

    Brackets in strings and comments count, too: a hole that they spoil is one of many.
    """
    opened: list[int] = []
    for at, character in enumerate(text):
        if character in _CLOSERS:
            opened.append(at)
        elif opened and character == _CLOSERS[text[opened[-1]]]:
            yield opened.pop(), at


def _closing(text: str, opener: int, place: int) -> str:
    """A closer as an editor leaves it: on a line of its own once the line is broken right after its opener."""
    closer = _CLOSERS[text[opener]]
    if "\n" not in text[opener:place] or text[opener + 1 : _line_end(text, opener)].strip():
        return closer
    return "\n" + text[_line_start(text, opener) : _content_start(text, opener)] + closer


def _block_end(text: str, stretch: int, stop: int) -> int:
    """The end of the last line, from `stop` on, before one that is indented less than that of `stretch`."""
    depth = _depth(text, _content_start(text, stretch))
    end = _line_end(text, stop)
    while end < len(text):
        following = _content_start(text, end + 1)
        if following < _line_end(text, end + 1) and _depth(text, following) < depth:
            break
        end = _line_end(text, end + 1)
    return end


def _block(text: str, place: int, most: int, *, statements: int = _LONGEST_BLOCK) -> tuple[int, int]:
    """From a line's first character to the end of the lines that are indented as deep, or of the first few.

    Args:
        most: The most lines.
        statements: The most statements with the indentation of the first line. Lines that are indented deeper, and a
            closer below them, belong to the statement above.
    """
    start = _content_start(text, place)
    depth, stop = _depth(text, start), _line_end(text, start)
    for _ in range(most - 1):
        following = _content_start(text, stop + 1)
        is_blank = following >= _line_end(text, stop + 1)
        if stop >= len(text) or (not is_blank and _depth(text, following) < depth):
            break
        if not is_blank and _depth(text, following) == depth and text[following] not in _CLOSERS.values():
            statements -= 1
            if not statements:
                break
        stop = _line_end(text, stop + 1)
    return start, start + len(text[start:stop].rstrip())


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _content_start(text: str, place: int) -> int:
    """The first character of a place's line that is no blank; the line's end where there is none."""
    start = _line_start(text, place)
    line = text[start : _line_end(text, start)]
    return start + len(line) - len(line.lstrip())


def _depth(text: str, content: int) -> int:
    return content - _line_start(text, content)
