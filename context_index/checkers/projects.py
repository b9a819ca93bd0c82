"""The project that a file belongs to: the nearest folder above it that says so, within its workspace.

Depends on the file alone, never on which file was asked about first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from context_index.disk import is_file

_MARKS = {False: ("tsconfig.json", "jsconfig.json", "package.json"), True: ("ty.toml", "pyproject.toml")}
"""By whether the language is Python."""


def workspace_of(path: Path, roots: Sequence[Path]) -> Path | None:
    """The innermost root that a file lies in."""
    holding = [root for root in roots if path.is_relative_to(root)]
    return max(holding, key=lambda root: len(root.parts), default=None)


def project_of(path: Path, roots: Sequence[Path], *, is_python: bool) -> Path:
    """The folder of a file's project.

    Without a mark up to its workspace's root, it is that root; outside of all workspaces, the file's own folder.
    """
    root = workspace_of(path, roots)
    for folder in path.parents:
        if any(is_file(folder / mark) for mark in _MARKS[is_python]):
            return folder
        if folder == root:
            return root
    return path.parent
