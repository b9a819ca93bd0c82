"""The service or the model of one command, closed when the command ends."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from lsp_server.cli.console import note
from lsp_server.cli.workspace import workspace_of
from lsp_server.engine.model_host import ModelEvent, ModelHost, ModelState
from lsp_server.engine.service import Service
from lsp_server.engine.verification import Verifier
from lsp_server.settings.engine import model_settings, policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_server.cli.arguments import Arguments


@contextmanager
def service_of(arguments: Arguments, *, prior: bool = True) -> Iterator[Service]:
    """A service for one command; the model is loaded by the first request that needs it.

    Args:
        prior: Whether names and n-grams of the file and the workspace become more probable.
    """
    with workspace_of(arguments) as workspace, host_of(arguments) as host:
        verifier = Verifier(workspace, opens=False)  # no line of a batch knows the text of another
        yield Service(workspace, host, replace(policy(arguments.settings), prior=prior), verifier)


@contextmanager
def host_of(arguments: Arguments) -> Iterator[ModelHost]:
    """The model's thread of one command; the model is loaded by the first request that needs it."""
    settings = replace(arguments.settings, memory_cap_mb=None)
    host = ModelHost(model_settings(settings), _note)
    try:
        yield host
    finally:
        host.close()


def _note(event: ModelEvent) -> None:
    """Print the model's messages, but no failure: the request that needs the model reports that."""
    if event.message and event.state is not ModelState.FAILED:
        note(event.message, "dim")
