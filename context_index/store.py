"""A cache on disk of what was read of a workspace, so that the next start reads only what changed.

If anything is wrong with it (damage, another version, no space, no permission), one sentence reports it, and the files
themselves are read again. Several processes may use one store at once (SQLite, WAL).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from zlib import crc32

from platformdirs import user_cache_path

_APPLICATION = 0x1A5C09E
"""Marks a database as ours, in SQLite's `application_id`; an arbitrary number."""
_LAYOUT = 5
"""The version of the tables below."""
_BUSY_MILLISECONDS = 2_000
"""How long a query waits for another process before it fails."""
_SCHEMA = f"""
PRAGMA application_id = {_APPLICATION};
CREATE TABLE file (path BLOB PRIMARY KEY, modified INTEGER, size INTEGER, key BLOB, outline BLOB, sum INTEGER);
CREATE TABLE facts (key BLOB PRIMARY KEY, data BLOB, sum INTEGER) WITHOUT ROWID;
CREATE TABLE name_counts (key BLOB PRIMARY KEY, data BLOB, sum INTEGER);
CREATE TABLE library (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE, data BLOB, sum INTEGER);
"""
_MOST_LIBRARIES = 500
"""The most installed packages that are stored; the oldest are deleted first."""
_NAME_COUNTS = b"name_counts"
"""The key of the one row of the table `name_counts`."""
_DAMAGED_ROW = "a file's row is damaged"

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file's metadata when it was read."""

    path: str
    modified: int
    """When it was last changed, in nanoseconds since 1970."""
    size: int
    """In bytes."""
    key: bytes
    """The hash of its content, under which its facts are stored."""
    outline: str = ""
    """The part of the file's facts that is needed at once (`context_index.index.outline`)."""


