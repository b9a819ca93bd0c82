"""Writes spans and edits of a text as JSON (`SpanWriter`), each door in its own units.

The command line does it by `LineSpanWriter`: lines and columns from 1, in code points. The language server has a
writer of its own, as LSP says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from context_index import Document, Edit
    from lsp_server.engine.wire import Json


class SpanWriter(Protocol):
    """Writes spans and edits of a text as JSON; the doors have different units and names."""

    def span(self, start: int, end: int) -> dict[str, Json]:
        """The fields for the range between two offsets."""

    def edit(self, edit: Edit) -> dict[str, Json]:
        """The fields for an edit: its range, in the text before the edit, and its text."""


@dataclass(frozen=True, slots=True)
class LineSpanWriter:
    """Writes spans of one document by lines and columns from 1."""

    document: Document

    def span(self, start: int, end: int) -> dict[str, Json]:
        """See `SpanWriter.span`."""
        first, last = self.document.position(start), self.document.position(end)
        return {
            "line": first.line + 1,
            "column": first.column + 1,
            "end_line": last.line + 1,
            "end_column": last.column + 1,
        }

    def edit(self, edit: Edit) -> dict[str, Json]:
        """See `SpanWriter.edit`."""
        return self.span(edit.start, edit.end) | {"text": edit.text}
