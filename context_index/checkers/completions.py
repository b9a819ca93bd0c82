"""What a checker lists where a member, a key, a literal, an argument's name or an import is being typed.

It is asked about the text without what is typed of it, so that one answer serves for the whole word. Knows at which
places there is something to ask; what may stand there only the checker knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from context_index.checkers.answers import Item, ItemKind
from context_index.checkers.query import Query
from context_index.cursor import Cursor, CursorKind
from context_index.symbols import Completion, NameKind, word_end
from context_index.syntax import parse
from context_index.text import Document, Edit

_QUOTES = "'\"`"
_WORD_FOLLOWS = re.compile(r"\s*\w")
_CLAUSE = "for_in_clause"
"""What a comprehension goes on with in Python, as a checker reads it, too."""
_KEYS = frozenset({ItemKind.METHOD, ItemKind.FIELD, ItemKind.PROPERTY})
_NO_NAMES = frozenset({ItemKind.TEXT, ItemKind.KEYWORD})
_KINDS: Mapping[int, NameKind] = {
    ItemKind.METHOD: NameKind.METHOD,
    ItemKind.FUNCTION: NameKind.FUNCTION,
    ItemKind.CONSTRUCTOR: NameKind.CLASS,
    ItemKind.VARIABLE: NameKind.VARIABLE,
    ItemKind.CLASS: NameKind.CLASS,
    ItemKind.INTERFACE: NameKind.INTERFACE,
    ItemKind.MODULE: NameKind.MODULE,
    ItemKind.VALUE: NameKind.CONSTANT,
    ItemKind.ENUM: NameKind.ENUM,
    ItemKind.FILE: NameKind.MODULE,
    ItemKind.FOLDER: NameKind.MODULE,
    ItemKind.ENUM_MEMBER: NameKind.ENUM_MEMBER,
    ItemKind.CONSTANT: NameKind.CONSTANT,
    ItemKind.TYPE_PARAMETER: NameKind.TYPE_PARAMETER,
}
"""Any other kind is a property."""


@dataclass(frozen=True, slots=True)
class CompletionQuestion:
    """A place at which a checker has something to list."""

    kind: CursorKind
    document: Document
    """Without what is typed there, before and after the cursor."""
    start: int
    """Where that began."""

    def ask(self, asked: Query, *, typed: bool = False) -> tuple[Completion, ...]:
        """What the checker lists, in its own order; `typed` where each is to have its type at once."""
        found: dict[str, Completion] = {}
        for item in asked.completions(self.start, typed=typed):
            if not item.is_import and self._is_wanted(item) and (one := self._completion(item)).text:
                found.setdefault(one.text, one)
        if self.kind is CursorKind.MEMBER and all(name.startswith("__") for name in found):
            return ()  # what every object of Python has: nothing is known of this one
        return tuple(found.values())

    def _is_wanted(self, item: Item) -> bool:
        """Whether an item is what is asked for; where it is not, some checkers list whatever an expression may be."""
        is_python = self.document.language.is_python
        match self.kind:
            case CursorKind.ARGUMENT:
                return item.written.endswith("=")
            case CursorKind.OBJECT_KEY:
                return item.kind in _KEYS and item.written == item.name  # `size` that writes `this.size` is a value
            case CursorKind.STRING:
                return item.kind == ItemKind.VALUE if is_python else item.kind != ItemKind.TEXT
        return item.kind not in _NO_NAMES

    def _completion(self, item: Item) -> Completion:
        reach = 0 if item.start is None else max(self.start - item.start, 0)
        name = item.name if reach else item.written
        kind = NameKind.PARAMETER if self.kind is CursorKind.ARGUMENT else _KINDS.get(item.kind, NameKind.PROPERTY)
        return Completion(name, kind, item.written, reach, item.detail, item.documentation, item.commit)


def question_at(document: Document, cursor: Cursor) -> CompletionQuestion | None:
    """What a checker is asked at a cursor; None where it has nothing to list but what is in scope."""
    text, is_python = document.text, document.language.is_python
    start, end = cursor.offset - len(cursor.word), cursor.offset
    match cursor.kind:
        case CursorKind.MEMBER | CursorKind.IMPORTED_NAME | CursorKind.IMPORT_PATH:
            pass
        case CursorKind.OBJECT_KEY if not is_python:
            pass
        case CursorKind.ARGUMENT if is_python and not text[:start].rstrip().endswith("="):
            pass
        case CursorKind.STRING if (opening := _opening_quote(text, cursor.offset)) is not None:
            start, end = opening + 1, cursor.offset + rest_of_string(text, cursor.offset)
        case _:
            return None
    if cursor.kind is not CursorKind.STRING:
        end = word_end(text, end)
    shown = Document(document.uri, document.language, text[:start] + text[end:], document.revision)
    if is_python and cursor.kind is not CursorKind.STRING and _would_be_read_on(shown, start):
        shown = shown.edited([Edit(start, start, ")")], document.revision)
    return CompletionQuestion(cursor.kind, shown, start)


def _would_be_read_on(shown: Document, start: int) -> bool:
    """Whether a word that follows, on a line below, too, would be taken for what is being typed."""
    follows = _WORD_FOLLOWS.match(shown.text, start)
    if follows is None:
        return False
    around = parse(shown).node_at(follows.end() - 1, follows.end()).parent
    return around is None or around.type != _CLAUSE


def rest_of_string(text: str, offset: int) -> int:
    """Characters from an offset to the quote that closes the string that it is in; 0 where its line has none."""
    ends = [end for sign in (*_QUOTES, "\r", "\n") if (end := text.find(sign, offset)) >= 0]
    end = min(ends, default=offset)
    return end - offset if text[end : end + 1] in tuple(_QUOTES) else 0


def _opening_quote(text: str, offset: int) -> int | None:
    """Where the string that an offset is in begins, if it begins in the same line: others are not names of anything."""
    line = text.rfind("\n", 0, offset) + 1
    opening = max(text.rfind(quote, line, offset) for quote in _QUOTES)
    return opening if opening >= 0 else None
