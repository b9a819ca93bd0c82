"""Reads a workspace into facts, file by file, and skips files that have not changed since the last time.

`Index` says when; what was read is in the `Store`, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from threading import Event, RLock

from context_index.exports import Exports
from context_index.index.codec import decode
from context_index.index.extract import Extract, extract
from context_index.index.facts import FileFacts
from context_index.index.pool import extracted
from context_index.scan import Exclusion, FoundFile, SkippedPath, WorkspaceScanner
from context_index.store import Store, StoredFile
from context_index.symbols import Language
from context_index.text import language_of

Progress = Callable[[int, int], None]
"""Called with the number of files that are done, and that of all files."""

_BATCH = 500
"""Files read between two writes to the store; at most these are lost if the process is killed."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one pass over the workspace found."""

    files: int
    """The number of files that were read."""
    symbols: int
    """The number of names that these files export."""
    languages: Mapping[Language, int]
    """The number of files by language."""
    skipped: Mapping[Exclusion, int]
    """The number of skipped files and directories, by reason."""
    skipped_paths: tuple[SkippedPath, ...]
    """The skipped files and directories, if they were asked for."""
    reused: int
    """The number of files that had not changed since the last pass."""
    seconds: float
    cancelled: bool = False
    """Whether the pass was cancelled; what was read until then is kept."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One file that was read."""

    path: Path
    key: bytes
    """The hash of its content."""
    outline: str
    """The names that it exports, in a few bytes; see the module `outline`."""
    reused: bool
    """Whether its content is the same as the last time that it was read."""


class FileReader:
    """Reads files and remembers them, so that the next pass reads only what changed; with a store, across restarts.

    A file's facts stay encoded, in the store where there is one, until they are needed.
    """

    def __init__(self, scanner: WorkspaceScanner, store: Store | None = None) -> None:
        self._scanner = scanner
        self._store = store
        self._rows: dict[str, StoredFile] = {}
        """What is known of each file, by path."""
        self._data: dict[bytes, bytes] = {}
        """Encoded facts that the store does not have, or not yet, by key."""
        self._unsaved: dict[str, StoredFile] = {}
        """Rows that the store does not have yet, by path."""
        self._gone: set[str] = set()
        """Paths of rows that the store has yet to drop."""
        self._store_is_trimmed = True
        """False after a save, until facts that no file has now are deleted from the store."""
        self._lock = RLock()
        self._is_loaded = store is None

    def listing(self, skip: Callable[[SkippedPath], None], cancel: Event) -> list[FoundFile]:
        """The files of the workspace that are to be read; `skip` is called with each other path."""
        self._load()
        files = []
        for item in self._scanner.walk():
            if cancel.is_set():
                break
            if isinstance(item, FoundFile):
                files.append(item)
            else:
                skip(item)
        return files

    def unchanged(self, files: Sequence[FoundFile]) -> tuple[list[ReadFile], list[FoundFile]]:
        """The files that have not changed since they were read, and the files that must be read."""
        unchanged, changed = [], []
        for file in files:
            row = self._rows.get(file.path)
            if row is not None and row.modified == file.modified and row.size == file.size:
                unchanged.append(ReadFile(Path(row.path), row.key, row.outline, reused=True))
            else:
                changed.append(file)
        return unchanged, changed

    def read(
        self, files: Sequence[FoundFile], cancel: Event, workers: int | None = None
    ) -> Iterator[ReadFile | SkippedPath]:
        """Read files in any order, several at once if there are many.

        Args:
            workers: How many processes read; 0: this one does. None: as many as the machine and the number of files
                make sensible.
        """
        by_path = {file.path: file for file in files}
        for path, result in extracted(list(by_path), self._scanner.settings.max_bytes, cancel, workers):
            if isinstance(result, Exclusion):
                yield SkippedPath(Path(path), result)
            else:
                yield self._keep(by_path[path], result)

    def read_one(self, path: Path) -> ReadFile | SkippedPath:
        """Read one file, unless it has not changed."""
        if language_of(path.name) is None:
            return SkippedPath(path, Exclusion.UNKNOWN_LANGUAGE)
        try:
            status = path.stat()
        except OSError:
            return SkippedPath(path, Exclusion.UNREADABLE)
        file = FoundFile(str(path), status.st_mtime_ns, status.st_size)
        unchanged, changed = self.unchanged([file])
        return unchanged[0] if unchanged else next(self.read(changed, Event(), workers=0))

    def forget(self, path: Path) -> None:
        """Drop a file that is gone."""
        name = str(path)
        with self._lock:
            self._unsaved.pop(name, None)
            if self._rows.pop(name, None) is not None:
                self._gone.add(name)

    def recall(self, key: bytes) -> FileFacts | None:
        """The facts kept under a key; None where they are lost."""
        with self._lock:
            data = self._data.get(key)
            if data is None and self._store is not None:
                data = self._store.facts(key)
            return None if data is None else decode(data)

    def reread(self, path: Path) -> FileFacts:
        """The facts of a file as it is on disk; empty ones where it can no longer be read."""
        result = extract(path, self._scanner.settings.max_bytes)
        if isinstance(result, Exclusion):
            # any language will do: the facts are empty
            return FileFacts(language_of(path.name) or next(iter(Language)), Exports(), ())
        return decode(result.data)

    def save(self) -> None:
        """Write to the store what was read since the last call."""
        with self._lock:
            if self._store is None or not (self._unsaved or self._gone):
                return
            rows, gone = list(self._unsaved.values()), list(self._gone)
            self._unsaved.clear()
            self._gone.clear()
            self._store_is_trimmed = False
            self._store.save(rows, [(row.key, self._data[row.key]) for row in rows if row.key in self._data], gone)
            if self._store.works:
                self._data.clear()

    def keep_only(self, paths: AbstractSet[str]) -> None:
        """Drop the other files, those included that only an earlier start knew, and facts that no file has now."""
        with self._lock:
            for path in self._rows.keys() - paths:
                self.forget(Path(path))
        self.save()
        with self._lock:
            if self._data:
                used = {row.key for row in self._rows.values()}
                self._data = {key: data for key, data in self._data.items() if key in used}
            if self._store is not None and not self._store_is_trimmed:
                self._store.trim()
                self._store_is_trimmed = True

    def close(self) -> None:
        """Save, and close the store."""
        self.save()
        if self._store is not None:
            self._store.close()

    def _keep(self, file: FoundFile, result: Extract) -> ReadFile:
        """Remember what was read of a file; save if enough files are unsaved."""
        row = StoredFile(file.path, file.modified, file.size, result.key, result.outline)
        with self._lock:
            before = self._rows.get(file.path)
            self._rows[file.path] = self._unsaved[file.path] = row
            self._data[result.key] = result.data
            self._gone.discard(file.path)
            is_batch_full = len(self._unsaved) >= _BATCH
        if is_batch_full:
            self.save()
        return ReadFile(Path(file.path), result.key, result.outline, before is not None and before.key == result.key)

    def _load(self) -> None:
        """Load the store once; files that were read before that are newer and stay."""
        with self._lock:
            if self._is_loaded or self._store is None:
                return
            self._is_loaded = True
            self._rows = {row.path: row for row in self._store.load()} | self._rows
