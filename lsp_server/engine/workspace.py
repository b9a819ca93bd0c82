"""Opens a workspace as its settings say, for the engine and for commands without a model. Imports no model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index import CheckerLimits, ScanSettings, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """The settings of a workspace; if any of them changes, a new workspace is opened."""

    roots: tuple[Path, ...] = ()
    scan: ScanSettings = field(default_factory=ScanSettings)
    typescript: Path | None = None
    """The TypeScript that a person named; None if none is named."""
    trusted: bool = False
    """Whether a TypeScript inside of the workspace may be run."""
    checker_memory: int = CheckerLimits().memory
    """The most bytes that a type checker may hold."""
    store: Path | None = None
    """The file in which the index is stored; None where it is not stored."""


def open_workspace(settings: WorkspaceSettings, warn: Callable[[str], None]) -> Workspace:
    """A workspace that has read nothing yet; the caller closes it.

    Args:
        warn: Called with a sentence where the index cannot be stored, on any thread.
    """
    return Workspace(
        settings.roots,
        settings=settings.scan,
        typescript=settings.typescript,
        trusted=settings.trusted,
        store=settings.store,
        notify=warn,
        limits=CheckerLimits(memory=settings.checker_memory),
    )
