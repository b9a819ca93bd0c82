"""Replaces files by others, as a set, and never over what another program wrote meanwhile.

A new text is staged in a file beside the old one, with all its attributes, and is on disk before the first file is
replaced. Then the two files are swapped, and the file that came out is compared: if it is not what was read, or
somebody has it open for writing, it is put back. If two files cannot be swapped here, or the new file could not have
all attributes or hard links of the old one, the old one is overwritten, after it was compared under the same
descriptor. `sets` and `recovery` use a `ReplacementPass`.

Each step raises an audit event `inscope.write` with its name and the file; tests stop or disturb it there
(`sys.addaudithook`).
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsp_server.writing.attributes import CAN_COPY, Attributes
from lsp_server.writing.journal import sync_folder
from lsp_server.writing.system_calls import CAN_EXCHANGE, UnableError, exchange, exclusive_lease, has_other_writers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lsp_server.writing.interrupts import WaitingSignals
    from lsp_server.writing.journal import Journal

_STAGED = ".inscope-", ".new"
"""What the names of staged files begin and end with."""
_PAGE = 4096
"""Bytes that reach a file together: what was overwritten when the process ended is a mix of such pages."""
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags with which every file is opened: no link is followed, and a pipe in a file's place is not waited for."""
_NOT_ALLOWED = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}
"""The errors of a system that does not let a file have an attribute."""


class ForeignEditError(Exception):
    """Another program has changed a file, or is about to."""

    def __init__(self, path: Path, what: str = "was changed meanwhile") -> None:
        super().__init__(f"'{path}' {what}")
        self.path = path


@dataclass(slots=True)
class FileMove:
    """A file that is to have another content."""

    path: Path
    """Absolute, without links."""
    expected: bytes
    """The content that it must have now."""
    wanted: bytes
    """The content that it is to get."""
    staged: Path | None = None
    """The file that is swapped with it; None if it is overwritten."""
    attributes: Attributes | None = None
    """As they were when the new text was staged; None before that, or if it may be mixed."""
    may_be_mixed: bool = False
    """Whether it may be half overwritten: some of its pages have the expected content, some the wanted one."""
    kept: Path | None = None
    """The file with another program's text, if a third program took its place meanwhile; None otherwise."""


class ReplacementPass:
    """One pass over the files of a set: `stage`, then `run` or `run_each`, then `clean`."""

    def __init__(self, journal: Journal | None, moves: Sequence[FileMove], signals: WaitingSignals) -> None:
        self._journal = journal
        self._moves = moves
        self._signals = signals
        self._done: list[FileMove] = []
        self.stays: list[Path] = []
        """Files that another program changed after they had been replaced: they were not taken back."""
        self.is_torn = False
        """Whether a replaced file could not be taken back: some files are old, some new."""

    def stage(self, *, forward: bool) -> None:
        """Make the new files beside the old ones, and write into the journal which belong together.

        Args:
            forward: Whether the pass writes the set's new texts; False if it takes them back. For the journal.

        Raises:
            ForeignEditError: a file is not as expected; no staged file is left.
            OSError: one cannot be made; `filename` is the file that it was made for. No staged file is left.
        """
        for move in self._moves:
            if CAN_EXCHANGE and CAN_COPY and not move.may_be_mixed:
                move.staged = name_beside(move.path)
        if self._journal is not None:
            step("journal", self._journal.path)
            self._journal.begin_pass({move.path: move.staged for move in self._moves if move.staged}, forward=forward)
        try:
            for move in self._moves:
                self._signals.deliver()
                step("stage", move.path)
                _stage(move)
            if self._journal is not None:
                self._journal.ready()
        except BaseException:  # an interrupt as well: no staged file is left
            self.clean()
            raise

    def run(self) -> None:
        """Replace all files, or none.

        Raises:
            ForeignEditError: another program changed a file. The others are as before, except `stays`; if not all could
                be taken back, `is_torn` is set.
            OSError: a file cannot be replaced; the others as above.
        """
        try:
            for move in self._moves:
                self._replace(move)
        except BaseException:  # whatever it is, a set is never half written
            self._take_back()
            raise
        self._sync()

    def run_each(self) -> list[ForeignEditError]:
        """Replace the files that no other program has changed; returns an error for each of the others."""
        faults = []
        for move in self._moves:
            try:
                self._replace(move)
            except ForeignEditError as fault:
                faults.append(fault)
        self._sync()
        return faults

    def clean(self) -> None:
        """Remove the staged files, or the old files that were swapped for them; those of `kept` stay."""
        for move in self._moves:
            if move.staged is not None and move.kept is None:
                step("clean", move.path)
                move.staged.unlink(missing_ok=True)

    @property
    def kept(self) -> list[Path]:
        """Files with a text of another program whose place a third program's has taken."""
        return [move.kept for move in self._moves if move.kept is not None]

    def _replace(self, move: FileMove) -> None:
        """Swap a file with its staged one; if that cannot be done here, overwrite it."""
        step("compare", move.path)
        try:
            if move.staged is not None:
                swap(move, move.expected, move.wanted, move.attributes)
        except UnableError:
            if move.staged is not None:
                move.staged.unlink()
                move.staged = None
        if move.staged is None:
            if self._journal is None:
                raise OSError(errno.ENOTSUP, "it would be overwritten in place, and there is no journal", move.path)
            self._journal.begin_in_place(move.path)
            _overwrite(move.path, move.expected, move.wanted, may_be_mixed=move.may_be_mixed)
        self._done.append(move)
        step("replaced", move.path)

    def _take_back(self) -> None:
        """Give the replaced files their old contents, the last one first."""
        for move in reversed(self._done):
            step("take back", move.path)
            try:
                if move.staged is not None:
                    swap(move, move.wanted, move.expected)
                else:
                    _overwrite(move.path, move.wanted, move.expected)
            except ForeignEditError:
                self.stays.append(move.path)
            except OSError:
                self.is_torn = True
        self._sync()

    def _sync(self) -> None:
        for folder in {move.path.parent for move in self._moves}:
            step("sync", folder)
            sync_folder(folder)


