"""Texts that are open in the editor: opened, changed, closed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsp_server import from_proto

if TYPE_CHECKING:
    from lsprotocol import types

    from lsp_server.handlers import Later
    from lsp_server.server import Server


def did_open(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    """A text is shown; from now on the client's copy counts, not the disk's."""
    item = params.text_document
    opened = server.session.open(item.uri, item.language_id, item.version, item.text)
    engine = server.engine
    if opened.document is not None and (engine.warm_up() is not None or engine.has_model):
        engine.service.prepare(opened.document)


def did_change(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Somebody typed."""
    document = params.text_document
    server.session.change(document.uri, document.version, from_proto.changes(params.content_changes))


def did_close(server: Server, params: types.DidCloseTextDocumentParams) -> Later[None]:
    """A text is shown no more; the disk's copy counts again."""
    uri, workspace = params.text_document.uri, server.engine.workspace
    server.session.close(uri)
    return partial(server.schedule.blocking, lambda _give_up: workspace.forget(uri))
