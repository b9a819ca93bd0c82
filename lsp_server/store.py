"""Where state is stored between runs: indexes, journals of writes, acceptance counts. All doors use the same files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import default_store
from lsp_server.engine.acceptance import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

CACHE = "INSCOPE_CACHE"
"""The environment variable that names another folder than the user's cache. If it is empty, nothing is stored."""


def store_folder() -> Path | None:
    """The folder of all workspaces' indexes; None if nothing is to be stored."""
    usual = default_store(()).parent
    named = os.environ.get(CACHE)
    if named is None:
        return usual
    return Path(named) / usual.name if named else None


def store_of(roots: Sequence[Path]) -> Path | None:
    """The index file of one workspace; None if nothing is to be stored, or there are no roots."""
    folder = store_folder()
    return folder / default_store(roots).name if folder and roots else None


def journal_folder() -> Path | None:
    """The folder of the journals of `lsp_server.writing`; None if nothing is to be stored."""
    folder = store_folder()
    return folder.parent / "writes" if folder else None


def has_journals() -> bool:
    """Whether there is a journal: a write is under way, or its process ended before the write did."""
    folder = journal_folder()
    return folder is not None and next(folder.glob("*.jsonl"), None) is not None


def acceptance_file() -> Path | None:
    """The file of `lsp_server.engine.acceptance`; None if nothing is to be stored."""
    folder = store_folder()
    return folder.parent / FILE if folder else None