def name_beside(path: Path) -> Path:
    """A path for a new file in another's folder. It does not have the other's name, which may be as long as can be."""
    return path.with_name(f"{_STAGED[0]}{secrets.token_hex(6)}{_STAGED[1]}")


def is_staged(name: str) -> bool:
    """Whether a file's name is one that `name_beside` gives."""
    return name.startswith(_STAGED[0]) and name.endswith(_STAGED[1])


def step(name: str, path: Path) -> None:
    """Raise the audit event of the next step."""
    sys.audit("inscope.write", name, str(path))


def swap(move: FileMove, expected: bytes, ours: bytes, attributes: Attributes | None = None) -> None:
    """Swap a file with its staged one if it is as expected; else it stays, or is put back.

    Args:
        ours: The content of the staged file.
        attributes: Those that the file must have; None if any will do.

    Raises:
        ForeignEditError: it is not as expected.
        UnableError: two files cannot be swapped here.
    """
    assert move.staged is not None  # noqa: S101 - callers look
    check(move.path, expected, attributes)
    step("swap", move.path)
    our_identity = _identity(move.staged)
    _exchange(move.staged, move.path)
    step("swapped", move.path)
    try:
        check(move.staged, expected, attributes, shown=move.path)
    except (ForeignEditError, OSError) as fault:  # also one that this user may not read
        _put_back(move, our_identity, ours)
        raise fault if isinstance(fault, ForeignEditError) else ForeignEditError(move.path) from fault


def _put_back(move: FileMove, our_identity: tuple[int, int], ours: bytes) -> None:
    """Swap a file that came out of its place back, until our own file comes out.

    Another program may replace our file in that place meanwhile. Then its file comes out instead; it is the newest, and
    goes back in. If our own file has another content when it comes out, another program's text is kept in it.
    """
    assert move.staged is not None  # noqa: S101 - callers look
    step("put back", move.path)
    awaited = our_identity
    while True:
        goes_in = _identity(move.staged)
        try:
            exchange(move.staged, move.path)
        except FileNotFoundError:  # removed meanwhile
            with suppress(FileExistsError):
                os.link(move.staged, move.path)
                return
            continue
        if _identity(move.staged) == awaited:
            break
        awaited = goes_in
    if awaited == our_identity:
        try:
            check(move.staged, ours)
        except ForeignEditError:
            move.kept = move.staged


def _identity(path: Path) -> tuple[int, int]:
    """A file's device and inode."""
    status = path.lstat()
    return status.st_dev, status.st_ino


def _exchange(staged: Path, path: Path) -> None:
    """`exchange` for a file that may be gone: then it raises a ForeignEditError."""
    try:
        exchange(staged, path)
    except FileNotFoundError as error:
        raise ForeignEditError(path, "was removed meanwhile") from error


