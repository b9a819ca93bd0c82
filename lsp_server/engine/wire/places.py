"""Places in files as people and programs write them: lines and columns from 1, columns in code points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from context_index import Document, Edit
    from lsp_server.engine.wire import Json


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file and a position in it; the cursor is before that column. Whether they exist is another question."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Places(Protocol):
    """How one door writes places in a text; each door has its own units and names for them."""

    def span(self, start: int, end: int) -> dict[str, Json]:
        """Between two offsets."""

    def edit(self, edit: Edit) -> dict[str, Json]:
        """What an edit puts there, and where, in the text before it."""


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
