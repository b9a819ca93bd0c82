"""The folders of the workspace: added and removed while the editor is open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from context_index import path_of
from lsp_server.handlers import configuration, indexing

if TYPE_CHECKING:
    from lsprotocol import types

    from lsp_server.server import Later, Server


def did_change(server: Server, params: types.DidChangeWorkspaceFoldersParams) -> Later[None] | None:
    """Index what is there now."""
    gone = {path_of(folder.uri) for folder in params.event.removed}
    kept = [root for root in server.session.roots if root not in gone]
    added = [path_of(folder.uri) for folder in params.event.added]
    server.session.roots = (*kept, *(root for root in added if root is not None and root not in kept))
    configuration.compose(server)
    server.say_problems()
    return partial(indexing.index, server) if server.start_engine() else None