class Store:
    """One SQLite file. Thread-safe, by a lock."""

    def __init__(self, path: Path, version: int, notify: Notify) -> None:
        """Nothing is opened before `load`.

        Args:
            version: the extractor's version; a store of another version is deleted.
            notify: called with a sentence when the store is rebuilt or given up.
        """
        self._path = path
        self._version = _LAYOUT * 1_000 + version
        self._notify = notify
        self._database: sqlite3.Connection | None = None
        self._lock = RLock()

    @property
    def works(self) -> bool:
        """Whether the store is open; one that was given up stores nothing."""
        return self._database is not None

    def load(self) -> list[StoredFile]:
        """Open or create the store, and return all files; none where it was damaged."""
        with self._lock:
            try:
                self._database = self._open()
                return list(_stored_files(self._database))
            except (sqlite3.OperationalError, OSError) as fault:  # busy, no permission, no space: nothing is damaged
                self._give_up(str(fault))
            except sqlite3.DatabaseError as fault:
                self._rebuild(str(fault))
            return []

    def facts(self, key: bytes) -> bytes | None:
        """The facts stored under a key; None where there are none, or they were damaged."""
        return self._read_data("SELECT data, sum FROM facts WHERE key = ?", key)

    def library(self, key: bytes) -> bytes | None:
        """The names of an installed package stored under a key; None where there are none, or they were damaged."""
        return self._read_data("SELECT data, sum FROM library WHERE key = ?", key)

    def save_library(self, key: bytes, data: bytes) -> None:
        """Store the names of an installed package."""
        self._write(
            ("INSERT OR REPLACE INTO library (key, data, sum) VALUES (?, ?, ?)", [(key, data, crc32(key + data))]),
            ("DELETE FROM library WHERE id <= (SELECT max(id) FROM library) - ?", [(_MOST_LIBRARIES,)]),
        )

    def name_counts(self) -> bytes | None:
        """The stored counts of the workspace's names; None where there are none, or they were damaged."""
        return self._read_data("SELECT data, sum FROM name_counts WHERE key = ?", _NAME_COUNTS)

    def save_name_counts(self, data: bytes) -> None:
        """Store the counts of the workspace's names."""
        self._write(
            ("INSERT OR REPLACE INTO name_counts VALUES (?, ?, ?)", [(_NAME_COUNTS, data, crc32(_NAME_COUNTS + data))])
        )

    def forget_name_counts(self) -> None:
        """Delete the counts of the workspace's names."""
        self._write(("DELETE FROM name_counts", [()]))

    def _read_data(self, query: str, key: bytes) -> bytes | None:
        """The data of the row with a key, its checksum verified; None where there is none, or the store fails.

        A damaged row has the store rebuilt.

        Args:
            query: Selects the columns `data` and `sum` by the key.
        """
        with self._lock:
            if self._database is None:
                return None
            try:
                row = self._database.execute(query, (key,)).fetchone()
                if row is None:
                    return None
                data, checksum = row
                if not isinstance(data, bytes) or crc32(key + data) != checksum:
                    raise _DamageError("a row of facts is damaged")
            except sqlite3.OperationalError as fault:
                self._give_up(str(fault))
            except sqlite3.DatabaseError as fault:
                self._rebuild(str(fault))
            else:
                return data
            return None

    def _write(self, *statements: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Execute statements, each for all of its rows of values, in one transaction; on failure, give the store up."""
        with self._lock:
            if self._database is None:
                return
            try:
                with self._database as database:
                    for statement, values in statements:
                        database.executemany(statement, values)
            except sqlite3.DatabaseError as fault:
                self._give_up(str(fault))

    def save(self, rows: Sequence[StoredFile], facts: Iterable[tuple[bytes, bytes]], gone: Iterable[str] = ()) -> None:
        """Store what was read, and delete files that are gone.

        Args:
            rows: The files that were read.
            facts: Their facts, encoded, each after its key.
            gone: The paths of the files to delete.
        """
        self._write(
            ("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", [(key, data, crc32(key + data)) for key, data in facts]),
            ("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)", [_values(row) for row in rows]),
            ("DELETE FROM file WHERE path = ?", [(_bytes(path),) for path in gone]),
        )

    def trim(self) -> None:
        """Delete facts that no file has now."""
        self._write(("DELETE FROM facts WHERE key NOT IN (SELECT key FROM file)", [()]))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def _open(self) -> sqlite3.Connection:
        """Open the file, which is made if it is not there.

        Raises:
            sqlite3.Error: it cannot be opened, or is no store of this version.
            OSError: its folder cannot be made.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._path, timeout=_BUSY_MILLISECONDS / 1000, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            with database:
                self._prepare(database)
        except BaseException:  # of any kind: a file that stays open could not be replaced
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        """Create the tables of an empty database; check that one with tables is ours."""
        database.execute("BEGIN IMMEDIATE")  # if two processes create a store, one waits
        if database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {self._version}")
            return
        if database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise _DamageError("it belongs to another program")
        if (version := database.execute("PRAGMA user_version").fetchone()[0]) != self._version:
            raise _DamageError(f"it was made by another version ({version}, not {self._version})")

    def _rebuild(self, why: str) -> None:
        """Rebuild the store, once; if that fails as well, go on without one."""
        self.close()
        self._notify(f"the index at '{self._path}' is rebuilt: {why}")
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._database = self._open()
        except (sqlite3.Error, OSError) as fault:
            self._give_up(str(fault))

    def _give_up(self, why: str) -> None:
        """Go on without the store."""
        self.close()
        self._notify(f"the index at '{self._path}' is not used, what is read is kept in memory: {why}")


class _DamageError(sqlite3.DatabaseError):
    """The file is a database, but not a usable one."""


def default_store(roots: Sequence[Path]) -> Path:
    """The store of a workspace: in the user's cache, by the names of its roots."""
    names = "\n".join(sorted(str(root) for root in roots))
    return user_cache_path("inscope") / "index" / f"{blake2b(_bytes(names), digest_size=8).hexdigest()}.sqlite"


def _stored_files(database: sqlite3.Connection) -> Iterator[StoredFile]:
    """All files of a store; raises `_DamageError` where a row is damaged."""
    for values in database.execute("SELECT * FROM file"):
        try:
            path, modified, size, key, outline, checksum = values
            if _checksum(path, modified, size, key, outline) != checksum:
                raise _DamageError(_DAMAGED_ROW)
            yield StoredFile(_text(path), modified, size, key, _text(outline))
        except (TypeError, ValueError) as fault:  # a flipped bit may change a value's very type
            raise _DamageError(_DAMAGED_ROW) from fault


def _values(row: StoredFile) -> tuple[bytes, int, int, bytes, bytes, int]:
    """The values of a file's row, in the order of the columns."""
    path, outline = _bytes(row.path), _bytes(row.outline)
    checksum = _checksum(path, row.modified, row.size, row.key, outline)
    return path, row.modified, row.size, row.key, outline, checksum


def _checksum(path: bytes, modified: int, size: int, key: bytes, outline: bytes) -> int:
    """A checksum of a row, as SQLite does not notice a flipped bit."""
    return crc32(b"%d %d %b\0%b\0%b" % (modified, size, key, path, outline))


def _bytes(text: str) -> bytes:
    """A path as bytes: file names need not be valid Unicode."""
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
