"""Reads a workspace into facts, file by file, leaving alone what has not changed since the last time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from context_index.index.codec import decode, encode
from context_index.index.facts import Facts, content_key, facts_of
from context_index.scan import Exclusion, Scanner, Skipped
from context_index.store import Row, Store
from context_index.syntax import parse
from context_index.text import Document, language_of

Progress = Callable[[int, int], None]

_BATCH = 500
"""Files read between two writes to the store: a kill costs no more than these."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one pass over the workspace found."""

    files: int
    """Files whose names are known now."""
    symbols: int
    """Names that these files define for others."""
    skipped: Mapping[Exclusion, int]
    """Files and whole directories left alone, by reason."""
    reused: int
    """Files that had not changed since the last pass."""
    seconds: float
    cancelled: bool = False
    """Stopped half-way; what was read until then is known."""


class Reader:
    """Remembers what it read, so that a second pass reads only what changed; with a store, across restarts."""

    def __init__(self, scanner: Scanner, store: Store | None = None) -> None:
        self._scanner = scanner
        self._store = store
        self._rows: dict[Path, Row] = {}
        self._by_key: dict[bytes, Facts] = {}
        self._stored: dict[bytes, bytes] = {}
        """Facts from the store that nobody has asked for yet."""
        self._unsaved: dict[Path, Row] = {}
        self._gone: set[Path] = set()
        self._lock = Lock()
        self._is_loaded = store is None

    def listing(self, skipped: Counter[Exclusion], cancel: Event) -> list[Path]:
        """The files to read; what is left alone is counted."""
        self._load()
        found = []
        for item in self._scanner.walk():
            if cancel.is_set():
                break
            if isinstance(item, Skipped):
                skipped[item.why] += 1
            else:
                found.append(item)
        return found

    def read(self, path: Path) -> tuple[Facts, bool] | Exclusion:
        """The facts of a file and whether they were known before, or why it has none."""
        language = language_of(path.name)
        if language is None:
            return Exclusion.UNKNOWN_LANGUAGE
        try:
            status = path.stat()
        except OSError:
            return Exclusion.UNREADABLE
        known = self._rows.get(path)
        is_same = known is not None and (known.modified, known.size) == (status.st_mtime_ns, status.st_size)
        if known is not None and is_same and (facts := self._recalled(known.key)) is not None:
            return facts, True
        text = self._scanner.read(path)
        if isinstance(text, Exclusion):
            return text
        key = content_key(language, text)
        facts = self._recalled(key)
        if facts is None:
            facts = self._by_key[key] = facts_of(parse(Document(path.as_uri(), language, text)))
        row = Row(str(path), status.st_mtime_ns, status.st_size, key)
        with self._lock:
            self._rows[path] = self._unsaved[path] = row
            self._gone.discard(path)
            due = len(self._unsaved) >= _BATCH
        if due:
            self.save()
        return facts, known is not None and known.key == key

    def forget(self, path: Path) -> None:
        """The file is gone."""
        with self._lock:
            self._unsaved.pop(path, None)
            if self._rows.pop(path, None) is not None:
                self._gone.add(path)

    def save(self) -> None:
        """Have the store keep what was read since the last time."""
        with self._lock:
            rows, gone = list(self._unsaved.values()), [str(path) for path in self._gone]
            self._unsaved.clear()
            self._gone.clear()
            if self._store is not None and (rows or gone):
                keys = {row.key for row in rows}
                facts = [(key, encode(known)) for key in keys if (known := self._by_key.get(key)) is not None]
                self._store.save(rows, facts, gone)

    def trim(self) -> None:
        """Drop the facts of texts that no file has any more."""
        self.save()
        with self._lock:
            used = {row.key for row in self._rows.values()}
            self._by_key = {key: facts for key, facts in self._by_key.items() if key in used}
            self._stored.clear()
            if self._store is not None:
                self._store.trim()

    def close(self) -> None:
        """Save, and let go of the store."""
        self.save()
        if self._store is not None:
            self._store.close()

    def _load(self) -> None:
        """Take what the store has, once; what was read before that is newer."""
        with self._lock:
            if self._is_loaded or self._store is None:
                return
            self._is_loaded = True
            rows, self._stored = self._store.load()
            self._rows = {Path(row.path): row for row in rows} | self._rows

    def _recalled(self, key: bytes) -> Facts | None:
        """Facts known under a key, from memory or from the store."""
        facts = self._by_key.get(key)
        if facts is None and (data := self._stored.pop(key, None)) is not None:
            facts = self._by_key[key] = decode(data)
        return facts


def numbered(paths: list[Path], progress: Progress | None, cancel: Event) -> Iterator[Path]:
    """The paths one by one, telling how far it is, until cancelled."""
    for done, path in enumerate(paths):
        if cancel.is_set():
            return
        if progress is not None:
            progress(done, len(paths))
        yield path
    if progress is not None:
        progress(len(paths), len(paths))
