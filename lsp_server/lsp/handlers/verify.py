"""`inscope/verify`: whether a text may be inserted in an open document, by the language's own compiler. Needs no model.

The answer has the fields of a line of `inscope verify --batch`, with LSP's names and positions. The cells of a
notebook are judged together, as one program, so each position names its cell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from context_index import Edit
from lsp_server.engine.verification import Candidate
from lsp_server.engine.wire import camel_case
from lsp_server.engine.wire.verifications import answer_about, as_json, unserved
from lsp_server.lsp.documents.notebook import Cell
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document

if TYPE_CHECKING:
    from lsprotocol import types

    from context_index import Encoding
    from lsp_server.lsp.protocol.params import VerifyParams
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

_Fields = dict[str, Any]
"""Fields of an answer, in which a range is an object of LSP."""


@about_document(lambda _server, why: camel_case(unserved(why)))
def verify(server: Server, params: VerifyParams, snapshot: Snapshot) -> _Fields | Later[_Fields]:
    """Verify a text in place of a range.

    Raises:
        RequestError: the range is not in the document.
    """
    start, end = from_proto.span(params.range, snapshot)
    return partial(_verified, server, snapshot, Candidate(snapshot.shift + start, params.insert, end - start))


async def _verified(server: Server, snapshot: Snapshot, candidate: Candidate) -> _Fields:
    verifier = server.engine.service.verifier
    async with server.verifying:
        answer = await server.schedule.blocking(lambda _give_up: answer_about(verifier, snapshot.syntax, candidate))
    before = CellSpanWriter(snapshot.cells, snapshot.encoding)
    return camel_case(as_json(answer, before, _after(candidate, snapshot)))


@dataclass(frozen=True, slots=True)
class CellSpanWriter:
    """The `SpanWriter` for the client, which has a document for each part of the program and units of its own."""

    cells: tuple[Cell, ...]
    encoding: Encoding

    def span(self, start: int, end: int) -> _Fields:
        """The document in which a range of the program begins, and LSP's range in it, cut at the document's end."""
        cell = next(cell for cell in reversed(self.cells) if cell.start <= start or cell is self.cells[0])
        length = len(cell.document.text)
        first, last = (min(max(offset - cell.start, 0), length) for offset in (start, end))
        text_range: types.Range = to_proto.text_range(cell.document, first, last, self.encoding)
        return {"uri": cell.document.uri, "range": text_range}

    def edit(self, edit: Edit) -> _Fields:
        """An edit of the program, as `span` and the new text."""
        return self.span(edit.start, edit.end) | {"newText": edit.text}


def _after(candidate: Candidate, snapshot: Snapshot) -> CellSpanWriter:
    """The program's documents with the candidate in one of them, but without the imports that it brings."""
    grown = len(candidate.text) - candidate.replaces
    cells = []
    for cell in snapshot.cells:
        document = cell.document
        if document.uri == snapshot.uri:
            start = candidate.offset - cell.start
            edit = Edit(start, start + candidate.replaces, candidate.text)
            cells.append(replace(cell, document=document.edited([edit], document.revision)))
        else:
            cells.append(replace(cell, start=cell.start + (grown if cell.start > snapshot.shift else 0)))
    return CellSpanWriter(tuple(cells), snapshot.encoding)
