"""What a checker lists where a member, a key, a literal, an argument's name or an import is being typed.

It is asked about the text without what is typed of it, so that one answer serves for the whole word. Knows at which
places there is something to ask; what may stand there only the checker knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from context_index.checkers.answers import Item, ItemKind
from context_index.checkers.base_members import base_members
from context_index.checkers.query import Query
from context_index.cursor import Cursor, CursorKind
from context_index.languages.record import LanguageRecord
from context_index.symbols import CheckerCompletion, NameKind, word_end
from context_index.syntax import Syntax, ancestors
from context_index.text import Document, Edit
from context_index.typed_import import rest_of_string

_QUOTES = "'\"`"
_WORD_FOLLOWS = re.compile(r"\s*\w")
_NAME = "_"
"""Typed for the checker where nothing is typed. As a member of what is being typed in Python, it has what follows read
as after a whole name; as an attribute it is needed where the next sign closes the element around."""
_SUPER = "super"
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
    """Where that began, in the document as it is."""
    places: tuple[int, ...]
    """Where the checker is asked; what it lists at all of them counts."""
    quote: str = ""
    """What a text is written in; empty where it is written as it is."""

    def ask(self, asked: Query, *, typed: bool = False) -> tuple[CheckerCompletion, ...]:
        """What the checker lists, in its own order; `typed` where each is to have its type at once."""
        first, *others = self.places
        found = self._listed(asked, first, typed=typed)
        for place in others:
            also = self._listed(asked, place, typed=False)
            found = {name: one for name, one in found.items() if name in also}
        is_of_bases = bool(others)
        if self.kind is CursorKind.MEMBER and not is_of_bases and all(name.startswith("__") for name in found):
            return ()  # what every object of Python has: nothing is known of this one
        return tuple(found.values())

    def _listed(self, asked: Query, place: int, *, typed: bool) -> dict[str, CheckerCompletion]:
        found: dict[str, CheckerCompletion] = {}
        for item in asked.completions(place, typed=typed):
            is_given = not item.is_import or self.document.language.record.checker.lists_imports
            if is_given and self._is_wanted(item) and (one := self._completion(item, place)).text:
                found.setdefault(one.text, one)
        return found

    def _is_wanted(self, item: Item) -> bool:
        """Whether an item is what is asked for; where it is not, some checkers list whatever an expression may be."""
        keys_are_values = self.document.language.record.keys_are_values
        match self.kind:
            case CursorKind.ARGUMENT if self.document.language.record.has_keyword_arguments:
                return item.written.endswith("=")
            case CursorKind.OBJECT_KEY if not keys_are_values:
                return item.kind in _KEYS and item.written == item.name  # `size` that writes `this.size` is a value
            case CursorKind.STRING | CursorKind.OBJECT_KEY | CursorKind.SUBSCRIPT:
                return item.kind == ItemKind.VALUE if keys_are_values else item.kind != ItemKind.TEXT
            case CursorKind.TAG:
                return item.kind in _KEYS  # elements of the platform; components are in scope
        return item.kind not in _NO_NAMES

    def _completion(self, item: Item, place: int) -> CheckerCompletion:
        reach = 0 if item.start is None else max(place - item.start, 0)
        name = item.name if reach else item.written
        written_name = self.kind is CursorKind.ARGUMENT and self.document.language.record.has_keyword_arguments
        kind = NameKind.PARAMETER if written_name else _KINDS.get(item.kind, NameKind.PROPERTY)
        written = f"{self.quote}{item.written}{self.quote}"
        return CheckerCompletion(name, kind, written, reach, item.detail, item.documentation, item.commit)


def question_at(syntax: Syntax, cursor: Cursor, brought: Edit | None = None) -> CompletionQuestion | None:
    """What a checker is asked at a cursor; None where it has nothing to list but what is in scope.

    Args:
        brought: An import with which it is asked.
    """
    document = syntax.document
    text, record = document.text, document.language.record
    start, end = cursor.offset - len(cursor.word), cursor.offset
    match cursor.kind:
        case CursorKind.MEMBER | CursorKind.IMPORTED_NAME | CursorKind.IMPORT_PATH | CursorKind.OBJECT_KEY:
            pass
        case CursorKind.TAG | CursorKind.CLOSING_TAG | CursorKind.SUBSCRIPT:
            pass
        case CursorKind.ARGUMENT if record.has_keyword_arguments and not text[:start].rstrip().endswith("="):
            pass
        case CursorKind.STRING if (opening := _opening_quote(text, cursor.offset)) is not None:
            start, end = opening + 1, cursor.offset + rest_of_string(text, cursor.offset)
        case CursorKind.NAME | CursorKind.ARGUMENT | CursorKind.BLANK_LINE if "scopes" not in record.parts:
            return CompletionQuestion(cursor.kind, document, start, (end,))  # only the checker knows the names
        case _:
            return None
    if cursor.kind is not CursorKind.STRING:
        end = word_end(text, end)
    is_key = record.keys_are_values and cursor.kind in {CursorKind.OBJECT_KEY, CursorKind.SUBSCRIPT}
    quote = _quote(syntax, start) if is_key else ""
    if record.has_super_calls and cursor.receiver is not None and cursor.receiver.text == _SUPER:
        whole = Edit(start, end, _NAME)
        bases = base_members(syntax.edited(document.edited([whole], document.revision), [whole]), start)
        if bases is not None:
            return CompletionQuestion(cursor.kind, bases[0], start, bases[1])
    fence = _fence(cursor.kind, text[end:], record)
    edits, place = [Edit(start, end, quote * 2 + fence)], start + len(quote)
    if brought is not None:
        is_above = brought.start <= start
        edits.insert(1 if is_above else 0, brought)  # from the end on
        place += len(brought.text) * is_above
    shown = document.edited(edits, document.revision)
    return CompletionQuestion(cursor.kind, shown, start, (place,), quote)


def _quote(syntax: Syntax, offset: int) -> str:
    """The quote that the file uses most, and another one than that of a formatted string around an offset."""
    text = syntax.document.text
    usual, other = ('"', "'") if text.count('"') >= text.count("'") else ("'", '"')
    around = next((one for one in ancestors(syntax.node_at(offset, offset)) if one.type == "string"), None)
    return other if around is not None and syntax.text(around.children[0]).endswith(usual) else usual


def _fence(kind: CursorKind, after: str, record: LanguageRecord) -> str:
    """What keeps a checker from reading on in the text after a place, as if it were what is being typed."""
    match kind:
        case CursorKind.STRING:
            return ""
        case CursorKind.MEMBER if record.checker.member_fence:
            return record.checker.member_fence
        case CursorKind.SUBSCRIPT:
            return "" if "]" in after.partition("\n")[0] else "]"
        case CursorKind.OBJECT_KEY:
            return f"{_NAME} " if record.has_jsx and after.lstrip().startswith("</") else ""
        case CursorKind.CLOSING_TAG:
            return "" if after.startswith(">") else ">"
    return ")" if record.is_indented and _WORD_FOLLOWS.match(after) else ""


def _opening_quote(text: str, offset: int) -> int | None:
    """Where the string that an offset is in begins, if it begins in the same line: others are not names of anything."""
    line = text.rfind("\n", 0, offset) + 1
    opening = max(text.rfind(quote, line, offset) for quote in _QUOTES)
    return opening if opening >= 0 else None
