"""Where the state of a workspace is stored, the same for the server and all commands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import default_store
from lsp_server.engine.acceptance import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

CACHE = "INSCOPE_CACHE"
"""The environment variable that names another directory than the user's cache; empty, nothing is kept on disk."""


def store_folder() -> Path | None:
    """The folder of all workspaces' files; None where nothing is to be kept."""
    usual = default_store(()).parent
    named = os.environ.get(CACHE)
    if named is None:
        return usual
    return Path(named) / usual.name if named else None


def store_of(roots: Sequence[Path]) -> Path | None:
    """The file of one workspace; None where nothing is to be kept, or there is nothing to read."""
    folder = store_folder()
    return folder / default_store(roots).name if folder and roots else None


def journal_folder() -> Path | None:
    """The folder of the journals of `lsp_server.writing`; None where nothing is to be kept."""
    folder = store_folder()
    return folder.parent / "writes" if folder else None


def has_journals() -> bool:
    """Whether anything is being written, or was when its process ended."""
    folder = journal_folder()
    return folder is not None and next(folder.glob("*.jsonl"), None) is not None


def acceptance_file() -> Path | None:
    """The file of `lsp_server.engine.acceptance`; None where nothing is to be kept."""
    folder = store_folder()
    return folder.parent / FILE if folder else None
