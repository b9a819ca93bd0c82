"""Reads a workspace into facts, file by file, and skips files that have not changed since the last time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, RLock

from context_index.exports import Exports
from context_index.index.codec import decode
from context_index.index.extract import Extract, extract
from context_index.index.facts import Facts
from context_index.index.processes import extracted
from context_index.scan import Exclusion, FoundFile, Scanner, SkippedPath
from context_index.store import Row, Store
from context_index.symbols import Language
from context_index.text import language_of

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
    languages: Mapping[Language, int]
    """The files by language."""
    skipped: Mapping[Exclusion, int]
    """Files and whole directories skipped, by reason."""
    left_out: tuple[SkippedPath, ...]
    """The same by name, where that was asked for."""
    reused: int
    """Files that had not changed since the last pass."""
    seconds: float
    cancelled: bool = False
    """Stopped half-way; what was read until then is known."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One file that is known now."""

    path: Path
    key: bytes
    outline: str
    reused: bool
    """Its content is what it was the last time."""


class Reader:
    """Remembers what it read, so that a second pass reads only what changed; with a store, across restarts.

    Facts stay encoded, in the store where there is one, until those of a file are needed.
    """

    def __init__(self, scanner: Scanner, store: Store | None = None) -> None:
        self._scanner = scanner
        self._store = store
        self._rows: dict[str, Row] = {}
        self._data: dict[bytes, bytes] = {}
        """Facts that no store has (yet)."""
        self._unsaved: dict[str, Row] = {}
        self._gone: set[str] = set()
        self._trimmed = True
        self._lock = RLock()
        self._is_loaded = store is None

    def listing(self, left_alone: Callable[[SkippedPath], None], cancel: Event) -> list[FoundFile]:
        """The files to read; skipped ones are recorded."""
        self._load()
        found = []
        for item in self._scanner.walk():
            if cancel.is_set():
                break
            if isinstance(item, FoundFile):
                found.append(item)
            else:
                left_alone(item)
        return found

    def unchanged(self, found: Sequence[FoundFile]) -> tuple[list[ReadFile], list[FoundFile]]:
        """The files that are known as they are, and those to be read."""
        known, due = [], []
        for file in found:
            row = self._rows.get(file.path)
            if row is not None and row.modified == file.modified and row.size == file.size:
                known.append(ReadFile(Path(row.path), row.key, row.outline, reused=True))
            else:
                due.append(file)
        return known, due

    def read(
        self, due: Sequence[FoundFile], cancel: Event, workers: int | None = None
    ) -> Iterator[ReadFile | SkippedPath]:
        """Read files, in any order; several at once where there are many."""
        by_path = {file.path: file for file in due}
        for path, result in extracted(list(by_path), self._scanner.settings.max_bytes, cancel, workers):
            if isinstance(result, Exclusion):
                yield SkippedPath(Path(path), result)
            else:
                yield self._keep(by_path[path], result)

    def read_one(self, path: Path) -> ReadFile | SkippedPath:
        """Read one file, unless it is known as it is."""
        if language_of(path.name) is None:
            return SkippedPath(path, Exclusion.UNKNOWN_LANGUAGE)
        try:
            status = path.stat()
        except OSError:
            return SkippedPath(path, Exclusion.UNREADABLE)
        found = FoundFile(str(path), status.st_mtime_ns, status.st_size)
        known, due = self.unchanged([found])
        return known[0] if known else next(self.read(due, Event(), 0))

    def forget(self, path: Path) -> None:
        """The file is gone."""
        name = str(path)
        with self._lock:
            self._unsaved.pop(name, None)
            if self._rows.pop(name, None) is not None:
                self._gone.add(name)

    def recall(self, key: bytes) -> Facts | None:
        """The facts kept under a key; None where they are lost."""
        with self._lock:
            data = self._data.get(key)
            if data is None and self._store is not None:
                data = self._store.facts(key)
            return None if data is None else decode(data)

    def reread(self, path: Path) -> Facts:
        """The facts of a file as it is on disk; none at all where it cannot be read any more."""
        result = extract(path, self._scanner.settings.max_bytes)
        if isinstance(result, Exclusion):
            return Facts(language_of(path.name) or Language.PYTHON, Exports(), ())
        return decode(result.data)

    def save(self) -> None:
        """Have the store keep what was read since the last time."""
        with self._lock:
            if self._store is None or not (self._unsaved or self._gone):
                return
            rows, gone = list(self._unsaved.values()), list(self._gone)
            self._unsaved.clear()
            self._gone.clear()
            self._trimmed = False
            self._store.save(rows, [(row.key, self._data[row.key]) for row in rows if row.key in self._data], gone)
            if self._store.works:
                self._data.clear()

    def trim(self) -> None:
        """Drop the facts of texts that no file has any more."""
        self.save()
        with self._lock:
            if self._data:
                used = {row.key for row in self._rows.values()}
                self._data = {key: data for key, data in self._data.items() if key in used}
            if self._store is not None and not self._trimmed:
                self._store.trim()
                self._trimmed = True

    def close(self) -> None:
        """Save, and close the store."""
        self.save()
        if self._store is not None:
            self._store.close()

    def _keep(self, file: FoundFile, result: Extract) -> ReadFile:
        row = Row(file.path, file.modified, file.size, result.key, result.outline)
        with self._lock:
            before = self._rows.get(file.path)
            self._rows[file.path] = self._unsaved[file.path] = row
            self._data[result.key] = result.data
            self._gone.discard(file.path)
            due = len(self._unsaved) >= _BATCH
        if due:
            self.save()
        return ReadFile(Path(file.path), result.key, result.outline, before is not None and before.key == result.key)

    def _load(self) -> None:
        """Take what the store has, once; what was read before that is newer."""
        with self._lock:
            if self._is_loaded or self._store is None:
                return
            self._is_loaded = True
            self._rows = {row.path: row for row in self._store.load()} | self._rows
