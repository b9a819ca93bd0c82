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
from pathlib import Path

from benchmarks.batch_positions import COMMENT, Place, fit_text
from context_index import CursorKind, Document, Position, cursor_at, language_of, parse

KINDS = ("rest of line", "line")
_CUT = re.compile(r"(?<=[\s.(\[{,])(?=[\w$'\"\[({])")
_WORD = re.compile(r"[^\W\d]{2}")
_PASSED_OVER = frozenset([CursorKind.COMMENT, CursorKind.STRING, CursorKind.IMPORT_PATH])
_TRIES = 8


def drawn(paths: Sequence[Path], language: str, rng: random.Random) -> Iterator[Place]:
    """One place in each file that has one, the kinds in turn, files in the order of chance."""
    count = 0
    for path in rng.sample(paths, len(paths)):
        if place := _place(path, language, KINDS[count % len(KINDS)], rng):
            count += 1
            yield place


def _place(path: Path, language: str, kind: str, rng: random.Random) -> Place | None:
    text = fit_text(path)
    if text is None:
        return None
    lines = text.split("\n")
    worthy = [number for number, line in enumerate(lines) if _WORD.search(line) and not _is_comment(line)]
    for number in rng.sample(worthy, min(_TRIES, len(worthy))):
        line = lines[number].rstrip()
        indentation = len(line) - len(line.lstrip())
        cuts = [match.start() for match in _CUT.finditer(line, indentation + 1) if _WORD.search(line, match.start())]
        if kind == "rest of line" and not cuts:
            continue
        column = rng.choice(cuts) if kind == "rest of line" else indentation
        place = Place(path, kind, language, Position(number, column), "\n".join(_cut(lines, number, column)))
        if _is_asked(place, text):
            return place
    return None


def _cut(lines: Sequence[str], number: int, column: int) -> list[str]:
    return [*lines[:number], lines[number][:column], *lines[number + 1 :]]


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
