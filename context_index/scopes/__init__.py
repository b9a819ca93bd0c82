"""Names visible at an offset, from the syntax tree alone.

Knows nothing of types, other files or globals. Where tree-sitter recovers from an error, the recovered scopes are
used as they are; blocks that were opened and never closed stay open. Only the scopes around the offset are
computed, once per tree, and after an edit only the statements that changed are read again.
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


_JUDGED = "the names of {} are not read: its checker judges them"
_UNKNOWN = "the names of {} are not read, and no checker of it is known"


def scopes_at(syntax: Syntax, offset: int) -> list[Scope]:
    """The scopes around an offset, innermost first; none in a language without rules for them."""
    rules = part(syntax.language, "scopes")
    if rules is None:
        return []
    found: list[Scope] = rules.scopes_at(_completed(syntax, offset), offset)
    return found


def names_at(syntax: Syntax, offset: int) -> dict[str, Name]:
    """The names that may be used at an offset, nearest first; an inner declaration hides an outer one."""
    names: dict[str, Name] = {}
    later = syntax.document.uri.endswith(
        syntax.language.record.stubs
    )  # a stub never runs: what it declares below may be named above
    distance = 0
    being_defined: set[str] = set()
    settled: set[str] = set()
    lookup = _lookup_place(syntax, offset)
    for scope in scopes_at(syntax, offset):
        for text, placed in scope.bindings.items():
            hiding = names.get(text)
            if hiding is None or (hiding.is_type and not placed.binding.is_type):
                before = not later and text not in settled and (placed.is_unset(lookup) or text in being_defined)
                name = placed.name(distance, before_declaration=before)
                names[text] = name if hiding is None else replace(name, is_also_type=True)
            elif placed.binding.is_type and not hiding.is_type:
                names[text] = replace(hiding, is_also_type=True)
        distance += scope.counts
        later = later or scope.runs_later
        being_defined |= scope.defines
        settled |= scope.settles
    names.pop(STAND_IN, None)
    return names


def caveats_at(syntax: Syntax, offset: int) -> tuple[str, ...]:
    """Why there may be more names than `names_at` returns: star imports, `with` in JavaScript."""
    if part(syntax.language, "scopes") is None:
        record = syntax.language.record
        return ((_JUDGED if "checker" in record.parts else _UNKNOWN).format(record.title),)
    return tuple(dict.fromkeys(caveat for scope in scopes_at(syntax, offset) for caveat in scope.caveats))


def _lookup_place(syntax: Syntax, offset: int) -> LookupPlace:
    place = word_start(syntax.document.text, offset)
    rules = part(syntax.language, "scopes")
    within = getattr(rules, "within", None)
    return LookupPlace(place, None if within is None else partial(within, syntax, offset))


def _completed(syntax: Syntax, offset: int) -> Syntax:
    """The syntax with a name put at the offset, if the text is broken, no word is there and it helps.

    In Python a bracket that nothing closes takes in all that follows, so there what is open on the line is closed, too.
    """
    document = syntax.document
    around = document.text[max(offset - 1, 0) : offset + 1]
    if any(map(continues_identifier, around)) or not syntax.root.has_error:
        return syntax
    known = syntax.memo.get((offset, "completed"))
    if not isinstance(known, Syntax):
        known = syntax
        for text in (STAND_IN, *_closed(syntax, offset)):
            edits = [Edit(offset, offset, text)]
            tried = syntax.edited(document.edited(edits, document.revision), edits)
            if tried.errors < known.errors or (text == STAND_IN and tried.errors == known.errors):
                known = tried
        syntax.memo[offset, "completed"] = known
    return known


def _closed(syntax: Syntax, offset: int) -> tuple[str, ...]:
    """In Python, a name with what closes the open brackets, where nothing follows on the line."""
    line = syntax.document.text[offset:].partition("\n")[0]
    if not syntax.language.record.is_indented or line.strip():
        return ()
    closed = closers(reversed(open_brackets(syntax, offset)))
    return (STAND_IN + closed, STAND_IN + closed + ":") if closed else ()
