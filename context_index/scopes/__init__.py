"""Names visible at an offset, from the syntax tree alone.

Knows nothing of types, other files or globals: a tree goes in, names come out. Where tree-sitter recovers from an
error, the recovered scopes are used as they stand; blocks that were opened and never closed stay open.
Work is done for the scopes around the offset only, once per tree.
"""

from __future__ import annotations

from context_index.scopes import javascript, python
from context_index.scopes.binding import STAND_IN, Binding, Scope
from context_index.symbols import Name
from context_index.syntax import Syntax
from context_index.text import Edit

__all__ = ["Binding", "Scope", "caveats_at", "names_at", "scopes_at"]


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first."""
    syntax = _completed(syntax, offset)
    if syntax.language.is_python:
        return python.scopes_at(syntax, offset)
    return javascript.scopes_at(syntax, offset)


def names_at(syntax: Syntax, offset: int) -> dict[str, Name]:
    """The names that may be used at an offset, nearest first; an inner declaration hides an outer one."""
    names: dict[str, Name] = {}
    later = False
    being_defined: set[str] = set()
    place = _word_start(syntax.document.text, offset)
    for distance, scope in enumerate(scopes_at(syntax, offset)):
        for text, binding in scope.bindings.items():
            hiding = names.get(text)
            if hiding is None or (hiding.is_type and not binding.is_type):
                before = not later and (place < binding.ready or text in being_defined)
                names[text] = binding.name(distance, before_declaration=before)
        later = later or scope.runs_later
        being_defined |= scope.defines
    names.pop(STAND_IN, None)
    return names


def caveats_at(syntax: Syntax, offset: int) -> tuple[str, ...]:
    """Why there may be more names than `names_at` can tell: star imports, `with` in JavaScript."""
    return tuple(dict.fromkeys(caveat for scope in scopes_at(syntax, offset) for caveat in scope.caveats))


def _completed(syntax: Syntax, offset: int) -> Syntax:
    """The syntax with a name put at the offset, if the text is broken, no word stands there and it helps."""
    document = syntax.document
    word = _is_word(document.text[max(offset - 1, 0) : offset]) or _is_word(document.text[offset : offset + 1])
    if word or not syntax.root.has_error:
        return syntax
    known = syntax.memo.get((offset, "completed"))
    if not isinstance(known, Syntax):
        edits = [Edit(offset, offset, STAND_IN)]
        known = syntax.edited(document.edited(edits, document.revision), edits)
        known = known if known.errors <= syntax.errors else syntax
        syntax.memo[offset, "completed"] = known
    return known


def _is_word(character: str) -> bool:
    return character.isalnum() or character in {"_", "$"}


def _word_start(text: str, offset: int) -> int:
    while offset > 0 and _is_word(text[offset - 1]):
        offset -= 1
    return offset
