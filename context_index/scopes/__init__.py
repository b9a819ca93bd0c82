"""Names visible at an offset, from the syntax tree alone.

Knows nothing of types, other files or globals; the rules are the part `scopes` of each language. Where tree-sitter
recovers from an error, the recovered scopes are used as they are; blocks that were opened and never closed stay open.
Only the scopes around the offset are computed, once per tree, and after an edit only the statements that changed are
read again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from context_index.languages.parts import part
from context_index.scopes.binding import STAND_IN, Binding, PlacedBinding, Scope
from context_index.scopes.flow import LookupPlace
from context_index.scopes.statement_cache import forget_statements
from context_index.symbols import Name, continues_identifier, word_start
from context_index.syntax import Syntax
from context_index.text import Edit
from context_index.tokens import closers, open_brackets

__all__ = ["Binding", "PlacedBinding", "Scope", "caveats_at", "forget_statements", "names_at", "scopes_at"]


_CHECKED = "the names of {} are not read: its checker judges them"
_UNKNOWN = "the names of {} are not read, and no checker of it is known"


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first; none in a language without rules for them."""
    rules = part(syntax.language, "scopes")
    if rules is None:
        return []
    scopes: list[Scope] = rules.scopes_at(_completed(syntax, offset), offset)
    return scopes


def names_at(syntax: Syntax, offset: int) -> dict[str, Name]:
    """The names that may be used at an offset, nearest first; an inner declaration hides an outer one."""
    names: dict[str, Name] = {}
    stubs = syntax.language.record.stubs
    runs_later = syntax.document.uri.endswith(stubs)  # a stub never runs: what it declares below may be named above
    distance = 0
    being_defined: set[str] = set()  # see `Scope.defines`
    with_value: set[str] = set()  # see `Scope.settles`
    lookup = _lookup_place(syntax, offset)
    for scope in scopes_at(syntax, offset):
        for text, placed in scope.bindings.items():
            inner = names.get(text)
            if inner is None or (inner.is_type and not placed.binding.is_type):
                is_unset = not runs_later and (placed.is_unset(lookup) or text in being_defined)
                name = placed.name(distance, before_declaration=is_unset and text not in with_value)
                names[text] = name if inner is None else replace(name, is_also_type=True)
            elif placed.binding.is_type and not inner.is_type:
                names[text] = replace(inner, is_also_type=True)
        distance += scope.counts
        runs_later = runs_later or scope.runs_later
        being_defined |= scope.defines
        with_value |= scope.settles
    names.pop(STAND_IN, None)
    return names


def caveats_at(syntax: Syntax, offset: int) -> tuple[str, ...]:
    """Why there may be more names than `names_at` returns: star imports, `with` in JavaScript."""
    if part(syntax.language, "scopes") is None:
        record = syntax.language.record
        return ((_CHECKED if "checker" in record.parts else _UNKNOWN).format(record.title),)
    return tuple(dict.fromkeys(caveat for scope in scopes_at(syntax, offset) for caveat in scope.caveats))


def _lookup_place(syntax: Syntax, offset: int) -> LookupPlace:
    """The place of a lookup at an offset: where its word begins, seen as the language's rules see it."""
    place = word_start(syntax.document.text, offset)
    rules = part(syntax.language, "scopes")
    within = getattr(rules, "within", None)
    return LookupPlace(place, None if within is None else partial(within, syntax, offset))


def _completed(syntax: Syntax, offset: int) -> Syntax:
    """The syntax with a stand-in name at the offset, if the text has errors and no word is there; else as it is.

    The name stays if it causes no further errors. In Python a bracket that nothing closes takes in all text after it,
    so there the open brackets are closed, too, if that leaves fewer errors.
    """
    document = syntax.document
    around = document.text[max(offset - 1, 0) : offset + 1]
    if any(map(continues_identifier, around)) or not syntax.root.has_error:
        return syntax
    best = syntax.memo.get((offset, "completed"))
    if not isinstance(best, Syntax):
        best = syntax
        for text in (STAND_IN, *_closing_texts(syntax, offset)):
            edits = [Edit(offset, offset, text)]
            completed = syntax.edited(document.edited(edits, document.revision), edits)
            if completed.errors < best.errors or (text == STAND_IN and completed.errors == best.errors):
                best = completed
        syntax.memo[offset, "completed"] = best
    return best


def _closing_texts(syntax: Syntax, offset: int) -> tuple[str, ...]:
    """In Python, the stand-in name with what closes the open brackets, if there are any and the line ends there.

    Also with a colon, which the header of a block needs.
    """
    line = syntax.document.text[offset:].partition("\n")[0]
    if not syntax.language.record.is_indented or line.strip():
        return ()
    closing = closers(reversed(open_brackets(syntax, offset)))
    return (STAND_IN + closing, STAND_IN + closing + ":") if closing else ()
