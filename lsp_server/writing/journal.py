"""The journal of one set of files that is being written, from which an interrupted write is finished or taken back.

It lies in the workspace's part of the cache while the write lasts. Its first line is the set with all texts, on disk
before any file is touched; each later line is a pass over the files, or says that a file is being written in place.
A line that is not whole was being written when the process ended, so what it announces was not begun.
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
"""Seconds in which another command should have finished its write."""
SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A file of a set."""

    path: Path
    """Absolute, without links."""
    before: bytes
    after: bytes


@dataclass(slots=True)
class Pass:
    """One pass over the files of a set."""

    forward: bool
    """Whether it was to write the new texts, not the old ones."""
    staged: Mapping[Path, Path]
    """Each file that it was to change by a swap, and the one beside it that it is swapped with."""
    is_ready: bool = False
    """Whether all of these were complete."""


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """What a journal says."""

    root: Path
    """The workspace."""
    entries: Sequence[JournalEntry]
    passes: list[Pass] = field(default_factory=list)
    in_place: set[Path] = field(default_factory=set)
    """Files that were being overwritten."""


class Journal:
    """The journal of a workspace. Held by one process at a time: between `open` and `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(path.with_suffix(".lock"), mode=0o600)
        self._length = 0
        """Of the whole lines; what comes after them was not finished."""

    @classmethod
    def of(cls, root: Path, folder: Path) -> Journal:
        """That of a workspace."""
        return cls(folder / f"{blake2b(os.fsencode(root), digest_size=8).hexdigest()}{SUFFIX}")

    def open(self, patience: float = _PATIENCE) -> None:
        """Wait until no other process writes in the workspace.

        Raises:
            Timeout: another one still does.
            OSError: there is no place for the journal.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock.acquire(patience)

    def close(self) -> None:
        """Let others write."""
        self._lock.release()

    def read(self) -> JournalRecord | None:
        """What it says; None where there is none, or its set was not even written down."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        whole = [*_whole_lines(data)]
        self._length = sum(map(len, whole))
        if not whole:
            return None
        first, *others = (json.loads(line.partition(b" ")[2]) for line in whole)
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
        """Write the set of a workspace down; on disk when this returns."""
        texts = [[str(one.path), one.before.decode("utf-8"), one.after.decode("utf-8")] for one in entries]
        self._length = 0
        self._add({"root": str(root), "set": texts})
        sync_folder(self.path.parent)
        sync_folder(self.path.parent.parent)

    def begin_pass(self, staged: Mapping[Path, Path], *, forward: bool) -> None:
        """Write down which files will be swapped with which."""
        self._add({"forward": forward, "staged": [[str(path), str(other)] for path, other in staged.items()]})

    def ready(self) -> None:
        """Write down that all files are staged."""
        self._add({"ready": True})

    def begin_in_place(self, path: Path) -> None:
        """Write down that a file will be overwritten."""
        self._add({"in_place": str(path)})

    def end(self) -> None:
        """Remove it: nothing is left to be done."""
        self.path.unlink(missing_ok=True)

    def _add(self, line: Mapping[str, object]) -> None:
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
    """The lines of a journal up to one that is not whole."""
    for line in data.splitlines(keepends=True):
        checksum, _, text = line.partition(b" ")
        if not line.endswith(b"\n") or checksum != b"%08x" % crc32(text[:-1]):
            return
        yield line


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk."""
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
