"""Turns settings into those of a workspace. It is no part of `engine`, so that `cli/workspace` imports no model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from context_index import Language, ScanSettings
from lsp_server.engine.workspace import WorkspaceSettings
from lsp_server.store import store_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsp_server.settings.table import Settings


def workspace_settings(roots: Sequence[Path], settings: Settings) -> WorkspaceSettings:
    """The settings of a workspace of some folders."""
    return WorkspaceSettings(
        roots=tuple(roots),
        scan=ScanSettings(
            include=settings.include,
            exclude=settings.exclude,
            languages=frozenset(map(Language, settings.languages)),
            secrets=settings.secrets,
        ),
        typescript=None if settings.typescript is None else Path(settings.typescript).expanduser(),
        trusted=settings.trusted,
        checker_memory=settings.checker_memory_mb << 20,
        store=store_of(roots),
    )