def _open(path: Path, flags: int, shown: Path) -> int:
    """A descriptor of a regular file, which is no link.

    Args:
        shown: The path for messages.

    Raises:
        ForeignEditError: the file is gone, or something else is in its place.
        OSError: as for `os.open`.
    """
    try:
        descriptor = os.open(path, flags | _PLAIN)
    except FileNotFoundError as error:
        raise ForeignEditError(shown, "was removed meanwhile") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ForeignEditError(shown) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ForeignEditError(shown)
    return descriptor


def check(
    path: Path, expected: bytes, attributes: Attributes | None = None, *, shown: Path | None = None
) -> Attributes:
    """Check that a file has a content, and that nobody has it open for writing; returns its attributes.

    Args:
        attributes: Those that it must have; None if any will do.
        shown: The path for messages; `path` if left out.

    Raises:
        ForeignEditError: it has another content or other attributes, is gone, or is open for writing.
    """
    shown = shown or path
    descriptor = _open(path, os.O_RDONLY, shown)
    with os.fdopen(descriptor, "rb") as file:
        if has_other_writers(descriptor, path.parent):
            raise ForeignEditError(shown, "is open for writing in another program")
        present = Attributes.of(descriptor)
        if file.read() != expected or (attributes is not None and present != attributes):
            raise ForeignEditError(shown)
    return present


def _stage(move: FileMove) -> None:
    """Make a file's new file, on disk; or set `staged` to None if no new file could have its attributes and links."""
    move.attributes = check(move.path, move.expected) if not move.may_be_mixed else None
    if move.staged is None:
        return
    if move.attributes is None or move.attributes.names > 1:
        move.staged = None
        return
    try:
        descriptor = os.open(move.staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(move.wanted)
            file.flush()
            is_alike = give_attributes(move.attributes, descriptor)  # writing would take some of them away
            os.fsync(descriptor)
        if not is_alike:
            move.staged.unlink()
            move.staged = None
    except OSError as error:
        error.filename = move.path
        raise


def give_attributes(attributes: Attributes, descriptor: int) -> bool:
    """Give an open file some attributes; returns whether it could be given all of them."""
    try:
        attributes.give(descriptor)
    except OSError as error:
        if error.errno not in _NOT_ALLOWED:
            raise
        return False
    return True


def _overwrite(path: Path, expected: bytes, wanted: bytes, *, may_be_mixed: bool = False) -> None:
    """Give a file another content in place, if it is as expected.

    Args:
        may_be_mixed: Whether it may also be a mix of both contents, see `is_mix`.

    Raises:
        ForeignEditError: it is not as expected, or was replaced meanwhile.
        OSError: the disk is full; the file is as it was.
    """
    reader = _open(path, os.O_RDONLY, path)
    try:
        if has_other_writers(reader, path.parent):
            raise ForeignEditError(path, "is open for writing in another program")
    finally:
        os.close(reader)
    descriptor = _open(path, os.O_RDWR, path)
    with os.fdopen(descriptor, "r+b", buffering=0) as file, exclusive_lease(descriptor):
        content = file.read()
        if content != expected and not (may_be_mixed and is_mix(content, expected, wanted)):
            raise ForeignEditError(path)
        _overwrite_open(descriptor, path, content, wanted)
        if not _is_at(descriptor, path):
            _overwrite_open(descriptor, path, wanted, content)
            raise ForeignEditError(path)


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file is still at a path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _overwrite_open(descriptor: int, path: Path, old: bytes, new: bytes) -> None:
    """Overwrite an open file. What makes it longer comes first: if the disk is full, the old content is still there."""
    try:
        step("extend", path)
        _write_at(descriptor, len(old), new[len(old) :])
    except OSError:
        os.ftruncate(descriptor, len(old))
        raise
    step("overwrite", path)
    _write_at(descriptor, 0, new[: len(old)])
    step("cut", path)
    os.ftruncate(descriptor, len(new))
    os.fsync(descriptor)


def _write_at(descriptor: int, offset: int, data: bytes) -> None:
    os.lseek(descriptor, offset, os.SEEK_SET)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def is_mix(content: bytes, first: bytes, second: bytes) -> bool:
    """Whether each page of a content is of one of two texts, as while one is written over the other.

    After the end of the shorter text, the longer one counts as both.
    """
    if not min(len(first), len(second)) <= len(content) <= max(len(first), len(second)):
        return False
    texts = (first + second[len(first) :], second + first[len(second) :], first, second)
    return all(
        any(content[start : start + _PAGE] == text[start : min(start + _PAGE, len(content))] for text in texts)
        for start in range(0, len(content), _PAGE)
    )
