"""The workspace that a command is told to read. Imports no model, so that `symbols` and `index` answer at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Workspace
from lsp_server.cli.console import counting
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from pathlib import Path

    from context_index import IndexReport


def workspace_of(directory: Path | None) -> Workspace:
    """The workspace below a directory, read; an empty one where none is named."""
    return Workspace(()) if directory is None else read(directory)[0]


def read(directory: Path) -> tuple[Workspace, IndexReport]:
    """The workspace below a directory, and what reading it found.

    Raises:
        RequestError: there is no such directory.
    """
    if not directory.is_dir():
        what = "is not a directory" if directory.exists() else "does not exist"
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"the workspace '{directory}' {what}")
    workspace = Workspace((directory.resolve(),))
    with counting("reading files") as progress:
        return workspace, workspace.index(progress)
