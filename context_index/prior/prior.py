"""The prior of a workspace: the names in its files are counted in the background, and the counts are stored.

The document that is being completed is left out of the counts: its own names are read from its current text.
"""

from __future__ import annotations

import json
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Final

from context_index.languages.record import Lexis
from context_index.prior.contexts import TextContexts, contexts
from context_index.prior.lexemes import lexemes
from context_index.prior.name_counts import NameCounts
from context_index.prior.place_prior import PlacePrior
from context_index.prior.uses import uses_around
from context_index.source_text import LARGEST, stamp_of
from context_index.text import language_of

if TYPE_CHECKING:
    from context_index.store import Store
    from context_index.symbols import Name
    from context_index.text import Document

_MOST: Final = 48_000_000
"""The most bytes of files that are counted."""
_STALE: Final = 0.1
"""If a larger share of the files has changed since the last run, all are counted again: the old texts are lost, so
their counts cannot be subtracted."""
_REST: Final = 1.0
"""How long the counting thread sleeps after each file, as a multiple of the time that it took: other threads need the
interpreter, too."""
_FORMAT: Final = 2
"""The version of what `Prior._encoded` makes."""


class Prior:
    """How often the files of a workspace use each name in each context. Thread-safe."""

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
        self._lock = RLock()
        self._due = Event()
        """Set when files may have changed."""
        self._done = Event()
        """Set when no count is due."""
        self._closed = False
        self._changed = False
        """Whether the store lacks some of the counts."""
        self._thread: Thread | None = None

    def at(
        self, document: Document, path: Path | None, offset: int, visible: Mapping[str, Name], after: str = ""
    ) -> PlacePrior:
        """The prior of a place at which no name has begun.

        Args:
            path: The document's path, if it is a file.
            visible: The names in scope.
            after: The text that will follow the name, as far as it is known.
        """
        record = document.language.record
        stamp = None if path is None or str(path) not in self._counted else stamp_of(path)
        own = _NOTHING if path is None or stamp is None else _counted_contexts(str(path), stamp)
        uses = uses_around(document.text, offset, record.lexis)
        line = document.position(offset).line
        return PlacePrior(uses, self._name_counts, own, visible, line, after, record.prior)

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
                self._store.save_name_counts(self._encoded())
                self._changed = False

    def _count_all(self) -> None:
        """Count whenever `learn` is called, until `close`; the counting thread runs this."""
        self._load()
        while True:
            self._due.wait()
            self._due.clear()
            if self._closed:
                break
            self._count_changed()
            self._done.set()
        self._done.set()

    def _count_changed(self) -> None:
        """Count every file that has changed since it was counted."""
        stamps = {str(path): stamp for path in self._files() if (stamp := stamp_of(path)) is not None}
        with self._lock:
            gone = [path for path in self._counted if path not in stamps]
            stale = [path for path, stamp in stamps.items() if self._counted.get(path, stamp) != stamp]
            if len(gone) + len(stale) > _STALE * len(self._counted):
                self._name_counts = NameCounts()
                self._counted.clear()
        room = _MOST - sum(size for _, size in self._counted.values())
        for path, stamp in stamps.items():
            if self._closed or room < 0:
                return
            if self._counted.get(path) == stamp:
                continue
            started = time.perf_counter()
            room -= stamp[1]
            contexts_of_file = _contexts_of_file(path)
            with self._lock:
                self._counted[path] = stamp
                self._changed = True
                if contexts_of_file is not None:
                    self._name_counts.add(contexts_of_file)
            time.sleep((time.perf_counter() - started) * _REST)

    def _load(self) -> None:
        """Take the counts from the store, if it has any."""
        stored = None if self._store is None else self._store.name_counts()
        decoded = None if stored is None else _decoded(stored)
        if decoded is not None:
            with self._lock:
                if not self._counted:
                    self._name_counts, self._counted = decoded

    def _encoded(self) -> bytes:
        """The counts as bytes, after the files that were counted and the length of their list."""
        files = zlib.compress(json.dumps({"format": _FORMAT, "files": self._counted}).encode("utf-8", "surrogatepass"))
        return struct.pack("<I", len(files)) + files + self._name_counts.encode()


def _decoded(data: bytes) -> tuple[NameCounts, dict[str, tuple[int, int]]] | None:
    """What `Prior._encoded` was made of: the counts, and the counted files; None for other bytes."""
    try:
        (length,) = struct.unpack_from("<I", data)
        fields = json.loads(zlib.decompress(data[4 : 4 + length]))
        name_counts = NameCounts.decode(data[4 + length :])
        if name_counts is None or fields["format"] != _FORMAT:
            return None
        return name_counts, {str(path): (int(time_), int(size)) for path, (time_, size) in fields["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, zlib.error):
        return None


def lexis_of(path: str) -> Lexis:
    """How the tokens of a file are told apart, by its suffix."""
    language = language_of(path)
    return Lexis() if language is None else language.record.lexis


@lru_cache(maxsize=4)
def _counted_contexts(path: str, _stamp: tuple[int, int]) -> TextContexts:
    """What a file that was counted added to the counts; cached until the file changes."""
    return _contexts_of_file(path) or _NOTHING


def _contexts_of_file(path: str) -> TextContexts | None:
    """The names and contexts of a file; None where it cannot be read, or is too long."""
    try:
        text = Path(path).read_text("utf-8", "replace")
    except OSError:
        return None
    return contexts(lexemes(text, lexis_of(path))) if len(text) <= LARGEST else None


_NOTHING: Final = contexts(())
