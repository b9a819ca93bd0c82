"""`textDocument/signatureHelp`: the signatures of the call at the cursor, from the type checker."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import CheckerError
from lsp_server.protocol import from_proto, to_proto
from lsp_server.schedule import SupersededError
from lsp_server.session import NotServed

if TYPE_CHECKING:
    from context_index import Document, Signatures, Workspace
    from lsp_server.server import Later, Server

TRIGGERS = ("(", ",")
_SECONDS = 2.0
"""How long a type checker may take."""

Answer = types.SignatureHelp | None


def signature_help(server: Server, params: types.SignatureHelpParams) -> Answer | Later[Answer]:
    """The ways to call the function, and the parameter that the cursor is at; None where nothing is known."""
    snapshot = server.session.snapshot(params.text_document.uri)
    if isinstance(snapshot, NotServed):
        return None
    server.session.flush_dirty()
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    async def ask() -> Answer:
        workspace = server.engine.workspace
        found = await server.schedule.blocking(lambda _give_up: _asked(workspace, snapshot.syntax.document, offset))
        return None if found is None else to_proto.signatures(found, server.session.client)

    async def newest() -> Answer:
        try:
            return await server.schedule.run((signature_help, snapshot.uri), ask)
        except SupersededError:
            return None

    return newest


def _asked(workspace: Workspace, document: Document, offset: int) -> Signatures | None:
    try:
        asked = workspace.checker_of(document).ask(document, lambda one: one.signatures(offset))
        return asked.result(_SECONDS)
    except (CheckerError, TimeoutError, CancelledError):
        return None
