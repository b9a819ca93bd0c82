"""Fills closed documents in with placeholders for what is still to come (`Placeholders`), as a record says.

For `f(a|`, which is closed as `f(a)`, that may be a further argument. What the language's record must know for it, the
checker is asked: signatures, completions, and the errors of the document as it was filled in before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from context_index import Edit
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.languages.fill import Fill
from lsp_server.engine.verification.languages.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from context_index import Diagnostic, Item, Query, Signatures
    from lsp_server.engine.verification.applied import Applied
    from lsp_server.engine.verification.checked_document import CheckedDocument

T = TypeVar("T")


class Placeholders:
    """Fills in the documents of one text; `until` is when the checker's answers must be there."""

    def __init__(self, document: CheckedDocument) -> None:
        self._document, self._record = document, record_of(document.syntax.language)

    @staticmethod
    def fills(closed: Applied) -> Iterator[Fill | None]:
        """The ways in which a text is judged, the strictest first. None fills nothing in, and needs no closing."""
        if not closed.closing:
            yield None
        yield from Fill

    def filled(self, closed: Applied, fill: Fill, asked: Applied | None, until: float | None) -> Applied | None:
        """A closed document with what is still to come; None if nothing is still to come and nothing closes it.

        Args:
            asked: The same document as the checker was asked about it last, filled in otherwise; None at first. The
                record reads from its errors what is missing; their places are moved to `closed`.
        """
        diagnostics: list[Diagnostic] = []
        if asked is not None:
            for diagnostic in self._document.diagnostics(asked.overlay, until):
                ends = diagnostic.start, diagnostic.end
                start, end = (closed.place(asked.without_edits(offset)) for offset in ends)
                diagnostics.append(replace(diagnostic, start=start, end=end))
        edits = self._record.filled(Opened(closed), fill, diagnostics, _Questions(self._document, closed, until))
        if not edits:
            return closed if closed.closing else None
        return closed.closed(edits)


@dataclass(frozen=True, slots=True)
class _Questions:
    """The questions of `languages.fill.Asked`, put to a document's checker about one closed text of it."""

    document: CheckedDocument
    closed: Applied
    until: float | None

    def signatures(self, place: int, text: str) -> Signatures | None:
        """See `Asked`."""
        return self._answer(place, text, lambda query: query.signatures(place + len(text)))

    def completions(self, place: int, text: str) -> Sequence[Item]:
        """See `Asked`."""
        return self._answer(place, text, lambda query: query.completions(place + len(text)))

    def _answer(self, place: int, text: str, question: Callable[[Query], T]) -> T:
        document = self.closed.document
        with_text = document.edited([Edit(place, place, text)], document.revision)
        return self.document.ask(with_text, question, self.until)
