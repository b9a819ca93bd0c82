"""The comma that is missing before a key that is being typed; accepting an entry of the menu adds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Edit, closers, open_brackets
from lsp_server.engine.verification.candidate import leaves

if TYPE_CHECKING:
    from context_index import Syntax

_PAIR = {True: "_: _", False: '"_": _'}
"""A pair of a literal, by whether the language has object literals with names for keys; other keys are strings."""
_BEFORE = 400
"""Characters before a key in which the end of the pair above is looked for, comments included."""


def missing_comma(syntax: Syntax, start: int, end: int) -> Edit | None:
    """The edit that adds the comma after the pair above; None where none is missing.

    One is missing if a pair in place of the key gives fewer syntax errors with the comma than without it.

    Args:
        start: Where the half-typed key begins.
        end: Where it ends.
    """
    spans = (span for span in leaves(syntax, max(start - _BEFORE, 0), start) if span[1] <= start)
    above_end = max((span[1] for span in spans if "comment" not in syntax.node_at(*span).type), default=start)
    if above_end == start:
        return None
    comma, pair = Edit(above_end, above_end, ","), _PAIR[syntax.language.record.lexis.has_object_literals]
    closing = closers(reversed(open_brackets(syntax, start)))
    for text in (pair, pair + closing):  # the second, where the file does not close the brackets yet
        key = Edit(start, end, text)
        if _errors(syntax, [key, comma]) < _errors(syntax, [key]):
            return comma
    return None


def _errors(syntax: Syntax, edits: list[Edit]) -> int:
    """The number of syntax errors in the edited document."""
    document = syntax.document
    return syntax.edited(document.edited(edits, document.revision), edits).errors
