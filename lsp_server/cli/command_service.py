"""The service or the model of one command, closed when the command ends."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lsp_server.cli.console import note
from lsp_server.cli.workspace import workspace_of
from lsp_server.model_host import ModelEvent, ModelHost, ModelSettings, ModelState
from lsp_server.service import Policy, Service
from lsp_server.verification import Verifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lsp_server.cli.arguments import Arguments


@contextmanager
def service_of(arguments: Arguments, *, prior: bool = True) -> Iterator[Service]:
    """A service for one command; the model is loaded by the first request that needs it.

    Args:
        prior: Whether what the file and the workspace repeat, names and n-grams, becomes more probable.
    """
    with workspace_of(arguments) as workspace, host_of(arguments) as host:
        settings = arguments.settings
        policy = Policy(in_comments=settings.inline_comments, in_strings=settings.inline_strings, prior=prior)
        verifier = Verifier(workspace, opens=False)  # no line of a batch knows the text of another
        yield Service(workspace, host, policy, verifier)


@contextmanager
def host_of(arguments: Arguments) -> Iterator[ModelHost]:
    """The model of one command; it is loaded by the first request that needs it."""
    settings = ModelSettings(name=arguments.model, device=arguments.device, dtype=arguments.dtype)
    host = ModelHost(settings, _note)
    try:
        yield host
    finally:
        host.close()


def _note(event: ModelEvent) -> None:
    """Print what the model reports, but for its failure, which the request that needs the model reports."""
    if event.message and event.state is not ModelState.FAILED:
        note(event.message, "dim")
