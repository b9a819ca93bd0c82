"""`textDocument/didOpen`, `didChange` and `didClose`."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from lsp_server.lsp.handlers import setup
from lsp_server.lsp.protocol import from_proto

if TYPE_CHECKING:
    from concurrent.futures import Future

    from lsprotocol import types

    from context_index import Document, Workspace
    from lsp_server.lsp.server import Later, Server

_log = logging.getLogger(__name__)


def did_open(server: Server, params: types.DidOpenTextDocumentParams) -> Later[None] | None:
    """Open a document: from now on the client's text counts, not the file's."""
    item = params.text_document
    opened = server.session.open(item.uri, item.language_id, item.version, item.text)
    if opened.document is None:
        return None
    server.readings.begin(item.uri)
    return partial(_opened, server, opened.document)


async def _opened(server: Server, document: Document) -> None:
    await asyncio.gather(_read_ahead(server, document), setup.offer(server))


async def _read_ahead(server: Server, document: Document) -> None:
    """Have the model and the checker read a document before the first request for it, once the model is loaded."""
    engine, reading = server.engine, None
    try:
        await server.wait_for_model()
        if engine.has_model:
            reading = await server.schedule.blocking(lambda _give_up: engine.service.prepare(document))
    finally:
        if reading is None:
            server.readings.end(document.uri)
        else:
            reading.by_model.add_done_callback(partial(_log_fault, document.uri))
            server.readings.end_with(document.uri, [work for work in reading if work is not None])


def _log_fault(uri: str, reading: Future[None]) -> None:
    """Log an error of reading ahead, as no request would report it."""
    if not reading.cancelled() and (fault := reading.exception()) is not None:
        _log.error("%s could not be read ahead", uri, exc_info=fault)


def did_change(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Apply the client's edits to a document."""
    document = params.text_document
    server.session.change(document.uri, document.version, from_proto.changes(params.content_changes))


def did_close(server: Server, params: types.DidCloseTextDocumentParams) -> Later[None]:
    """Close a document: the file's text counts again."""
    uri = params.text_document.uri
    server.session.close(uri)
    return partial(_forget, server, server.engine.workspace, uri)


async def _forget(server: Server, workspace: Workspace, uri: str) -> None:
    """Have the workspace read the file again, on a worker; nothing happens if the document is open again."""
    if not server.session.is_open(uri):
        await server.schedule.blocking(lambda _give_up: workspace.forget(uri))
        server.session.mark_dirty_again(uri)
