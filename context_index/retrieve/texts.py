"""The texts of workspace files: the editor's where a file is open, else those on disk, read again when they changed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.text import lines_of

LARGEST = 256 * 1024
"""The most bytes of a file that is read for snippets."""
_KEPT = 64


@dataclass(frozen=True, slots=True)
class Source:
    """One state of a file; another state is another object."""

    path: Path
    text: str
    lines: Sequence[str]


class Texts:
    """The texts of files; those on disk are cached, the last used ones.

    Args:
        allowed: Whether a file may be read from disk.
    """

    def __init__(self, allowed: Callable[[Path], bool]) -> None:
        self._allowed = allowed
        self._open: dict[Path, Source] = {}
        self._read: OrderedDict[Path, tuple[tuple[int, int], Source]] = OrderedDict()
        self._listed: OrderedDict[tuple[Path, str], tuple[int, Sequence[Path]]] = OrderedDict()
        """The files of folders, by folder and suffix, with the time of the folder's last change."""

    def put(self, path: Path, text: str) -> None:
        """Set the editor's text of a file."""
        self._open[path] = Source(path, text, lines_of(text))

    def drop(self, path: Path) -> None:
        """Forget the editor's text of a file."""
        self._open.pop(path, None)

    def opened(self) -> list[Path]:
        """The files that the editor has open, in the order in which they were opened."""
        return list(self._open)

    def siblings(self, path: Path) -> Sequence[Path]:
        """The files of the same kind in the same folder, in order, itself included if it exists."""
        folder = path.parent
        try:
            changed = folder.stat().st_mtime_ns
            known = self._listed.get((folder, path.suffix))
            if known is None or known[0] != changed:
                known = (changed, sorted(folder.glob(f"*{path.suffix}")))
                self._listed[folder, path.suffix] = known
                while len(self._listed) > _KEPT:
                    self._listed.popitem(last=False)
        except OSError:  # the folder is gone, or was never there
            return ()
        return known[1]

    def source(self, path: Path) -> Source | None:
        """The file's text; None where there is none, or it may not be read, is too large, or is not UTF-8."""
        if (found := self._open.get(path)) is not None:
            return found
        try:
            status = path.stat()
            state = (status.st_mtime_ns, status.st_size)
            known = self._read.get(path)
            if known is not None and known[0] == state:
                self._read.move_to_end(path)
                return known[1]
            if status.st_size > LARGEST or not self._allowed(path):
                return None
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError):  # gone or unreadable since it was listed
            return None
        found = Source(path, text, lines_of(text))
        self._read[path] = (state, found)
        while len(self._read) > _KEPT:
            self._read.popitem(last=False)
        return found
