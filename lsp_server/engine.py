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

from context_index import CheckerLimits, IndexReport, ScanSettings, Workspace
from lsp_server.config import scan_settings
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.model_host import ModelHost, ModelSettings, ModelState
from lsp_server.service import Policy, Service, why_excluded
from lsp_server.store import store_of
from lsp_server.verification import Verifier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from lsp_server.config import Settings
    from lsp_server.model_host import ModelEvent

_log = logging.getLogger(__name__)

_RETRY_SECONDS = 30.0
"""How long a model that could not be had is not asked for again: loading may take long, and fail again."""


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """What a workspace is made for; another is made where any of it changes."""

    roots: tuple[Path, ...]
    scan: ScanSettings
    typescript: Path | None
    """The TypeScript that a person named."""
    trusted: bool
    checker_memory: int
    """The most bytes that a type checker may hold."""


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


def workspace_settings(roots: Sequence[Path], settings: Settings) -> WorkspaceSettings:
    """The settings that concern the workspace."""
    typescript = None if settings.typescript is None else Path(settings.typescript).expanduser()
    memory = settings.checker_memory_mb << 20
    return WorkspaceSettings(tuple(roots), scan_settings(settings), typescript, settings.trusted, memory)


def model_settings(settings: Settings) -> ModelSettings:
    """The settings that concern the model."""
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
    warn: Callable[[str], None] = _log.warning,
    before: Engine | None = None,
) -> Engine:
    """The engine for these settings and roots, with the parts of the one before that still serve.

    Args:
        notify: Called with the model's events, on the model's thread.
        warn: Called with a sentence where the index cannot be stored, on any thread.
        before: The engine that this one replaces.
    """
    of_workspace, of_model = workspace_settings(roots, settings), model_settings(settings)
    if before is not None and before.workspace_settings == of_workspace:
        workspace, reading = before.workspace, before.reading
    else:
        workspace = Workspace(
            roots,
            settings=of_workspace.scan,
            typescript=of_workspace.typescript,
            trusted=of_workspace.trusted,
            store=store_of(roots),
            notify=warn,
            limits=CheckerLimits(memory=of_workspace.checker_memory),
        )
        reading = Lock()
    if before is not None and before.host.settings == of_model:
        host = before.host
    else:
        host = ModelHost(of_model, lambda event: notify(host, event))
    verifier = Verifier(workspace, opens=False)
    return Engine(of_workspace, workspace, host, Service(workspace, host, policy(settings), verifier), reading)
