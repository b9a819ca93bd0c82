"""Asks a checker for completions where a member, a key, a literal, an argument's name or an import is being typed.

The checker is asked about the document without the half-typed word, so that one answer serves for the whole word. This
module knows at which places a checker has something to list; only the checker knows what may stand there.
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
"""A name that is written for the checker at the place, where the parser needs one: after `super().`, and as a JSX
attribute before a closing tag."""
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
"""The kind of a name by the kind of the checker's item; any other item is a property."""


@dataclass(frozen=True, slots=True)
class CompletionQuestion:
    """What a checker is asked about a place at which it has something to list."""

    kind: CursorKind
    document: Document
    """The document without the half-typed word around the cursor; `Checker.ask` shows it to the checker."""
    start: int
    """The offset of that word in the editor's document."""
    places: tuple[int, ...]
    """The offsets in `document` at which the checker is asked; only what it lists at all of them counts."""
    quote: str = ""
    """The quote that is written around each completion; empty if it is written without."""

    def ask(self, query: Query, *, typed: bool = False) -> tuple[CheckerCompletion, ...]:
        """What the checker lists, in its own order, each name once.

        Args:
            query: Asks about `document`.
            typed: Whether each completion must have its type, for which the checker may have to be asked once more.
        """
        first, *others = self.places
        listed = self._listed(query, first, typed=typed)
        for place in others:
            also_listed = self._listed(query, place, typed=False)
            listed = {name: completion for name, completion in listed.items() if name in also_listed}
        asks_for_bases = bool(others)  # of `super()`, which has the members of `object`
        of_every_object = self.document.language.record.of_every_object
        if self.kind is CursorKind.MEMBER and not asks_for_bases and listed.keys() <= of_every_object:
            return ()  # ty lists no more where it does not know the type
        return tuple(listed.values())

    def _listed(self, query: Query, place: int, *, typed: bool) -> dict[str, CheckerCompletion]:
        """What the checker lists at a place, by name."""
        listed: dict[str, CheckerCompletion] = {}
        for item in query.completions(place, typed=typed):
            is_available = not item.is_import or self.document.language.record.checker.lists_imports
            if is_available and self._is_wanted(item) and (completion := self._completion(item, place)).text:
                listed.setdefault(completion.text, completion)
        return listed

    def _is_wanted(self, item: Item) -> bool:
        """Whether an item may stand at the place; some checkers also list whatever an expression may begin with."""
        keys_are_values = self.document.language.record.keys_are_values
        match self.kind:
            case CursorKind.ARGUMENT if self.document.language.record.has_keyword_arguments:
                return item.written.endswith("=")
            case CursorKind.OBJECT_KEY if not keys_are_values:
                return item.kind in _KEYS and item.written == item.name  # `size` that inserts `this.size` is a value
            case CursorKind.STRING | CursorKind.OBJECT_KEY | CursorKind.SUBSCRIPT:
                return item.kind == ItemKind.VALUE if keys_are_values else item.kind != ItemKind.TEXT
            case CursorKind.TAG:
                return item.kind in _KEYS  # HTML elements; components are names in scope
        return item.kind not in _NO_NAMES

    def _completion(self, item: Item, place: int) -> CheckerCompletion:
        """The completion that an item stands for; its `reach` is how far before the place it replaces text.

        One that also replaces the dot, such as `?.total` for `cart.|`, is found by what is typed: its name, `total`.
        """
        reach = 0 if item.start is None else max(place - item.start, 0)
        name = item.name if reach else item.written
        is_keyword = self.kind is CursorKind.ARGUMENT and self.document.language.record.has_keyword_arguments
        kind = NameKind.PARAMETER if is_keyword else _KINDS.get(item.kind, NameKind.PROPERTY)
        written = f"{self.quote}{item.written}{self.quote}"
        return CheckerCompletion(name, kind, written, reach, item.detail, item.documentation, item.commit)


def question_at(syntax: Syntax, cursor: Cursor, brought: Edit | None = None) -> CompletionQuestion | None:
    """What a checker is asked at a cursor; None if it could list no more than the names in scope.

    Args:
        brought: The edit that adds an import, if the checker is asked about the document with this import.
    """
    document, record = syntax.document, syntax.document.language.record
    text, start, end = document.text, cursor.offset - len(cursor.word), cursor.offset
    match cursor.kind:
        case CursorKind.MEMBER | CursorKind.IMPORTED_NAME | CursorKind.IMPORT_PATH | CursorKind.OBJECT_KEY:
            end = word_end(text, end)
        case CursorKind.TAG | CursorKind.CLOSING_TAG | CursorKind.SUBSCRIPT:
            end = word_end(text, end)
        case CursorKind.ARGUMENT if record.has_keyword_arguments and not text[:start].rstrip().endswith("="):
            end = word_end(text, end)
        case CursorKind.STRING if (opening := _opening_quote(text, cursor.offset)) is not None:
            start, end = opening + 1, cursor.offset + rest_of_string(text, cursor.offset)
        case CursorKind.NAME | CursorKind.ARGUMENT | CursorKind.BLANK_LINE if "scopes" not in record.parts:
            return CompletionQuestion(cursor.kind, document, start, (end,))  # only the checker knows the names
        case _:
            return None
    is_key = record.keys_are_values and cursor.kind in {CursorKind.OBJECT_KEY, CursorKind.SUBSCRIPT}
    quote = _quote(syntax, start) if is_key else ""
    if record.has_super_calls and cursor.receiver is not None and cursor.receiver.text == _SUPER:
        named = Edit(start, end, _NAME)
        of_bases = base_members(syntax.edited(document.edited([named], document.revision), [named]), start)
        if of_bases is not None:
            shown, places = of_bases
            return CompletionQuestion(cursor.kind, shown, start, places)
    fence = _fence(cursor.kind, text[end:], record)
    edits, place = [Edit(start, end, quote * 2 + fence)], start + len(quote)
    if brought is not None:
        is_above = brought.start <= start
        edits.insert(1 if is_above else 0, brought)  # the edit that is further down comes first, as it moves nothing
        place += len(brought.text) * is_above
    shown = document.edited(edits, document.revision)
    return CompletionQuestion(cursor.kind, shown, start, (place,), quote)


def _quote(syntax: Syntax, offset: int) -> str:
    """The quote that the file uses most; inside of a formatted string with this quote, the other one."""
    text = syntax.document.text
    usual, other = ('"', "'") if text.count('"') >= text.count("'") else ("'", '"')
    string = next((node for node in ancestors(syntax.node_at(offset, offset)) if node.type == "string"), None)
    return other if string is not None and syntax.text(string.children[0]).endswith(usual) else usual


def _fence(kind: CursorKind, after: str, record: LanguageRecord) -> str:
    """What is written after a place, so that the checker does not take the text after it for what is being typed."""
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
    # Python's brackets go on over lines: `f(|` with `total = 1` on the line below is `f(total = 1`
    return ")" if record.is_indented and _WORD_FOLLOWS.match(after) else ""


def _opening_quote(text: str, offset: int) -> int | None:
    """The offset of the last quote before an offset on its line; None if there is none.

    A string that begins on an earlier line is prose, so that a checker has nothing to list in it.
    """
    line = text.rfind("\n", 0, offset) + 1
    opening = max(text.rfind(quote, line, offset) for quote in _QUOTES)
    return opening if opening >= 0 else None
