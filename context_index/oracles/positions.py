"""Which question to a type checker fits the place of a cursor."""

from __future__ import annotations

import re

from context_index.cursor import Cursor, CursorKind
from context_index.oracles.typescript import OF_OBJECTS
from context_index.symbols import Language, Position
from context_index.text import Document

_FIXTURE = re.compile(r"@[\w.]*fixture\b(?:\((?:[^()]|\([^()]*\))*\))?\s*(?:async\s+)?$")
"""Behind it a function is defined that gives something to tests, and may be given something itself."""
_REACH = 400
"""Characters before a function in which such a decorator begins."""
_QUOTES = "'\"`"


def position_at(document: Document, cursor: Cursor) -> tuple[Position, int] | None:
    """What may be asked there, and the offset at which the name, or what is in quotes, begins; None for no question."""
    start = cursor.offset - len(cursor.word)
    python = document.language is Language.PYTHON
    match cursor.kind:
        case CursorKind.MEMBER:
            return Position.MEMBER, start
        case CursorKind.IMPORTED_NAME:
            return Position.IMPORTED_NAME, start
        case CursorKind.IMPORT_PATH:
            return Position.MODULE, start
        case CursorKind.OBJECT_KEY if cursor.callee:
            return Position.PROP, start
        case CursorKind.OBJECT_KEY if not python:
            return Position.OBJECT_KEY, start
        case CursorKind.ARGUMENT if python:
            return Position.KEYWORD_ARGUMENT, start
        case CursorKind.NAME if cursor.defines and _is_given_fixtures(document.text, start, cursor.defines):
            return Position.FIXTURE, start
        case CursorKind.STRING:
            return _in_string(document.text, cursor.offset)
    return None


def of_every_object(language: Language) -> frozenset[str]:
    """The members that every object has, as Python's own `object` says, and TypeScript's `Object`."""
    return frozenset(dir(object)) if language.is_python else frozenset(OF_OBJECTS)


def _is_given_fixtures(text: str, offset: int, function: str) -> bool:
    """Whether pytest calls the function whose parameters an offset is among."""
    if function.startswith("test"):
        return True
    place = text.rfind("def", 0, text.rfind(function, 0, offset))
    return _FIXTURE.search(text[max(place - _REACH, 0) : place]) is not None


def _in_string(text: str, offset: int) -> tuple[Position, int] | None:
    """The string that an offset is in begins in the same line: others are not names of anything."""
    line = text.rfind("\n", 0, offset) + 1
    opening = max(text.rfind(quote, line, offset) for quote in _QUOTES)
    if opening < 0:
        return None
    before = text[line:opening].rstrip()
    return (Position.SUBSCRIPT if before.endswith("[") else Position.LITERAL), opening + 1
