"""`textDocument/signatureHelp`: the signatures of the call at the cursor, from the type checker."""

from __future__ import annotations

from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import CheckerError
from lsp_server.lsp.protocol import from_proto, to_proto
from lsp_server.lsp.serving import about_document, nothing

if TYPE_CHECKING:
    from context_index import Document, Signatures, Workspace
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

TRIGGERS = ("(", ",")
_SECONDS = 2.0
"""How long a type checker may take."""

Answer = types.SignatureHelp | None


@about_document(nothing)
def signature_help(server: Server, params: types.SignatureHelpParams, snapshot: Snapshot) -> Answer | Later[Answer]:
    """The ways to call the function, and the parameter that the cursor is at; None where nothing is known."""
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    async def ask() -> Answer:
        workspace = server.engine.workspace
        found = await server.schedule.blocking(lambda _give_up: _asked(workspace, snapshot.syntax.document, offset))
        return None if found is None else to_proto.signatures(found, server.session.client)

    return partial(server.schedule.newest, (signature_help, snapshot.uri), ask, lambda: None)


def _asked(workspace: Workspace, document: Document, offset: int) -> Signatures | None:
    try:
        asked = workspace.checker_of(document).ask(document, lambda one: one.signatures(offset))
        return asked.result(_SECONDS)
    except (CheckerError, TimeoutError, CancelledError):
        return None
