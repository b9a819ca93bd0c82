"""The engine that settings demand: a workspace, a model's thread, and the service that uses both.

The language server builds one at its start and one for each change of settings. The workspace and the model are kept if
their own settings stay the same; the service is always made anew. Methods may be called from worker threads.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING

from context_index import IndexReport, Workspace
from lsp_server.engine.model_host import ModelHost, ModelSettings, ModelState
from lsp_server.engine.service import Policy, Service
from lsp_server.engine.site import why_excluded
from lsp_server.engine.verification import Verifier
from lsp_server.engine.workspace import WorkspaceSettings, open_workspace
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from lsp_server.engine.model_host import ModelEvent

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0
"""Seconds after a failed load before the next try: loading may take long, and fail again."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """The settings of an engine's parts."""

    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    policy: Policy = field(default_factory=Policy)


@dataclass(slots=True)
class Engine:
    """The service in force, with its workspace and its model."""

    workspace_settings: WorkspaceSettings
    """The settings with which the workspace was made."""
    workspace: Workspace
    host: ModelHost
    service: Service
    reading: Lock = field(default_factory=Lock)
    """Held while the workspace is read or closed, so that neither happens during the other."""
    fault: RequestError | None = None
    """Why the model could not be loaded last time."""
    _tried_at: float = -math.inf
    """When loading was last begun, on `time.monotonic`'s clock."""
    _loading: Future[None] | None = None
    """The last load."""

    @property
    def has_model(self) -> bool:
        """Whether the model is loaded."""
        return self.host.state is ModelState.READY

    def why_excluded(self, uri: str) -> str:
        """One sentence why nothing is suggested in a file; empty where something may be."""
        return why_excluded(self.workspace, uri)

    def warm_up(self) -> Future[None] | None:
        """Have the model loaded; the future ends with the load. None where it is loaded, or has just failed to load."""
        if self.has_model:
            return None
        if self._loading is not None and not self._loading.done():
            return self._loading
        if self.host.state is ModelState.FAILED and time.monotonic() - self._tried_at < _RETRY_SECONDS:
            return None
        self._tried_at = time.monotonic()
        self._loading = self.host.submit(lambda _model: None)
        self._loading.add_done_callback(self._loaded)
        return self._loading

    def read(self, progress: Callable[[int, int], None], cancel: Event) -> IndexReport:
        """Read the workspace's files. Blocks; waits first for a reading that is already under way."""
        with self.reading:
            return self.workspace.index(progress=progress, cancel=cancel)

    def close_workspace(self) -> None:
        """Stop the workspace's type checkers and save its index; blocks."""
        with self.reading:
            self.workspace.close()

    def _loaded(self, load: Future[None]) -> None:
        fault = None if load.cancelled() else load.exception()
        if fault is None or isinstance(fault, RequestError):
            self.fault = fault
        else:
            _log.error("the model could not be loaded", exc_info=fault)
            self.fault = RequestError(ErrorCode.INTERNAL, f"the model could not be loaded: {fault}")


def build(
    settings: EngineSettings,
    notify: Callable[[ModelHost, ModelEvent], None],
    *,
    warn: Callable[[str], None] = _log.warning,
    before: Engine | None = None,
) -> Engine:
    """The engine for these settings; it takes over the parts of `before` whose settings are the same.

    The caller closes the parts of `before` that the new engine does not take over.

    Args:
        notify: Called with the model's events, on the model's thread.
        warn: Called with a sentence where the index cannot be stored, on any thread.
        before: The engine that this one replaces.
    """
    if before is not None and before.workspace_settings == settings.workspace:
        workspace, reading = before.workspace, before.reading
    else:
        workspace, reading = open_workspace(settings.workspace, warn), Lock()
    if before is not None and before.host.settings == settings.model:
        host = before.host
    else:
        host = ModelHost(settings.model, lambda event: notify(host, event))
    # opens=False: the editor says itself which documents are open
    service = Service(workspace, host, settings.policy, Verifier(workspace, opens=False))
    return Engine(settings.workspace, workspace, host, service, reading)
