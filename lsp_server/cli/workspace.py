"""Opens and indexes the workspace of a command. Imports no model, so that `symbols` and `index` answer at once."""

from __future__ import annotations

import os
import stat
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lsp_server.cli.console import counting, note
from lsp_server.engine.workspace import open_workspace
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of, unreadable
from lsp_server.settings.workspace import workspace_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from context_index import IndexReport, Workspace
    from lsp_server.cli.arguments import Arguments
    from lsp_server.settings.table import Settings


def workspace_of(arguments: Arguments) -> AbstractContextManager[Workspace]:
    """The workspace that a command names, indexed; an empty one if it names none."""
    return workspace_at(arguments, arguments.workspace)


@contextmanager
def workspace_at(arguments: Arguments, root: Path | None) -> Iterator[Workspace]:
    """The workspace below a directory, indexed; an empty one without a directory."""
    if root is None:
        workspace = _workspace((), arguments.settings, arguments.typescript, trusted=arguments.trust)
        try:
            yield workspace
        finally:
            workspace.close()
    else:
        with indexed(root, arguments.settings, arguments.typescript, trusted=arguments.trust) as (workspace, _):
            yield workspace


@contextmanager
def indexed(
    directory: Path,
    settings: Settings,
    typescript: Path | None = None,
    *,
    trusted: bool = False,
    list_skipped: bool = False,
) -> Iterator[tuple[Workspace, IndexReport]]:
    """The workspace below a directory, and the report of indexing it; the index is stored for the next time.

    Raises:
        RequestError: there is no such directory, or it may not be read.
    """
    mode = mode_of(directory, str(directory))
    if not stat.S_ISDIR(mode):
        what = "is not a directory" if mode else "does not exist"
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"the workspace '{directory}' {what}")
    try:
        os.scandir(directory).close()
    except OSError as error:
        raise unreadable(str(directory), error) from error
    roots = (directory.resolve(),)
    workspace = _workspace(roots, settings, typescript, trusted=trusted)
    try:
        with counting("reading files") as progress:
            report = workspace.index(progress, list_skipped=list_skipped)
        yield workspace, report
    finally:
        workspace.close()


def _workspace(roots: tuple[Path, ...], settings: Settings, typescript: Path | None, *, trusted: bool) -> Workspace:
    """A workspace that has read nothing; `typescript` and `trusted` are the command line's, not the settings'."""
    changed = replace(workspace_settings(roots, settings), typescript=typescript, trusted=trusted)
    return open_workspace(changed, partial(note, style="dim"))
