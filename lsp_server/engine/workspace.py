"""The workspace of an engine, as the settings that concern it say. Imports no model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index import CheckerLimits, ScanSettings, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class WorkspaceSettings:
    """What a workspace is made for; another is made where any of it changes."""

    roots: tuple[Path, ...] = ()
    scan: ScanSettings = field(default_factory=ScanSettings)
    typescript: Path | None = None
    """The TypeScript that a person named."""
    trusted: bool = False
    checker_memory: int = CheckerLimits().memory
    """The most bytes that a type checker may hold."""
    store: Path | None = None
    """The file in which its index is kept; None where it is not."""


def open_workspace(settings: WorkspaceSettings, warn: Callable[[str], None]) -> Workspace:
    """A workspace that has read nothing yet; to be closed.

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
