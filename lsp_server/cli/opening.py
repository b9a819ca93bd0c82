"""The workspace, the model and the service that a command works with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from context_index import Workspace
from lsp_server.cli.console import console_for_notes, counting
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.model_host import ModelEvent, ModelHost, ModelSettings, ModelState
from lsp_server.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from context_index import IndexReport
    from lsp_server.cli.arguments import Arguments


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


@contextmanager
def service_of(arguments: Arguments) -> Iterator[Service]:
    """A service for one command; the model is loaded by the first request that needs it."""
    settings = ModelSettings(name=arguments.model, device=arguments.device, dtype=arguments.dtype)
    workspace = workspace_of(arguments.workspace)
    host = ModelHost(settings, _note)
    try:
        yield Service(workspace, host)
    finally:
        host.close()


def _note(event: ModelEvent) -> None:
    """Tell what people should know of the model; a failure is told by the request that needed it."""
    if event.message and event.state is not ModelState.FAILED:
        console_for_notes().print(event.message, style="dim")
