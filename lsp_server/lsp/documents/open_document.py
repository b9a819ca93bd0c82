"""One open document, and its edits.

A document whose edits make no sense (a range that its text does not have) is out of step with the client: it takes no
more edits until the client sends its whole text. Edits count in the order in which they come, whatever their versions:
Helix sends an older one at times, of a text that is newer.
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
"""Characters; a longer document is not served. About as long as the longest files that are indexed."""
AGAIN = "close the document and open it again"
"""What a client can do where the texts on both sides are no longer the same."""


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
    """None where its language is not supported: its text is not kept."""
    parsing: Parsing | None
    """None where there is no document, or it is too long."""
    out_of_step: str = ""
    """What the client sent that made no sense, in a sentence; empty where nothing did."""
    notebook: str = ""
    """The notebook of which it is a cell."""

    @classmethod
    def of(cls, uri: str, version: int, document: Document | None, notebook: str) -> OpenDocument:
        """A document that was just opened."""
        return cls(uri, version, document, _parsing(document), notebook=notebook)

    def changed(self, document: Document, version: int, changes: Sequence[Change], encoding: Encoding) -> OpenDocument:
        """The document after the client's edits, each applied to the result of the one before.

        Args:
            document: `self.document`, which must not be None.

        Raises:
            RequestError: an edit makes no sense, or the document is out of step and the whole text does not come.
        """
        parsing, trouble = self.parsing, self.out_of_step
        edits: list[Edit] = []
        for change in changes:
            if isinstance(change, FullText):
                document = replace(document, text=change.text, revision=version)
                parsing, trouble, edits = _parsing(document), "", []
            elif not trouble:
                edit = _edit(document, change, encoding)
                document = document.edited([edit], version)
                edits.append(edit)
        if trouble:
            raise RequestError(ErrorCode.MALFORMED_REQUEST, trouble)
        if parsing is None or len(document.text) > LONGEST_TEXT:
            parsing = _parsing(document)
        elif edits:
            parsing = parsing.edited(document, edits)
        return replace(self, version=version, document=document, parsing=parsing, out_of_step="")


def offset_of(document: Document, place: ClientPosition, encoding: Encoding) -> int:
    """The offset of a client's position.

    A column after the end of its line means that end, says LSP; the line after the last, the end of the text.

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
