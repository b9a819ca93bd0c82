"""The comma that is missing before a key that is being typed; accepting an entry of the menu adds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Edit, closers, open_brackets
from lsp_server.engine.verification.spans import leaves

if TYPE_CHECKING:
    from context_index import Syntax

_PAIR = {True: "_: _", False: '"_": _'}
"""A pair of a literal, by whether the language has object literals with names for keys; other keys are strings."""
_BEFORE = (400, 4_000)
"""Characters before a key in which the end of the pair above is looked for; the second, behind a long comment."""


def missing_comma(syntax: Syntax, start: int, end: int) -> Edit | None:
    """The edit that adds the comma after the pair above; None where none is missing.

    One is missing if a pair in place of the key gives fewer syntax errors with the comma than without it.

    Args:
        start: Where the half-typed key begins.
        end: Where it ends.
    """
    ends = (_end_of_code(syntax, max(start - before, 0), start) for before in _BEFORE)
    above_end = next((end for end in ends if end is not None), start)
    if above_end == start:
        return None
    comma, pair = Edit(above_end, above_end, ","), _PAIR[syntax.language.record.lexis.has_object_literals]
    closing = closers(reversed(open_brackets(syntax, start)))
    for text in (pair, pair + closing):  # the second, where the file does not close the brackets yet
        key = Edit(start, end, text)
        if _errors(syntax, [key, comma]) < _errors(syntax, [key]):
            return comma
    return None


def _end_of_code(syntax: Syntax, first: int, last: int) -> int | None:
    """The end of the last token between two offsets that is no comment; None if there is none."""
    spans = (span for span in leaves(syntax, first, last) if span[1] <= last)
    return max((span[1] for span in spans if "comment" not in syntax.node_at(*span).type), default=None)


def _errors(syntax: Syntax, edits: list[Edit]) -> int:
    """The number of syntax errors in the edited document."""
    document = syntax.document
    return syntax.edited(document.edited(edits, document.revision), edits).errors
