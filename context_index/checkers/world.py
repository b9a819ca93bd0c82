"""What every checker of a workspace is to know."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from context_index.text import Document


class FileChange(IntEnum):
    """What happened to a file on disk, as LSP counts."""

    CREATED = 1
    CHANGED = 2
    DELETED = 3


@dataclass
class World:
    """The editor's open buffers, and what happened on disk."""

    buffers: dict[str, Document] = field(default_factory=dict)
    """By URI."""
    revision: int = 0
    """Grows with each change; what a checker said of an older one may be wrong."""
    changes: list[tuple[str, FileChange]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _changed: dict[str, int] = field(default_factory=dict)
    """The revision of each buffer's last change, by URI; that of the disk's last change under ""."""

    def open(self, document: Document) -> None:
        """The editor shows a document, or its text has changed."""
        with self.lock:
            if self.buffers.get(document.uri) != document:
                self.buffers[document.uri] = document
                self._change(document.uri)

    def close(self, uri: str) -> None:
        """The editor no longer shows it: what is on disk counts again."""
        with self.lock:
            if self.buffers.pop(uri, None) is not None:
                self._change(uri)

    def files_changed(self, changes: Iterable[tuple[Path, FileChange]]) -> None:
        """Files were created, changed or deleted on disk."""
        with self.lock:
            self.changes += [(path.as_uri(), change) for path, change in changes]
            self._change("")

    def revision_besides(self, uri: str) -> int:
        """The revision of everything but one buffer."""
        with self.lock:
            return max((revision for changed, revision in self._changed.items() if changed != uri), default=0)

    def _change(self, what: str) -> None:
        self.revision += 1
        self._changed[what] = self.revision
