"""Files that changed on disk, as the client's watcher tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp_server.handlers import indexing

if TYPE_CHECKING:
    from lsp_server.server import Server

_SOURCES = "**/*.{js,jsx,mjs,cjs,ts,mts,cts,tsx,py,pyi}"
_RULES = "**/.gitignore"


async def watch(server: Server) -> None:
    """Ask the client to tell of changes, where it can be asked."""
    if server.session.client.watches_files:
        watchers = [types.FileSystemWatcher(pattern) for pattern in (_SOURCES, _RULES)]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        await server.register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)


async def did_change(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Read again what changed; new rules on what to ignore mean all of it."""
    uris = {event.uri for event in params.changes}
    if any(uri.endswith("/.gitignore") for uri in uris):
        server.start_engine(reread=True)
        await indexing.index(server)
    else:
        engine, opened = server.engine, server.session.opened()
        await server.schedule.blocking(lambda _give_up: engine.changed_on_disk(uris - opened))
