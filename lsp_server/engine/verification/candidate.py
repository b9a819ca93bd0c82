"""A text for a place in a document, the question that checkers are asked about (`Candidate`); `judge` makes them.

Offsets are code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index import Document, Edit
    from lsp_server.engine.verification.spans import Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text for a place, and edits elsewhere in the same document that come with it."""

    offset: int
    text: str
    replaces: int = 0
    """Characters after the offset that the text replaces."""
    edits: tuple[Edit, ...] = ()
    """With offsets of the document without the text; none touches the place."""
    importable: frozenset[str] | None = None
    """The names that edits may import; None for all."""
    spelling: str = ""
    """What our parser reads in place of the text, of equal length; empty if it reads the text itself.

    Used if the text has a form that the language's compiler knows and our grammar does not.
    """

    def spelled(self, before: Document, span: Span) -> str:
        """What a span says; the span may begin before the text, or end after it.

        Args:
            before: The document without the text.
            span: Offsets from the text's beginning. The start is negative for a word that was begun before the text.
        """
        start, end = span
        after = self.offset + self.replaces
        begun = before.text[self.offset + min(start, 0) : self.offset]
        continued = before.text[after : after + max(0, end - len(self.text))]
        return begun + self.text[max(0, start) : end] + continued

    def may_import(self, name: str) -> bool:
        """Whether edits may import a name."""
        return self.importable is None or name in self.importable
