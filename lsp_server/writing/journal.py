"""The journal of one set of files that is being written, from which an interrupted write is finished or taken back.

It is in the cache while the write lasts, one file for each workspace. Its lines are JSON, each after its checksum:

- The first has the set with all texts. It is on disk before any file is touched.
- Each later line says that a pass over the files begins, that all files of the pass are staged, or that a file is being
  written in place.

A line that is not whole was being written when the process ended, so what it announces was not begun. `sets` and
`replacing` write the journal, `recovery` reads it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from filelock import FileLock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PATIENCE = 10.0
"""Seconds to wait for another command to finish its write."""
SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A file of a set."""

    path: Path
    """Absolute, without links."""
    before: bytes
    after: bytes
    """The whole contents, with a byte order mark if there is one."""


@dataclass(slots=True)
class Pass:
    """One pass over the files of a set."""

    forward: bool
    """Whether it writes the new texts; False if it writes the old ones."""
    staged: Mapping[Path, Path]
    """The staged file with which each file is swapped, by the file's path; files that are overwritten have none."""
    is_ready: bool = False
    """Whether all staged files were complete."""


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """What a journal says."""

    root: Path
    """The workspace."""
    entries: Sequence[JournalEntry]
    passes: list[Pass] = field(default_factory=list)
    """In the order in which they began."""
    in_place: set[Path] = field(default_factory=set)
    """Files that a pass began to overwrite."""


class Journal:
    """The journal of a workspace. One process at a time has it locked, between `open` and `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(path.with_suffix(".lock"), mode=0o600)
        self._length = 0
        """Bytes of the whole lines; what comes after them was not finished, and is overwritten."""

    @classmethod
    def of(cls, root: Path, folder: Path) -> Journal:
        """The journal of a workspace, in a folder of journals."""
        return cls(folder / f"{blake2b(os.fsencode(root), digest_size=8).hexdigest()}{SUFFIX}")

    def open(self, patience: float = _PATIENCE) -> None:
        """Lock the journal; wait until no other process writes in the workspace.

        Args:
            patience: The most seconds to wait.

        Raises:
            Timeout: another process still writes.
            OSError: there is no place for the journal.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock.acquire(patience)

    def close(self) -> None:
        """Release the lock: other processes may write."""
        self._lock.release()

    def read(self) -> JournalRecord | None:
        """What the journal says; None if there is none, or not even its set was written down.

        Raises:
            OSError: it cannot be read.
            KeyError, TypeError, ValueError: it has another form, as of a later version.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        lines = [*_whole_lines(data)]
        self._length = sum(map(len, lines))
        if not lines:
            return None
        first, *others = (json.loads(line.partition(b" ")[2]) for line in lines)
        entries = [
            JournalEntry(Path(path), before.encode("utf-8"), after.encode("utf-8"))
            for path, before, after in first["set"]
        ]
        record = JournalRecord(Path(first["root"]), entries)
        for line in others:
            if "in_place" in line:
                record.in_place.add(Path(line["in_place"]))
            elif "staged" in line:
                record.passes.append(
                    Pass(line["forward"], {Path(path): Path(beside) for path, beside in line["staged"]})
                )
            else:
                record.passes[-1].is_ready = True
        return record

    def begin(self, root: Path, entries: Sequence[JournalEntry]) -> None:
        """Write down the set of a workspace, in a new journal; it is on disk when this returns."""
        texts = [[str(entry.path), entry.before.decode("utf-8"), entry.after.decode("utf-8")] for entry in entries]
        self._length = 0
        self._add({"root": str(root), "set": texts})
        sync_folder(self.path.parent)
        sync_folder(self.path.parent.parent)

    def begin_pass(self, staged: Mapping[Path, Path], *, forward: bool) -> None:
        """Write down that a pass begins, and which files it will swap with which staged ones; see `Pass`."""
        self._add({"forward": forward, "staged": [[str(path), str(beside)] for path, beside in staged.items()]})

    def ready(self) -> None:
        """Write down that all files of the last pass are staged."""
        self._add({"ready": True})

    def begin_in_place(self, path: Path) -> None:
        """Write down that a file will be overwritten."""
        self._add({"in_place": str(path)})

    def end(self) -> None:
        """Remove the journal: nothing is left to be done."""
        self.path.unlink(missing_ok=True)

    def _add(self, line: Mapping[str, object]) -> None:
        """Add a line with its checksum after the whole ones; it is on disk when this returns."""
        data = json.dumps(line).encode("ascii")
        data = b"%08x %b\n" % (crc32(data), data)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.truncate(self._length)
            file.seek(self._length)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        self._length += len(data)


def _whole_lines(data: bytes) -> Iterator[bytes]:
    """The lines of a journal before the first that is not whole; each still has its checksum."""
    for line in data.splitlines(keepends=True):
        checksum, _, text = line.partition(b" ")
        if not line.endswith(b"\n") or checksum != b"%08x" % crc32(text[:-1]):
            return
        yield line


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on disk; a new or replaced file is not safe before."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
