"""What was read of a workspace, kept on disk so that the next start reads only what changed.

A cache and nothing more: whatever is wrong with it (damage, another version, no space, no permission) is told in one
sentence, and the work goes on from the files themselves. Several processes may use one store at once (SQLite, WAL).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

from platformdirs import user_cache_path

_APPLICATION = 0x1A5C09E
_LAYOUT = 1
_BUSY_MILLISECONDS = 2_000
_SCHEMA = f"""
PRAGMA application_id = {_APPLICATION};
CREATE TABLE file (path TEXT PRIMARY KEY, modified INTEGER, size INTEGER, key BLOB, sum INTEGER) WITHOUT ROWID;
CREATE TABLE facts (key BLOB PRIMARY KEY, data BLOB, sum INTEGER) WITHOUT ROWID;
"""

Notify = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One file as it was when read."""

    path: str
    modified: int
    """Nanoseconds."""
    size: int
    key: bytes
    """Of its content; the facts are kept under it."""

    def checksum(self) -> int:
        """SQLite does not notice a flipped bit."""
        return crc32(f"{self.path}\0{self.modified}\0{self.size}\0".encode("utf-8", "surrogatepass") + self.key)


class Store:
    """One SQLite file. Used by one thread at a time."""

    def __init__(self, path: Path, version: int, notify: Notify) -> None:
        """Nothing is opened before `load`.

        Args:
            version: of what makes the facts; those of another version are thrown away.
            notify: told one sentence whenever the store is rebuilt or given up.
        """
        self._path = path
        self._version = _LAYOUT * 1_000 + version
        self._notify = notify
        self._database: sqlite3.Connection | None = None

    @property
    def works(self) -> bool:
        """Whether it is open; a store that was given up keeps nothing and does no harm."""
        return self._database is not None

    def load(self) -> tuple[list[Row], dict[bytes, bytes]]:
        """Open the store, or begin a new one: every file and, by key, the facts; nothing where it was damaged."""
        try:
            self._database = self._opened()
            return list(self._rows(self._database)), dict(self._facts(self._database))
        except (sqlite3.OperationalError, OSError) as fault:  # busy, no permission, no space: not ours to throw away
            self._give_up(str(fault))
        except sqlite3.DatabaseError as fault:
            self._rebuild(str(fault))
        return [], {}

    def save(self, rows: Sequence[Row], facts: Iterable[tuple[bytes, bytes]], gone: Iterable[str] = ()) -> None:
        """Keep what was read, and forget files that are gone, all at once or not at all."""
        if self._database is None:
            return
        try:
            with self._database as database:
                values = [(key, data, crc32(key + data)) for key, data in facts]
                database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", values)
                files = [(row.path, row.modified, row.size, row.key, row.checksum()) for row in rows]
                database.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?)", files)
                database.executemany("DELETE FROM file WHERE path = ?", [(path,) for path in gone])
        except sqlite3.DatabaseError as fault:
            self._give_up(str(fault))

    def trim(self) -> None:
        """Throw away facts that no file has any more."""
        if self._database is None:
            return
        try:
            with self._database as database:
                database.execute("DELETE FROM facts WHERE key NOT IN (SELECT key FROM file)")
        except sqlite3.DatabaseError as fault:
            self._give_up(str(fault))

    def close(self) -> None:
        """Let go of the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._path, timeout=_BUSY_MILLISECONDS / 1000, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            with database:
                self._begin(database)
        except BaseException:
            database.close()
            raise
        return database

    def _begin(self, database: sqlite3.Connection) -> None:
        """Make an empty database ours, and see that one with something in it is."""
        database.execute("BEGIN IMMEDIATE")  # of two processes that begin a store, one waits
        if database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0:
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {self._version}")
            return
        if database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise _DamageError("it is somebody else's")
        if (found := database.execute("PRAGMA user_version").fetchone()[0]) != self._version:
            raise _DamageError(f"it was made by another version ({found}, not {self._version})")

    def _rows(self, database: sqlite3.Connection) -> Iterator[Row]:
        for *values, checksum in database.execute("SELECT path, modified, size, key, sum FROM file"):
            row = Row(*values)
            if row.checksum() != checksum:
                raise _DamageError("a file's row is damaged")
            yield row

    def _facts(self, database: sqlite3.Connection) -> Iterator[tuple[bytes, bytes]]:
        for key, data, checksum in database.execute("SELECT key, data, sum FROM facts"):
            if crc32(key + data) != checksum:
                raise _DamageError("a row of facts is damaged")
            yield key, data

    def _rebuild(self, why: str) -> None:
        """Begin anew, once; if that fails as well, do without."""
        self.close()
        self._notify(f"the index at '{self._path}' is built anew: {why}")
        try:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._database = self._opened()
        except (sqlite3.Error, OSError) as fault:
            self._give_up(str(fault))

    def _give_up(self, why: str) -> None:
        self.close()
        self._notify(f"the index at '{self._path}' is not used, what is read is kept in memory: {why}")


class _DamageError(sqlite3.DatabaseError):
    """The file is a database, but not one that can be trusted."""


def default_store(roots: Sequence[Path]) -> Path:
    """Where the facts of a workspace are kept: in the user's cache, by the names of its roots."""
    names = "\n".join(sorted(str(root) for root in roots))
    return user_cache_path("inscope") / "index" / f"{blake2b(names.encode(), digest_size=8).hexdigest()}.sqlite"
