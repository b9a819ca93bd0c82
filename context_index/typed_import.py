"""The import whose module is being typed: its names, and what of its specifier is written.

The text is parsed with a stand-in for the module that is typed, so that the parser sees a whole statement.
"""

from __future__ import annotations

from dataclasses import dataclass

from context_index.cursor import Cursor, CursorKind
from context_index.exports import Import, Imported, exports_of, imports_of
from context_index.symbols import word_end
from context_index.syntax import Syntax
from context_index.text import Edit
from context_index.tokens import closers, open_brackets

_STAND_IN = "_module_being_typed"
_QUOTES = ("'", '"', "`")


@dataclass(frozen=True, slots=True)
class TypedImport:
    """An import without its module."""

    typed: str
    """What is written of the specifier before the cursor."""
    names: tuple[Imported, ...]
    others: tuple[Import, ...]
    """The other imports of the file."""


def typed_import(syntax: Syntax, cursor: Cursor) -> TypedImport | None:
    """The import whose module is typed at a cursor; None where there is none, or it has no names yet."""
    text, start = syntax.document.text, cursor.offset - len(cursor.module)
    if cursor.kind is not CursorKind.IMPORT_PATH or text[start : cursor.offset] != cursor.module:
        return None
    has_quotes = syntax.language.record.specifiers_are_paths
    if not has_quotes:
        edit = Edit(start, word_end(text, cursor.offset), _STAND_IN)
    else:
        quote, rest = text[start - 1 : start], rest_of_string(text, cursor.offset)
        closing = "" if rest or text[cursor.offset : cursor.offset + 1] == quote else quote
        closing += closers(reversed(open_brackets(syntax, start - 1))) if closing else ""
        edit = Edit(start, cursor.offset + rest, _STAND_IN + closing)
    whole = syntax.edited(syntax.document.edited([edit], syntax.document.revision), [edit])
    imports = imports_of(whole)
    names = [name for statement in imports if statement.module == _STAND_IN for name in statement.names]
    if has_quotes:  # `export {name} from ''`
        sources = (export.source for export in exports_of(whole, imports).own if export.source is not None)
        names += [Imported(source.name, source.name) for source in sources if source.module == _STAND_IN]
    others = tuple(statement for statement in imports if statement.module != _STAND_IN)
    return TypedImport(cursor.module, tuple(dict.fromkeys(names)), others) if names else None


def rest_of_string(text: str, offset: int) -> int:
    """Characters from an offset to the quote that closes the string that it is in; 0 where its line has none."""
    places = [end for sign in (*_QUOTES, "\r", "\n") if (end := text.find(sign, offset)) >= 0]
    end = min(places, default=offset)
    return end - offset if text[end : end + 1] in _QUOTES else 0
