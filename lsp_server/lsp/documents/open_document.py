"""One open document, and its edits.

An edit with a range that the text does not have shows that the document is out of step with the client. It then takes
no more edits until the client sends the whole text. Edits are applied in the order in which they come, whatever their
versions: Helix at times sends an older version number with a newer text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index import Document, Edit
from lsp_server.errors import ErrorCode, RequestError, StaleError
from lsp_server.lsp.documents.parsing import Parsing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Encoding

LONGEST_TEXT = 1_000_000
"""The most characters of a document that is served; about as long as the longest files that are indexed."""
AGAIN = "close the document and open it again"
"""The advice where the texts of client and server are no longer the same."""


@dataclass(frozen=True, slots=True)
class ClientPosition:
    """A position in the client's units."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class FullText:
    """The client sends all of a text again."""

    text: str


@dataclass(frozen=True, slots=True)
class PartialChange:
    """The client replaces the text from `start` to `end`."""

    start: ClientPosition
    end: ClientPosition
    text: str


Change = FullText | PartialChange


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One document as the client sees it now."""

    uri: str
    version: int
    document: Document | None
    """None if its language is not supported; its text is not kept then."""
    parsing: Parsing | None
    """None without a document, or if it is too long."""
    out_of_step: str = ""
    """Why the text may differ from the client's, in a sentence; empty if it does not. The session sets it when a change
    cannot be applied."""
    notebook: str = ""
    """The URI of the notebook of which it is a cell; empty if it is none."""

    @classmethod
    def of(cls, uri: str, version: int, document: Document | None, notebook: str) -> OpenDocument:
        """A document that was just opened."""
        return cls(uri, version, document, _parsing(document), notebook=notebook)

    def changed(self, document: Document, version: int, changes: Sequence[Change], encoding: Encoding) -> OpenDocument:
        """The document after the client's edits, each applied to the result of the one before.

        Args:
            document: `self.document`, which must not be None.

        Raises:
            RequestError: an edit's range is not in the text, or the document is out of step and gets no whole text.
        """
        parsing, out_of_step = self.parsing, self.out_of_step
        edits: list[Edit] = []
        for change in changes:
            if isinstance(change, FullText):
                document = replace(document, text=change.text, revision=version)
                parsing, out_of_step, edits = _parsing(document), "", []
            elif not out_of_step:
                edit = _edit(document, change, encoding)
                document = document.edited([edit], version)
                edits.append(edit)
        if out_of_step:
            raise RequestError(ErrorCode.MALFORMED_REQUEST, out_of_step)
        if parsing is None or len(document.text) > LONGEST_TEXT:
            parsing = _parsing(document)
        elif edits:
            parsing = parsing.edited(document, edits)
        return replace(self, version=version, document=document, parsing=parsing, out_of_step="")


def offset_of(document: Document, place: ClientPosition, encoding: Encoding) -> int:
    """The offset of a client's position.

    By LSP, a column after the end of its line means that end, and the line after the last means the end of the text.

    Raises:
        StaleError: the document has no such line.
    """
    lines = len(document.lines)
    if place.line > lines or (place.line == lines and place.character > 0):
        why = f"{document.uri} has no line {place.line + 1}, only {lines}; if it has, {AGAIN}"
        raise StaleError(ErrorCode.POSITION_OUTSIDE, why)
    if place.line == lines:
        return len(document.text)
    return document.offset_from_client(place.line, place.character, encoding)


def _parsing(document: Document | None) -> Parsing | None:
    return Parsing(document) if document and len(document.text) <= LONGEST_TEXT else None


def _edit(document: Document, change: PartialChange, encoding: Encoding) -> Edit:
    start, end = (offset_of(document, place, encoding) for place in (change.start, change.end))
    if end < start:
        why = f"{document.uri}: an edit ends before it begins; {AGAIN}"
        raise RequestError(ErrorCode.MALFORMED_REQUEST, why)
    return Edit(start, end, change.text)
