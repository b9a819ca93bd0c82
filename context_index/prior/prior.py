"""The prior of a workspace: names are counted in the background, stored with the index, and updated by every edit.

The document that is being completed is taken out of the counts: its own names are read from its current text.
"""

from __future__ import annotations

import json
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Final

from context_index.prior.contexts import TextContexts, contexts
from context_index.prior.lexemes import lexemes
from context_index.prior.name_counts import NameCounts
from context_index.prior.names import PlacePrior
from context_index.prior.uses import Uses
from context_index.prior.weights import shipped
from context_index.text import PYTHON_SUFFIXES
from context_index.texts import LARGEST, stamp_of

if TYPE_CHECKING:
    from context_index.store import Store
    from context_index.symbols import Name
    from context_index.text import Document

_MOST: Final = 48_000_000
"""The most characters that are counted."""
_STALE: Final = 0.1
"""If a larger share of the files has changed since the last run, all are counted again: the old texts are lost, so
their counts cannot be subtracted."""
_REST: Final = 1.0
"""How long the counting thread sleeps after each file, as a multiple of the time that it took: other threads need the
interpreter, too."""
_FORMAT: Final = 2


class Prior:
    """How often the files of a workspace use which names in which contexts. Thread-safe."""

    def __init__(self, files: Callable[[], Iterable[Path]], store: Store | None = None) -> None:
        """Nothing is read before `learn`.

        Args:
            files: Lists the files to count.
            store: Keeps the counts until the next start; None keeps nothing.
        """
        self._files = files
        self._store = store
        self._name_counts = NameCounts()
        self._counted: dict[str, tuple[int, int]] = {}
        """By path, the file's modification time and size when it was counted."""
        self._open: dict[str, str] = {}
        """The newest texts of open documents, by path."""
        self._seen: dict[str, str] = {}
        """The texts, by path, that are in the counts in place of what is on disk."""
        self._asker = ""
        """The path of the document that asked last; its names are not in the counts."""
        self._taken: TextContexts | None = None
        """The asker's names, subtracted from the counts."""
        self._lock = RLock()
        self._due = Event()
        self._done = Event()
        self._closed = False
        self._changed = False
        self._thread: Thread | None = None

    def at(
        self, document: Document, path: Path | None, offset: int, visible: Mapping[str, Name], after: str = ""
    ) -> PlacePrior:
        """The prior of a place at which no name has begun.

        Args:
            path: The document's, where it is a file.
            visible: The names in scope.
            after: The text that will follow the name, as far as it is known.
        """
        python = document.language.is_python
        name_counts = self._name_counts_without("" if path is None else str(path))
        uses = Uses.around(document.text, offset, python=python)
        line = document.position(offset).line
        return PlacePrior(uses, name_counts, shipped(), visible, line, after, python=python)

    def update(self, path: Path, text: str) -> None:
        """Have an editor's text replace what is on disk; it is counted when another document asks."""
        with self._lock:
            self._open[str(path)] = text

    def close_document(self, path: Path) -> None:
        """Forget an editor's text of a file that was closed."""
        with self._lock:
            self._open.pop(str(path), None)

    def learn(self, seconds: float = 0.0) -> None:
        """Count the files in the background; wait for that, but no longer than `seconds`."""
        with self._lock:
            if self._closed:
                return
            self._done.clear()
            self._due.set()
            if self._thread is None:
                self._thread = Thread(target=self._count_all, name="inscope-prior", daemon=True)
                self._thread.start()
        if seconds > 0:
            self._done.wait(seconds)

    def forget(self) -> None:
        """Forget all counts, here and in the store; they are counted again when `learn` is called."""
        with self._lock:
            self._name_counts = NameCounts()
            self._counted.clear()
            self._seen.clear()
            self._taken, self._asker = None, ""
            self._changed = False
            if self._store is not None:
                self._store.forget_name_counts()

    def close(self) -> None:
        """Stop counting, and store the counts."""
        with self._lock:
            self._closed = True
            self._due.set()
        if self._thread is not None:
            self._thread.join(5.0)
        with self._lock:
            if self._changed and self._store is not None:
                self._return()
                self._store.save_name_counts(self._encoded())
                self._changed = False

    def _name_counts_without(self, path: str) -> NameCounts:
        with self._lock:
            if path != self._asker:
                self._return()
                self._asker = path
                if path in self._counted:
                    self._taken = _read(path, self._seen.get(path))
                    if self._taken is not None:
                        self._name_counts.add(self._taken, -1)
            return self._name_counts.frozen()

    def _return(self) -> None:
        """Put the last asker's names back into the counts, from its newest text."""
        path, self._asker = self._asker, ""
        if path in self._counted and self._taken is not None:
            text = self._open.get(path)
            if text is not None:
                self._seen[path] = text
                self._changed = True
            back = self._taken if text is None else _read(path, text)
            if back is not None:
                self._name_counts.add(back)
        self._taken = None

    def _count_all(self) -> None:
        self._load()
        while True:
            self._due.wait()
            self._due.clear()
            if self._closed:
                break
            self._pass()
            self._done.set()
        self._done.set()

    def _pass(self) -> None:
        """Count every file that has changed since it was counted."""
        found = {str(path): stamp for path in self._files() if (stamp := stamp_of(path)) is not None}
        with self._lock:
            gone = [path for path in self._counted if path not in found]
            stale = [path for path, stamp in found.items() if self._counted.get(path, stamp) != stamp]
            if len(gone) + len(stale) > _STALE * len(self._counted):
                self._return()
                self._name_counts = NameCounts()
                self._counted.clear()
                self._seen.clear()
        room = _MOST - sum(size for _, size in self._counted.values())
        for path, stamp in found.items():
            if self._closed or room < 0:
                return
            if self._counted.get(path) == stamp:
                continue
            started = time.perf_counter()
            room -= stamp[1]
            read = _read(path, None)
            with self._lock:
                self._counted[path] = stamp
                self._changed = True
                if read is not None:
                    if path == self._asker:
                        self._taken = read
                    else:
                        self._name_counts.add(read)
            time.sleep((time.perf_counter() - started) * _REST)

    def _load(self) -> None:
        kept = None if self._store is None else self._store.name_counts()
        found = None if kept is None else _decoded(kept)
        if found is not None:
            with self._lock:
                if not self._counted:
                    self._name_counts, self._counted = found

    def _encoded(self) -> bytes:
        known = zlib.compress(json.dumps({"format": _FORMAT, "files": self._counted}).encode("utf-8", "surrogatepass"))
        return struct.pack("<I", len(known)) + known + self._name_counts.encode()


def _decoded(data: bytes) -> tuple[NameCounts, dict[str, tuple[int, int]]] | None:
    try:
        (length,) = struct.unpack_from("<I", data)
        fields = json.loads(zlib.decompress(data[4 : 4 + length]))
        name_counts = NameCounts.decode(data[4 + length :])
        if name_counts is None or fields["format"] != _FORMAT:
            return None
        return name_counts, {str(path): (int(time_), int(size)) for path, (time_, size) in fields["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, zlib.error):
        return None


def _read(path: str, text: str | None) -> TextContexts | None:
    """The names and contexts of a text, or of the file where none is given; None where that cannot be read."""
    if text is None:
        try:
            text = Path(path).read_text("utf-8", "replace")
        except OSError:
            return None
    if len(text) > LARGEST:
        return None
    return contexts(lexemes(text, python=path.endswith(PYTHON_SUFFIXES)))
