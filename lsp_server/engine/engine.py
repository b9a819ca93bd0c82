"""What settings require: a workspace, a model's thread, and the service over both.

The workspace and the model stay where their settings do not change; the service over them is made anew. Methods may be
called from worker threads.
"""

from __future__ import annotations

import logging
import math
import time
from contextlib import closing
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING

from context_index import Document, IndexReport, Language, Workspace, parse
from decoder import SamplingOptions
from lsp_server.engine.model_host import ModelHost, ModelSettings, ModelState
from lsp_server.engine.service import Policy, Service
from lsp_server.engine.site import why_excluded
from lsp_server.engine.suggestion import CompletionRequest
from lsp_server.engine.verification import Verifier
from lsp_server.engine.workspace import WorkspaceSettings, open_workspace
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from lsp_server.engine.model_host import ModelEvent
    from lsp_server.engine.suggestion import Suggestion

_log = logging.getLogger(__name__)

_SAMPLE = "def area(width, height):\n    return "
_RETRY_SECONDS = 30.0
"""How long a model that could not be had is not asked for again: loading may take long, and fail again."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What an engine is made for."""

    workspace: WorkspaceSettings = field(default_factory=WorkspaceSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    policy: Policy = field(default_factory=Policy)


@dataclass(slots=True)
class Engine:
    """The service in force, with its workspace and its model."""

    workspace_settings: WorkspaceSettings
    """What the workspace was made for."""
    workspace: Workspace
    host: ModelHost
    service: Service
    reading: Lock = field(default_factory=Lock)
    """Held while the workspace is read or closed, so that neither happens during the other."""
    fault: RequestError | None = None
    """Why the model could not be loaded last time."""
    _tried_at: float = -math.inf
    _loading: Future[None] | None = None

    @property
    def has_model(self) -> bool:
        """Whether the model is loaded."""
        return self.host.state is ModelState.READY

    def why_excluded(self, uri: str) -> str:
        """One sentence why nothing is suggested in a file; empty where something may be."""
        return why_excluded(self.workspace, uri)

    def warm_up(self) -> Future[None] | None:
        """Have the model loaded; None where it is loaded, or could not be loaded a moment ago."""
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
        """Read the workspace. Blocks, at first until another reading has ended."""
        with self.reading:
            return self.workspace.index(progress=progress, cancel=cancel)

    def close_workspace(self) -> None:
        """Stop its type checkers and save what was read; blocks."""
        with self.reading:
            self.workspace.close()

    def _loaded(self, load: Future[None]) -> None:
        fault = None if load.cancelled() else load.exception()
        if fault is None or isinstance(fault, RequestError):
            self.fault = fault
        else:
            _log.error("the model could not be loaded", exc_info=fault)
            self.fault = RequestError(ErrorCode.INTERNAL, f"the model could not be loaded: {fault}")


def suggestion_of(host: ModelHost) -> Suggestion:
    """What a model suggests in a small file, at the second time, when all is loaded."""
    syntax = parse(Document("untitled:area.py", Language.PYTHON, _SAMPLE))
    request = CompletionRequest(syntax=syntax, offset=len(_SAMPLE), sampling=SamplingOptions())
    with closing(Workspace(())) as workspace:
        service = Service(workspace, host)
        service.complete(request)
        return service.complete(request)


def build(
    settings: EngineSettings,
    notify: Callable[[ModelHost, ModelEvent], None],
    *,
    warn: Callable[[str], None] = _log.warning,
    before: Engine | None = None,
) -> Engine:
    """The engine for these settings, with the parts of the one before that still serve.

    The caller closes the parts of `before` that the new engine does not share.

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
