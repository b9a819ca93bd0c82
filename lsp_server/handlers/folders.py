"""The folders of the workspace: added and removed while the editor is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server import from_proto
from lsp_server.handlers import indexing

if TYPE_CHECKING:
    from lsprotocol import types

    from lsp_server.server import Server


async def did_change(server: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Index what is there now."""
    gone = {from_proto.path(folder.uri) for folder in params.event.removed}
    kept = [root for root in server.session.roots if root not in gone]
    added = [from_proto.path(folder.uri) for folder in params.event.added]
    server.session.roots = (*kept, *(root for root in added if root is not None and root not in kept))
    if server.start_engine():
        await indexing.index(server)
