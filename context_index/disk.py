"""Whether something stands at a path, for those who would only pass it by where nothing does.

`Path.is_file` and its like raise where a folder may not be looked into (a `.venv` that a container made as root) and
where a name is too long for the file system, `Path.resolve` where links lead in a circle. To whoever looks for
something to use, there is nothing.
"""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a file is there, links followed, as far as it may be seen."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there, links followed, as far as it may be seen."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_link(path: Path) -> bool:
    """Whether a symbolic link is there, as far as it may be seen."""
    try:
        return path.is_symlink()
    except OSError:
        return False


def real(path: Path) -> Path:
    """Where a path leads, links followed as far as they can be."""
    return Path(os.path.realpath(path))
