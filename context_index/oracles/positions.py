"""Which question to a type checker fits the place of a cursor."""

from __future__ import annotations

from context_index.cursor import Cursor, CursorKind
from context_index.symbols import Language, Position
from context_index.text import Document

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
        case CursorKind.STRING:
            return _in_string(document.text, cursor.offset)
    return None


def _in_string(text: str, offset: int) -> tuple[Position, int] | None:
    """The string that an offset is in begins in the same line: others are not names of anything."""
    line = text.rfind("\n", 0, offset) + 1
    opening = max(text.rfind(quote, line, offset) for quote in _QUOTES)
    if opening < 0:
        return None
    before = text[line:opening].rstrip()
    return (Position.SUBSCRIPT if before.endswith("[") else Position.LITERAL), opening + 1
