"""What folders hold, as the disk and the editor have it, remembered until a folder changes.

Knows nothing of modules, but for the two things that are asked of a folder again and again: whether it can be imported
as such, and what its manifest says.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from context_index.modules.packages import Package, load_package

INDEXES = ("index.js", "index.json", "index.node", "index.ts", "index.tsx", "index.jsx", "index.d.ts")
"""What stands for a folder that is imported as such, for Node or for TypeScript."""
_FOUND_AS = ("", ".js", ".json", ".node", ".ts", ".tsx", ".jsx", ".d.ts")
_MOST = 5_000
"""Folders that are remembered: those of a large `node_modules` and more."""


def _none() -> Iterable[Path]:
    return ()


@dataclass(frozen=True, slots=True)
class Entries:
    """The names in one folder."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.files or self.folders)


class Folders:
    """Asked by one thread."""

    def __init__(self, opened: Callable[[], Iterable[Path]] = _none) -> None:
        """`opened` tells the files that an editor has open, which may not have been saved yet."""
        self._opened = opened
        self._entries: dict[Path, tuple[int, Entries]] = {}
        self._packages: dict[Path, tuple[int, Package | None]] = {}
        self._fresh: dict[Path, Entries | None] = {}
        """What was looked at for the question that is being answered."""

    def look_again(self) -> None:
        """Another question: folders may have changed."""
        self._fresh.clear()

    def entries(self, folder: Path) -> Entries | None:
        """The names in a folder, links followed; None where there is no such folder, or it may not be read."""
        if folder not in self._fresh:
            self._fresh[folder] = self._looked_at(folder)
        return self._fresh[folder]

    def package(self, folder: Path) -> Package | None:
        """What the package.json in a folder says, if there is one."""
        try:
            changed = (folder / "package.json").stat().st_mtime_ns
        except OSError:
            return None
        known = self._packages.get(folder)
        if known is None or known[0] != changed:
            known = self._packages[folder] = changed, load_package(folder)
            while len(self._packages) > _MOST:
                del self._packages[next(iter(self._packages))]
        return known[1]

    def is_file(self, path: Path) -> bool:
        """Whether there is such a file, saved or not."""
        found = self.entries(path.parent)
        return found is not None and path.name in found.files

    def is_importable(self, folder: Path) -> bool:
        """Whether the folder itself can be imported: by its index, or by what its package.json calls its main file."""
        found = self.entries(folder)
        if found is None:
            return False
        if not found.files.isdisjoint(INDEXES):
            return True
        package = self.package(folder) if "package.json" in found.files else None
        return package is not None and any(self._is_main(folder, main) for main in (package.main, package.types))

    def installed(self, importer: Path) -> Iterator[Path]:
        """The `node_modules` that a file imports from, the nearest first."""
        for above in importer.parents:
            if above.name != "node_modules" and self.entries(found := above / "node_modules") is not None:
                yield found

    def _looked_at(self, folder: Path) -> Entries | None:
        try:
            changed = folder.stat().st_mtime_ns
            known = self._entries.get(folder)
            if known is None or known[0] != changed:
                known = self._entries[folder] = changed, _read(folder)
                while len(self._entries) > _MOST:
                    del self._entries[next(iter(self._entries))]
        except OSError:
            return None
        unsaved = {path.name for path in self._opened() if path.parent == folder} - known[1].files
        return Entries(known[1].files | unsaved, known[1].folders) if unsaved else known[1]

    def _is_main(self, folder: Path, main: str) -> bool:
        if not main:
            return False
        path = Path(os.path.normpath(folder / main))
        if any(self.is_file(path.with_name(path.name + suffix)) for suffix in _FOUND_AS):
            return True
        found = self.entries(path)
        return path != folder and found is not None and not found.files.isdisjoint(INDEXES)


def _read(folder: Path) -> Entries:
    files: set[str] = set()
    folders: set[str] = set()
    with os.scandir(folder) as found:
        for entry in found:
            (folders if entry.is_dir() else files).add(entry.name)
    return Entries(frozenset(files), frozenset(folders))


def joined(folder: Path, path: str) -> Path:
    """Where a relative path leads, without asking the disk."""
    return Path(os.path.normpath(folder / path))
