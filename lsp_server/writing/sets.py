"""Writes the new texts of a set of files: all of them or none. The command `inscope rewrite` calls `write_set`."""

from __future__ import annotations

import codecs
import os
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

from lsp_server.errors import ErrorCode, RequestError
from lsp_server.store import CACHE, journal_folder
from lsp_server.writing.journal import Journal, JournalEntry
from lsp_server.writing.replacing import FileMove, ForeignEditError, ReplacementPass, step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lsp_server.writing.interrupts import WaitingSignals

_NOTHING = "nothing was written"


def is_write_protected(mode: int) -> bool:
    """Whether a file's mode lets nobody write to it; it must be asked, as replacing such a file would not fail."""
    return not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)


def write_set(
    changes: Iterable[tuple[Path, str, str]], root: Path, signals: WaitingSignals, *, follow: bool = False
) -> None:
    """Write each file's new text, if all files still have the old ones. Byte order marks and attributes stay.

    Args:
        changes: Of each file the path, the text that was read, and the new text, both without a byte order mark.
        root: The workspace.
        signals: A context that was entered.
        follow: Whether a file with several hard links is written, and one to which a link leads out of the workspace.

    Raises:
        RequestError: a file has been changed, or cannot be written. All files are as they were, or the sentence names
            those that are not.
        KeyboardInterrupt: a signal came in time. All files are as they were.
    """
    root = _real(root)
    entries = _entries(changes, root, follow=follow)
    if not entries:
        return
    with _locked_journal(root, len(entries)) as journal:
        if journal is not None:
            if journal.read() is not None:
                raise RequestError(
                    ErrorCode.MALFORMED_REQUEST,
                    f"an earlier write in '{root}' was interrupted: finish it with 'inscope rewrite --resume', or take "
                    f"it back with 'inscope rewrite --undo'; {_NOTHING}",
                )
            step("begin", journal.path)
            _begin(journal, root, entries)
        moves = [FileMove(entry.path, entry.before, entry.after) for entry in entries]
        replacement = ReplacementPass(journal, moves, signals)
        try:
            replacement.stage(forward=True)
            replacement.run()
        except (ForeignEditError, OSError) as fault:
            raise RequestError(_code(fault), _sentence(fault, replacement)) from fault
        finally:
            replacement.clean()
            if journal is not None and not replacement.is_torn:
                journal.end()


def _entries(changes: Iterable[tuple[Path, str, str]], root: Path, *, follow: bool) -> list[JournalEntry]:
    """The set as the journal has it, each file once.

    Raises:
        RequestError: two paths lead to one file, and their new texts differ; or as `_entry`.
    """
    entries: dict[tuple[int, int], JournalEntry] = {}
    for path, before, after in changes:
        entry, identity = _entry(path, before, after, root, follow=follow)
        if entries.setdefault(identity, entry).after != entry.after:
            raise RequestError(
                ErrorCode.MALFORMED_REQUEST, f"'{path}' is another name of a file that changes as well; {_NOTHING}"
            )
    return [*entries.values()]


def _entry(path: Path, before: str, after: str, root: Path, *, follow: bool) -> tuple[JournalEntry, tuple[int, int]]:
    """A file's entry in the journal, and the file's identity: its device and inode.

    Raises:
        RequestError: the file has been changed, may not be written, or only with `follow`.
    """
    try:
        real = _real(path, strict=True)
        status = real.stat()
        data = real.read_bytes() if stat.S_ISREG(status.st_mode) else None
        may_write = os.access(real, os.W_OK)
    except OSError as error:
        raise _unwritable(path, error) from error
    if data is None:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{real}' is no file any more; {_NOTHING}")
    if is_write_protected(status.st_mode):
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"'{real}' is write-protected; {_NOTHING}")
    if not may_write:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"'{real}' is not yours to write; {_NOTHING}")
    if not follow:
        _check_links(path, real, status.st_nlink, root)
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if data[len(mark) :] != before.encode("utf-8"):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"'{real}' was changed meanwhile; {_NOTHING}")
    return JournalEntry(real, data, mark + after.encode("utf-8")), (status.st_dev, status.st_ino)


