"""Copies of the packages that files are in: judges are silent about installed ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

_MOST_FILES = 400
"""A package with more is not copied: most of its files would be data."""
_COPIED = frozenset([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".py", ".pyi"])


class Copies:
    """Packages below a directory, with a link to those beside them.

    Args:
        roots: Directories that hold the originals: a `node_modules`, a `site-packages`.
    """

    def __init__(self, roots: Sequence[Path], directory: Path) -> None:
        self._roots = roots
        self._directory = directory

    def name(self, path: Path) -> str:
        """The path below its root, with forward slashes."""
        return path.relative_to(self._root(path)).as_posix()

    def can_hold(self, path: Path) -> bool:
        """Whether the file is in a package, and in one that is not too large."""
        package = self._package(path)
        return package is not None and len(_sources(package)) <= _MOST_FILES

    def copy_of(self, path: Path) -> Path:
        """A file in the copy of its package, which `can_hold` has said is possible."""
        root, package = self._root(path), self._package(path)
        assert package is not None  # noqa: S101 - the caller's condition
        if not (self._directory / package.relative_to(root)).exists():
            for source in _sources(package):
                copied = self._directory / source.relative_to(root)
                copied.parent.mkdir(parents=True, exist_ok=True)
                copied.write_bytes(source.read_bytes())
        name = "node_modules" if path.suffix not in (".py", ".pyi") else ".venv"
        link = self._directory / name
        if not link.exists():
            link.symlink_to(root if name == "node_modules" else root.parents[2])
        return self._directory / path.relative_to(root)

    def _root(self, path: Path) -> Path:
        return next(root for root in self._roots if path.is_relative_to(root))

    def _package(self, path: Path) -> Path | None:
        root = self._root(path)
        parts = path.relative_to(root).parts
        depth = 2 if parts[0].startswith("@") else 1
        return None if len(parts) <= depth or "node_modules" in parts else root.joinpath(*parts[:depth])


@cache
def _sources(package: Path) -> list[Path]:
    return [one for one in package.rglob("*") if one.is_file() and one.suffix in _COPIED]
