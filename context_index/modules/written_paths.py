"""The paths of modules that a text writes, and those of the files beside it: they show how one writes them there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from context_index.modules.folders import Folders

_WRITTEN = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(?:'([^'\n]+)'|"([^"\n]+)")""")
_COMMENT = re.compile(r"\s*(?://|/?\*)")
"""At the beginning of a line."""
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_MOST_NEIGHBOURS = 8
_LARGEST = 100_000
"""Bytes of a neighbour that is read."""


def paths_in(text: str, around: int = -1) -> list[str]:
    """The paths that a text writes, in its order, without that which is at an offset."""
    return list(_paths(text, around))


class Neighbours:
    """What the files of a folder write; each is read again only when it has changed."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._read: dict[Path, tuple[int, tuple[str, ...]]] = {}

    def paths(self, importer: Path) -> list[str]:
        """The paths in some of the files beside one."""
        found = self._folders.entries(importer.parent)
        files = sorted(found.files) if found is not None else []
        beside = (importer.parent / name for name in files if name.endswith(_SCRIPTS) and name != importer.name)
        return [path for file in islice(beside, _MOST_NEIGHBOURS) for path in self._in_file(file)]

    def _in_file(self, file: Path) -> tuple[str, ...]:
        try:
            status = file.stat()
            known = self._read.get(file)
            if known is None or known[0] != status.st_mtime_ns:
                text = file.read_text(encoding="utf-8", errors="replace") if status.st_size <= _LARGEST else ""
                known = self._read[file] = status.st_mtime_ns, tuple(paths_in(text))
        except OSError:  # it was there a moment ago, or is not saved yet
            return ()
        return known[1]


def _paths(text: str, around: int) -> Iterator[str]:
    for found in _WRITTEN.finditer(text):
        line = text.rfind("\n", 0, found.start()) + 1
        if not found.start() <= around <= found.end() and not _COMMENT.match(text, line):
            yield found[1] or found[2]
