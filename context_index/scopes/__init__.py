"""Names visible at an offset, from the syntax tree alone.

Knows nothing of types, other files or globals: a tree goes in, names come out. Where tree-sitter recovers from an
error, the recovered scopes are used as they stand; blocks that were opened and never closed stay open.
Work is done for the scopes around the offset only, once per tree.
"""

from __future__ import annotations

from context_index.scopes import javascript, python
from context_index.scopes.binding import Binding, Scope
from context_index.symbols import Name
from context_index.syntax import Syntax

__all__ = ["Binding", "Scope", "caveats_at", "names_at", "scopes_at"]


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first."""
    if syntax.language.is_python:
        return python.scopes_at(syntax, offset)
    return javascript.scopes_at(syntax, offset)


def names_at(syntax: Syntax, offset: int) -> dict[str, Name]:
    """The names that may be used at an offset, nearest first; an inner declaration hides an outer one."""
    names: dict[str, Name] = {}
    later = False
    for distance, scope in enumerate(scopes_at(syntax, offset)):
        for text, binding in scope.bindings.items():
            hiding = names.get(text)
            if hiding is None or (hiding.is_type and not binding.is_type):
                before = not later and offset < binding.ready
                names[text] = binding.name(distance, before_declaration=before)
        later = later or scope.runs_later
    return names


def caveats_at(syntax: Syntax, offset: int) -> tuple[str, ...]:
    """Why there may be more names than `names_at` can tell: star imports, `with` in JavaScript."""
    return tuple(dict.fromkeys(caveat for scope in scopes_at(syntax, offset) for caveat in scope.caveats))
