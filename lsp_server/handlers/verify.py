"""`inscope/verify`: whether a text may be inserted in an open document, by the language's own compiler. Needs no model.

The answer has the fields of a line of `inscope verify --batch`, with LSP's names and positions. The cells of a
notebook are judged together, as one program, so each position names its cell.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from context_index import Edit
from lsp_server.documents.notebook import Cell
from lsp_server.protocol import from_proto, to_proto
from lsp_server.session import NotServed
from lsp_server.verification import Candidate, Level, Rejected, Unanswered, Unverified, Verified

if TYPE_CHECKING:
    from lsprotocol import types

    from context_index import Encoding
    from lsp_server.protocol.params import VerifyParams
    from lsp_server.server import Later, Server
    from lsp_server.session import Snapshot
    from lsp_server.verification import Rejection, Verification

Json = dict[str, Any]


def verify(server: Server, params: VerifyParams) -> Json | Later[Json]:
    """Verify a text in place of a range."""
    snapshot = server.session.snapshot(params.text_document.uri)
    if isinstance(snapshot, NotServed):
        return _answer(Level.NONE, reason=snapshot.why)
    server.session.flush_dirty()
    start, end = from_proto.span(params.range, snapshot)
    return partial(_verified, server, snapshot, Candidate(snapshot.shift + start, params.insert, end - start))


async def _verified(server: Server, snapshot: Snapshot, candidate: Candidate) -> Json:
    verifier = server.engine.service.verifier
    async with server.verifying:
        started = time.perf_counter()
        found = await server.schedule.blocking(lambda _give_up: verifier.verify(snapshot.syntax, candidate))
    answer = _result(found, candidate, snapshot)
    answer["latencyMs"] = round((time.perf_counter() - started) * 1e3, 2)
    return answer


def _result(found: Verification, candidate: Candidate, snapshot: Snapshot) -> Json:
    after = _after(candidate, snapshot)
    match found:
        case Verified(level, repaired, unverified, elsewhere):
            before = Cells(snapshot.cells, snapshot.encoding)
            return _answer(
                level,
                unverified=[candidate.text[max(0, start) : end] for start, end in unverified],
                additionalEdits=[before.place(one.start, one.end) | {"newText": one.text} for one in repaired.edits],
                elsewhere=[_rejection(one, after) for one in elsewhere],
            )
        case Rejected(rejections, elsewhere):
            return _answer(
                Level.NONE,
                rejections=[_rejection(one, after) for one in rejections],
                elsewhere=[_rejection(one, after) for one in elsewhere],
            )
        case Unverified(why, level):
            return _answer(level, reason=why)
        case Unanswered(why):
            return _answer(Level.NONE, reason=why)


def _answer(level: Level, **result: object) -> Json:
    """An answer with all its fields empty."""
    lists: Json = {name: [] for name in ("rejections", "unverified", "additionalEdits", "elsewhere")}
    return {"verified": str(level), **lists, "reason": None, "latencyMs": 0.0, **result}


def _rejection(found: Rejection, after: Cells) -> Json:
    result = {"code": found.code, "message": found.message, "inside": found.inside is not None}
    return result | after.place(found.start, found.end)


@dataclass(frozen=True, slots=True)
class Cells:
    """The documents of a program, and the encoding of the client's positions."""

    cells: tuple[Cell, ...]
    encoding: Encoding

    def place(self, start: int, end: int) -> Json:
        """A range of the program as a document and LSP's range in it, cut at the document's end."""
        cell = next(one for one in reversed(self.cells) if one.start <= start or one is self.cells[0])
        length = len(cell.document.text)
        first, last = (min(max(offset - cell.start, 0), length) for offset in (start, end))
        found: types.Range = to_proto.text_range(cell.document, first, last, self.encoding)
        return {"uri": cell.document.uri, "range": found}


def _after(candidate: Candidate, snapshot: Snapshot) -> Cells:
    """The documents with the text in them, and no other edit."""
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
    return Cells(tuple(cells), snapshot.encoding)
