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
    from context_index import Signatures, Workspace
    from lsp_server.lsp.server import Later, Server
    from lsp_server.lsp.session import Snapshot

TRIGGERS = ("(", ",")
_SECONDS = 2.0
"""How long a type checker may take."""

Answer = types.SignatureHelp | None


@about_document(nothing)
def signature_help(server: Server, params: types.SignatureHelpParams, snapshot: Snapshot) -> Answer | Later[Answer]:
    """The signatures of the function, and the parameter at the cursor; None where nothing is known."""
    offset = snapshot.shift + snapshot.offset(from_proto.place(params.position))

    async def ask() -> Answer:
        workspace = server.engine.workspace
        signatures = await server.schedule.blocking(lambda _give_up: _signatures(workspace, snapshot, offset))
        return None if signatures is None else to_proto.signatures(signatures, server.session.client)

    return partial(server.schedule.newest, (signature_help, snapshot.uri), ask, lambda: None)


def _signatures(workspace: Workspace, snapshot: Snapshot, offset: int) -> Signatures | None:
    """The checker's answer about an offset of the program; None if the checker fails or is late. Blocks."""
    document = snapshot.syntax.document
    try:
        answer = workspace.checker_of(document).ask(document, lambda query: query.signatures(offset))
        return answer.result(_SECONDS)
    except (CheckerError, TimeoutError, CancelledError):
        return None
