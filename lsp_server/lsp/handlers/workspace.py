"""`workspace/didChangeWatchedFiles` and `didChangeWorkspaceFolders`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from context_index import SOURCE_SUFFIXES, path_of
from lsp_server.lsp.handlers import configuration, indexing, workspace_controllers
from lsp_server.settings import files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsp_server.lsp.server import Later, Server

_SOURCES = f"**/*{{{','.join(SOURCE_SUFFIXES)}}}"
_MANIFESTS = ("**/package.json", "**/{ts,js}config.json", "**/pyproject.toml", "**/setup.{py,cfg}")
_GITIGNORE = ".gitignore"
_CONFIGURATION = {files.NAME, "pyproject.toml"}
"""Names of the files that may hold settings."""
_WATCHED = (_SOURCES, f"**/{_GITIGNORE}", f"**/{files.NAME}", *_MANIFESTS)


async def watch(server: Server) -> None:
    """Ask the client to report changes of files on disk, if it can watch them."""
    if server.session.client.watches_files:
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        await server.register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)


def did_change_watched_files(server: Server, params: types.DidChangeWatchedFilesParams) -> Later[None]:
    """Read the changed files again, all files if a .gitignore changed, and settings if a configuration file did."""
    paths = {path for event in params.changes if (path := path_of(event.uri)) is not None}
    return partial(_refresh, server, paths)


async def _refresh(server: Server, paths: set[Path]) -> None:
    """Follow changes of these files on disk."""
    workspace = server.engine.workspace
    await server.schedule.blocking(lambda _give_up: workspace.refresh(paths))
    if any(path.name == _GITIGNORE for path in paths):
        await indexing.index(server)
    if any(path.name in _CONFIGURATION for path in paths) and (later := configuration.read_files_again(server)):
        await later()


def did_change_folders(server: Server, params: types.DidChangeWorkspaceFoldersParams) -> Later[None]:
    """Read the folders that are open now, and ask about the controllers of those that were added."""
    removed = {path_of(folder.uri) for folder in params.event.removed}
    kept = [root for root in server.session.roots if root not in removed]
    paths = dict.fromkeys(path_of(folder.uri) for folder in params.event.added)
    added = [root for root in paths if root is not None and root not in kept]
    server.session.roots = (*kept, *added)
    server.session.forget_consent(removed)
    configuration.compose(server)
    server.say_problems()
    return partial(_follow, server, added, reread=server.start_engine())


async def _follow(server: Server, added: Sequence[Path], *, reread: bool) -> None:
    """Ask about controllers, and read the folders if the engine has a new workspace (`reread`)."""
    controllers = workspace_controllers.offer(server, added)
    await asyncio.gather(controllers, *([indexing.index(server)] if reread else []))
