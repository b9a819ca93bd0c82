"""Places in files as JSON: of the command line by lines and columns from 1, in code points; of the server as LSP says.

`FilePlace` is what a person types, `Places` how a range is written, and `Lines` how the command line writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from context_index import Document, Edit
    from lsp_server.engine.wire import Json


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file and a position in it, from 1; the cursor is before that column. Nothing of it is checked to exist."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Places(Protocol):
    """Writes places of a text as JSON; the command line and the language server have different units and names."""

    def span(self, start: int, end: int) -> dict[str, Json]:
        """The fields for the range between two offsets."""

    def edit(self, edit: Edit) -> dict[str, Json]:
        """The fields for an edit: its range, in the text before the edit, and its text."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Places in one document by lines and columns from 1."""

    document: Document

    def span(self, start: int, end: int) -> dict[str, Json]:
        """See `Places.span`."""
        first, last = self.document.position(start), self.document.position(end)
        return {
            "line": first.line + 1,
            "column": first.column + 1,
            "end_line": last.line + 1,
            "end_column": last.column + 1,
        }

    def edit(self, edit: Edit) -> dict[str, Json]:
        """See `Places.edit`."""
        return self.span(edit.start, edit.end) | {"text": edit.text}
