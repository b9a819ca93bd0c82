"""Copies of the packages that files are in: judges are silent about installed ones."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from os import walk
from pathlib import Path

_MOST_FILES = 2_000
"""A package with more is not copied: most of its files would be data."""
_COPIED = frozenset([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".py", ".pyi"])

SUFFIXES = {"javascript": (".js", ".mjs", ".cjs"), "typescript": (".ts", ".mts"), "python": (".py",)}


class Copies:
    """Packages below a directory, for each root in one of its own with a link to the packages beside them.

    Args:
        roots: Directories that hold the originals: a `node_modules`, a `site-packages`.
        directory: May hold copies of an earlier run; they are taken as they are.
    """

    def __init__(self, roots: Sequence[Path], directory: Path) -> None:
        self._copies = {root: directory / str(number) for number, root in enumerate(roots)}
        for root, copy in self._copies.items():
            copy.mkdir(parents=True, exist_ok=True)
            is_node = root.name == "node_modules"
            link = copy / ("node_modules" if is_node else ".venv")
            if not link.exists():
                link.symlink_to(root if is_node else root.parents[2])

    @property
    def roots(self) -> list[Path]:
        """Where the copies are, for a workspace."""
        return list(self._copies.values())

    def name(self, path: Path) -> str:
        """The path below its root, with forward slashes."""
        return path.relative_to(self._root(path)).as_posix()

    def package(self, path: Path) -> Path | None:
        """The package that a file is in; None for one that is in none, or in one within another."""
        root = self._root(path)
        parts = path.relative_to(root).parts
        depth = 2 if parts[0].startswith("@") else 1
        return None if len(parts) <= depth or "node_modules" in parts else root.joinpath(*parts[:depth])

    def can_hold(self, path: Path) -> bool:
        """Whether the file is in a package, and in one that is not too large."""
        package = self.package(path)
        return package is not None and len(_sources(package)) <= _MOST_FILES

    def copy_of(self, path: Path) -> Path:
        """A file in the copy of its package, which `can_hold` has said is possible."""
        root, package = self._root(path), self.package(path)
        assert package is not None  # noqa: S101 - the caller's condition
        copy = self._copies[root] / package.relative_to(root)
        if not copy.exists():
            part = self._copies[root] / ".part"  # made whole under another name: a run may be ended at any time
            shutil.rmtree(part, ignore_errors=True)
            for source in _sources(package):
                copied = part / source.relative_to(package)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copied)
            copy.parent.mkdir(exist_ok=True)
            part.rename(copy)
        return self._copies[root] / path.relative_to(root)

    def _root(self, path: Path) -> Path:
        return next(root for root in self._copies if path.is_relative_to(root))


@cache
def _sources(package: Path) -> list[Path]:
    return list(_below(package))


def _below(package: Path) -> Iterator[Path]:
    for folder, _, names in walk(package):
        yield from (Path(folder, name) for name in names if Path(name).suffix in _COPIED)
