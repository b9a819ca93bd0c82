"""The state of a workspace that all of its checkers share: the editor's buffers, and what changed on disk."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from context_index.text import Document


class FileChange(IntEnum):
    """What happened to a file on disk; the numbers are those of LSP's `FileChangeType`."""

    CREATED = 1
    CHANGED = 2
    DELETED = 3


@dataclass
class World:
    """The editor's open buffers, and what changed on disk. Thread-safe; `lock` guards all fields."""

    buffers: dict[str, Document] = field(default_factory=dict)
    """The open documents, by URI."""
    revision: int = 0
    """Grows with each change. An answer of a checker to an older revision may be wrong."""
    changes: list[tuple[str, FileChange]] = field(default_factory=list)
    """All changes on disk so far, each with the file's URI; each checker remembers how many of them it knows."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    _changed: dict[str, int] = field(default_factory=dict)
    """The revision of the last change of each buffer, by URI, and of the disk, under ""."""

    def open(self, document: Document) -> None:
        """Record that the editor opened a document, or that its text changed."""
        with self.lock:
            if self.buffers.get(document.uri) != document:
                self.buffers[document.uri] = document
                self._change(document.uri)

    def close(self, uri: str) -> None:
        """Record that the editor closed a document: the file on disk counts again."""
        with self.lock:
            if self.buffers.pop(uri, None) is not None:
                self._change(uri)

    def files_changed(self, changes: Iterable[tuple[Path, FileChange]]) -> None:
        """Record that files were created, changed or deleted on disk."""
        with self.lock:
            self.changes += [(path.as_uri(), change) for path, change in changes]
            self._change("")

    def revision_besides(self, uri: str) -> int:
        """The revision of the last change that was not in the buffer with a URI; 0 if there was none."""
        with self.lock:
            return max((revision for changed, revision in self._changed.items() if changed != uri), default=0)

    def _change(self, key: str) -> None:
        self.revision += 1
        self._changed[key] = self.revision
