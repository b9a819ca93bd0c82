"""The comma that a person left out before a key that is being typed; an entry of the menu brings it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Edit, closers, open_brackets
from lsp_server.engine.verification.candidate import leaves

if TYPE_CHECKING:
    from context_index import Syntax

_PAIR = {True: "_: _", False: '"_": _'}
"""A pair, by whether literals of objects have names for keys; else they are strings."""
_BEFORE = 400
"""Characters before a key in which the pair above ends, comments included."""


def missing_comma(syntax: Syntax, start: int, end: int) -> Edit | None:
    """The comma after the pair above, where the parser reads one more pair at a place with it and not without it.

    Args:
        start: Where the half-typed key begins.
        end: Where it ends.
    """
    spans = (span for span in leaves(syntax, max(start - _BEFORE, 0), start) if span[1] <= start)
    place = max((span[1] for span in spans if "comment" not in syntax.node_at(*span).type), default=start)
    if place == start:
        return None
    comma, pair = Edit(place, place, ","), _PAIR[syntax.language.record.lexis.has_object_literals]
    closing = closers(reversed(open_brackets(syntax, start)))
    for written in (pair, pair + closing):  # as the file closes the brackets, or where it does not yet
        key = Edit(start, end, written)
        if _errors(syntax, [key, comma]) < _errors(syntax, [key]):
            return comma
    return None


def _errors(syntax: Syntax, edits: list[Edit]) -> int:
    document = syntax.document
    return syntax.edited(document.edited(edits, document.revision), edits).errors
