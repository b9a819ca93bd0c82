"""Places at which something is to be said: what stood there was taken out.

Half of them behind a part of a line, whose rest is missing; half on a line of its own that is missing whole, behind its
indentation, where the file parses without it. What was taken out has a word in it. Comments and strings are left out,
and so is the middle of an operator, where nobody asks. At a place where all is written already, silence would be right,
and its share would say nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.batch_positions import COMMENT, Place, fit_text
from context_index import CursorKind, Document, Position, cursor_at, language_of, parse

KINDS = ("rest of line", "line")
_CUT = re.compile(r"(?<=[\s.(\[{,])(?=[\w$'\"\[({])")
_WORD = re.compile(r"[^\W\d]{2}")
_PASSED_OVER = frozenset([CursorKind.COMMENT, CursorKind.STRING, CursorKind.IMPORT_PATH])
_TRIES = 8
"""Lines looked at for each place that is wanted of a file."""


@dataclass(frozen=True, slots=True)
class Gap(Place):
    """A place, and what stood there."""

    original: str


def drawn(paths: Sequence[Path], language: str, seed: int, each: int = 1) -> Iterator[Gap]:
    """At most `each` places of each file, files in the order of chance."""
    for number, path in enumerate(ordered(paths, seed)):
        yield from gaps(path, language, seed, number, each)


def ordered(paths: Sequence[Path], seed: int) -> list[Path]:
    """The files in the order of chance."""
    return random.Random(seed).sample(paths, len(paths))  # noqa: S311 - a reproducible order


def gaps(path: Path, language: str, seed: int, number: int, each: int) -> list[Gap]:
    """Places of the file with a number in that order, in lines of their own, the kinds in turn."""
    text = fit_text(path)
    if text is None:
        return []
    draw = random.Random(f"{seed} {number}")  # noqa: S311 - of one file, so that others may be passed over
    return list(islice(_gaps(path, language, text, number, draw), each))


def _gaps(path: Path, language: str, text: str, number: int, draw: random.Random) -> Iterator[Gap]:
    lines = text.split("\n")
    worthy = [line for line, words in enumerate(lines) if _WORD.search(words) and not _is_comment(words)]
    tries = iter(draw.sample(worthy, len(worthy)))
    turn = number
    while tried := list(islice(tries, _TRIES)):
        kind = KINDS[turn % len(KINDS)]
        for line in tried:
            column = _column(lines[line].rstrip(), kind, draw)
            if column is None:
                continue
            left = "\n".join([*lines[:line], lines[line][:column], *lines[line + 1 :]])
            gap = Gap(path, kind, language, Position(line, column), left, lines[line][column:].rstrip())
            if _is_asked(gap, text):
                yield gap
                turn += 1
                break
        else:
            return


def _column(line: str, kind: str, draw: random.Random) -> int | None:
    """From where on the line is taken out; None where it has no such place."""
    indentation = len(line) - len(line.lstrip())
    if kind == "line":
        return indentation
    cuts = [match.start() for match in _CUT.finditer(line, indentation + 1) if _WORD.search(line, match.start())]
    return draw.choice(cuts) if cuts else None


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENT)


def _is_asked(place: Place, original: str) -> bool:
    """Whether it is in code, and the file without a whole line has no more errors than with it."""
    language = language_of(place.path.name)
    if language is None:
        return False
    syntax = parse(Document(place.path.as_uri(), language, place.text))
    offset = syntax.document.offset(place.position)
    if cursor_at(syntax, offset).kind in _PASSED_OVER:
        return False
    return place.kind != "line" or syntax.errors <= parse(Document(place.path.as_uri(), language, original)).errors
