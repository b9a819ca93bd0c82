"""Questions about paths on disk. None raises: what cannot be read counts as not there.

`Path.is_file` and the like raise where a directory may not be read (a `.venv` that a container made as root) and
where a name is too long for the file system; `Path.resolve` raises where links form a loop, and both where a path has
the character 0, in some versions of Python.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a path leads to a file, links followed; False where that may not be read."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder, links followed; False where that may not be read."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_link(path: Path) -> bool:
    """Whether a path is a symbolic link; False where that may not be read."""
    try:
        return path.is_symlink()
    except OSError:
        return False


def innermost_root(path: Path, roots: Sequence[Path]) -> Path | None:
    """The innermost of some folders that holds a path; None where no folder does."""
    return _innermost_root(path, tuple(roots))


@lru_cache(maxsize=256)  # each keystroke asks for the root of its document many times
def _innermost_root(path: Path, roots: tuple[Path, ...]) -> Path | None:
    return max((root for root in roots if path.is_relative_to(root)), key=lambda root: len(root.parts), default=None)


def real(path: Path) -> Path:
    """Where a path leads, links followed as far as possible; the path itself if no file can have it."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # it has the character 0
        return path.absolute()
