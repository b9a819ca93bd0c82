"""What a session's settings and roots require: a workspace, a model's thread, and the service over both.

The workspace and the model stay where their settings do not change; the service over them is made anew. Methods may be
called from worker threads.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

from context_index import CheckerLimits, IndexReport, ScanSettings, Workspace, path_of
from lsp_server.config import scan_settings
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.model_host import ModelHost, ModelSettings, ModelState
from lsp_server.service import Policy, Service
from lsp_server.store import store_of
from lsp_server.verification import Verifier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from lsp_server.config import Settings
    from lsp_server.model_host import ModelEvent

    WorkspaceSettings = tuple[Sequence[Path], ScanSettings, Path | None, bool, int]
    """Roots, which files are read, TypeScript as set, whether the workspace is trusted, a checker's limit in bytes."""

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0
"""How long a model that could not be had is not asked for again: loading may take long, and fail again."""


@dataclass(slots=True)
class Engine:
    """The service in force."""

    settings: WorkspaceSettings
    """What the workspace was made for."""
    workspace: Workspace
    host: ModelHost
    service: Service
    reading: Lock = field(default_factory=Lock)
    """Held while the workspace is read or closed, so that neither happens during the other."""
    fault: RequestError | None = None
    """Why the model could not be had when it was asked for last."""
    _tried_at: float = -math.inf
    _loading: Future[None] | None = None

    @property
    def verifier(self) -> Verifier:
        """The one that judges suggestions."""
        return self.service.verifier

    def warm_up(self) -> Future[None] | None:
        """Have the model loaded; None where it is loaded, or was found impossible to load a moment ago."""
        if self.host.state is ModelState.READY:
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

    @property
    def has_model(self) -> bool:
        """Whether the model is loaded."""
        return self.host.state is ModelState.READY

    def off(self, uri: str) -> str:
        """One sentence why nothing is suggested in a file, or an empty text."""
        path = path_of(uri)
        why = self.workspace.excluded(path) if path is not None else None
        return f"Suggestions are off for this file: {why}." if why else ""


def workspace_settings(roots: Sequence[Path], settings: Settings) -> WorkspaceSettings:
    """What a workspace is made for; another is made where any of it changes."""
    typescript = None if settings.typescript is None else Path(settings.typescript).expanduser()
    return roots, scan_settings(settings), typescript, settings.trusted, settings.checker_memory_mb << 20


def model_settings(settings: Settings) -> ModelSettings:
    """Which model, where, for how long."""
    return ModelSettings(
        name=settings.model,
        device=settings.device,
        dtype=settings.dtype,
        idle_unload_seconds=settings.idle_unload_seconds or None,
        memory_cap_mb=settings.memory_cap_mb,
    )


def policy(settings: Settings) -> Policy:
    """The features that a user may switch off."""
    return Policy(
        in_comments=settings.inline_comments,
        in_strings=settings.inline_strings,
        prior=settings.prior == "on",
    )


def build(
    settings: Settings,
    roots: Sequence[Path],
    notify: Callable[[ModelHost, ModelEvent], None],
    *,
    tell: Callable[[str], None] = _log.warning,
    before: Engine | None = None,
) -> Engine:
    """The engine for these settings and roots, with the parts of the one before that still serve.

    Args:
        notify: called with the model's events, on the model's thread.
        tell: called with a sentence where the index cannot be stored, on any thread.
    """
    of_workspace, of_model = workspace_settings(roots, settings), model_settings(settings)
    if before is not None and before.settings == of_workspace:
        workspace, reading = before.workspace, before.reading
    else:
        _, scan, typescript, trusted, memory = of_workspace
        workspace = Workspace(
            roots,
            settings=scan,
            typescript=typescript,
            trusted=trusted,
            store=store_of(roots),
            notify=tell,
            limits=CheckerLimits(memory=memory),
        )
        reading = Lock()
    if before is not None and before.host.settings == of_model:
        host = before.host
    else:
        host = ModelHost(of_model, lambda event: notify(host, event))
    verifier = Verifier(workspace, opens=False)
    return Engine(of_workspace, workspace, host, Service(workspace, host, policy(settings), verifier), reading)