def _real(path: Path, *, strict: bool = False) -> Path:
    """A path without links; unlike `Path.resolve`, it raises an OSError for a loop of links, if strict."""
    return Path(os.path.realpath(path, strict=strict))


def _check_links(path: Path, real: Path, hard_links: int, root: Path) -> None:
    """Check that writing the file changes no other file, by a link, that a person might not think of.

    Args:
        path: As it was given.
        real: Without links.

    Raises:
        RequestError: it might; `follow` allows it.
    """
    is_named_inside = any(_real(folder).is_relative_to(root) for folder in path.absolute().parents)
    if not real.is_relative_to(root) and (is_named_inside or path.is_symlink()):
        raise RequestError(
            ErrorCode.MALFORMED_REQUEST,
            f"'{path}' leads out of the workspace, to '{real}'; --follow changes that file; {_NOTHING}",
        )
    if hard_links > 1:
        raise RequestError(
            ErrorCode.MALFORMED_REQUEST,
            f"'{real}' has {hard_links} names (hard links); --follow changes it under all of them; {_NOTHING}",
        )


@contextmanager
def _locked_journal(root: Path, files: int) -> Iterator[Journal | None]:
    """The workspace's journal, which nobody else writes meanwhile; None if there is no place for one.

    Args:
        files: How many are to be written; one file can do without a journal.

    Raises:
        RequestError: another command is writing in the workspace, or several files have no journal.
    """
    folder = journal_folder()
    if folder is None:
        reason = f"{CACHE} is empty"
    else:
        journal = Journal.of(root, folder)
        try:
            journal.open()
        except Timeout as error:
            raise RequestError(
                ErrorCode.FILE_NOT_FOUND, f"another command is writing in '{root}'; {_NOTHING}, try again"
            ) from error
        except OSError as error:
            reason = f"'{folder}': {error.strerror or error}"
        else:
            try:
                yield journal
            finally:
                journal.close()
            return
    if files > 1:
        raise RequestError(
            ErrorCode.FILE_NOT_FOUND,
            f"several files are written with a journal, and there is no place for one ({reason}); let {CACHE} name a "
            f"folder that can be written; {_NOTHING}",
        )
    yield None


def _begin(journal: Journal, root: Path, entries: Sequence[JournalEntry]) -> None:
    """Write the set into the journal; a journal that cannot be written is removed, and a RequestError raised."""
    try:
        journal.begin(root, entries)
    except OSError as error:
        journal.end()
        raise RequestError(
            ErrorCode.FILE_NOT_FOUND,
            f"the journal '{journal.path}' cannot be written: {error.strerror or error}; {_NOTHING}",
        ) from error


def _code(fault: ForeignEditError | OSError) -> ErrorCode:
    return ErrorCode.FILE_NOT_FOUND if isinstance(fault, OSError) else ErrorCode.MALFORMED_REQUEST


def _sentence(fault: ForeignEditError | OSError, replacement: ReplacementPass) -> str:
    """What went wrong, and what became of the files, for people."""
    parts = [_reason(fault)]
    if replacement.is_torn:
        parts.append("some files are written, some are not: 'inscope rewrite --undo' takes all back")
    elif replacement.stays:
        names = ", ".join(f"'{path}'" for path in replacement.stays)
        parts.append(f"nothing else was written, but {names} was changed again after it had been written, and stays")
    else:
        parts.append(_NOTHING)
    parts += [f"an older text of another program is in '{path}'" for path in replacement.kept]
    return "; ".join(parts)


def _reason(fault: ForeignEditError | OSError) -> str:
    if isinstance(fault, ForeignEditError):
        return str(fault)
    where = f" '{fault.filename}'" if fault.filename else ""
    return f"cannot write{where}: {fault.strerror or fault}"


def _unwritable(path: Path, error: OSError) -> RequestError:
    return RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot write '{path}': {error.strerror or error}; {_NOTHING}")
