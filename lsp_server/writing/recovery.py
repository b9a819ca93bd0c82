"""Finishes, or takes back, a write that was interrupted by the end of its process or of the machine.

What became of each file is read from the files themselves (`FileState`): a file has its old text, its new one, or one
of another program, which stays whatever is done. `cli/interrupted` calls `recover`; the server only reports what was
interrupted.
"""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

from lsp_server.errors import ErrorCode, RequestError
from lsp_server.store import journal_folder
from lsp_server.wording import counted
from lsp_server.writing.journal import SUFFIX, Journal
from lsp_server.writing.replacing import FileMove, ForeignEditError, ReplacementPass, check, is_mix, is_staged, swap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lsp_server.writing.interrupts import WaitingSignals
    from lsp_server.writing.journal import JournalEntry, JournalRecord, Pass


class FileState(Enum):
    """Which text a file of an interrupted write has."""

    OLD = auto()
    NEW = auto()
    MIXED = auto()
    """It was being overwritten: each page has the old or the new text."""
    TAKEN = auto()
    """A text of the write, swapped in for one of another program, which came out and was not put back yet."""
    FOREIGN = auto()
    """A text of another program, made of the old one."""
    FOREIGN_NEW = auto()
    """A text of another program, made of the new one."""
    UNKNOWN = auto()
    """A text of another program, made of the old or the new one."""


_BETWEEN = {FileState.MIXED, FileState.TAKEN, FileState.UNKNOWN}
"""States in which the write has changed a file in part, or may have changed it: such a write is never settled."""
_NOT_WRITTEN = {FileState.OLD, FileState.FOREIGN, *_BETWEEN}
"""States in which a file may lack the write."""
_WRITTEN = {FileState.NEW, FileState.FOREIGN_NEW, *_BETWEEN}
"""States in which a file may have the write."""


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A write whose process ended before the write did."""

    root: Path
    """The workspace."""
    states: Mapping[Path, FileState]
    """The state of each file of the set."""

    @property
    def is_settled(self) -> bool:
        """Whether none of its files was written, or all were, so that nothing is left to do."""
        return not (_NOT_WRITTEN.intersection(self.states.values()) and _WRITTEN.intersection(self.states.values()))

    def __str__(self) -> str:
        count, written = len(self.states), sum(state in _WRITTEN for state in self.states.values())
        changed = "all" if written == count else written or "none"
        return f"a write of {counted(count, 'file')} in '{self.root}' was interrupted with {changed} changed"

    def advice(self, here: Path | None = None) -> str:
        """A sentence for people: what was interrupted, and what to do.

        Args:
            here: The folder in which they type commands; None if it is unknown.
        """
        if self.is_settled:
            return f"{self}; what it left was removed"
        is_here = here is not None and here.is_relative_to(self.root)
        where = "" if is_here else f" --workspace {shlex.quote(str(self.root))}"
        return f"{self}: 'inscope rewrite --resume{where}' finishes it, 'inscope rewrite --undo{where}' takes it back"


@dataclass(frozen=True, slots=True)
class Recovered:
    """A write that was finished or taken back."""

    before: Interrupted
    """The write as it was found."""
    changed: list[Path]
    """Files that were changed to finish it or to take it back."""
    foreign: list[Path]
    """Files that another program changed after they had been written, so that they could not be taken back."""


def interrupted_in(folder: Path) -> list[Interrupted]:
    """The writes that were interrupted, in workspaces around a folder or below it.

    What is left of a settled write is removed, so that it is returned only once. A write that goes on is left out.
    """
    writes = []
    for journal in _journals(folder):
        with suppress(Timeout, OSError), _locked_record(journal, 0.0) as record:
            if record is not None:
                writes.append(_interrupted(record))
                if writes[-1].is_settled:
                    _end(journal, record)
    return writes


def interrupted_elsewhere(folder: Path) -> list[Path]:
    """Other workspaces that have a journal: a write was interrupted there, or goes on."""
    near = {journal.path for journal in _journals(folder)}
    records = [journal.read() for journal in _journals(None) if journal.path not in near]
    return [record.root for record in records if record is not None]


def leftovers(folder: Path) -> Iterator[Path]:
    """The staged files below a folder; where no journal tells of them, their write may have changed some files only."""
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in names if is_staged(name))


def recover(folder: Path, signals: WaitingSignals, *, forward: bool) -> list[Recovered]:
    """Finish the interrupted writes in workspaces around a folder or below it, or take them back.

    Args:
        forward: Whether they are finished; False takes them back.

    Raises:
        RequestError: a write cannot be finished, or taken back, now; it is left as it was.
    """
    recovered = []
    for journal in _journals(folder):
        try:
            with _locked_record(journal) as record:
                if record is not None:
                    recovered.append(_recover(journal, record, signals, forward=forward))
        except Timeout as error:
            raise RequestError(ErrorCode.FILE_NOT_FOUND, "another command is writing there; try again") from error
        except (ForeignEditError, OSError) as error:
            raise _failure(forward, _reason(error)) from error
    return recovered


def _reason(error: ForeignEditError | OSError) -> str:
    """Why a pass failed; an error of an open file does not name it."""
    if isinstance(error, ForeignEditError):
        return str(error)
    where = f" ('{error.filename}')" if error.filename else ""
    return f"{error.strerror or error}{where}"


def _failure(forward: bool, why: str) -> RequestError:  # noqa: FBT001 - as in the sentence
    done = "finished" if forward else "taken back"
    return RequestError(ErrorCode.MALFORMED_REQUEST, f"the interrupted write cannot be {done}: {why}")


def _journals(folder: Path | None) -> Iterator[Journal]:
    """The journals of workspaces around a folder or below it, and those that say nothing; all if there is no folder.

    Journals that cannot be read, such as those of a later version, are left out.
    """
    place = journal_folder()
    if place is None:
        return
    for path in sorted(place.glob(f"*{SUFFIX}")):
        journal = Journal(path)
        with suppress(OSError, KeyError, TypeError, ValueError):
            record = journal.read()
            if folder is None or record is None or _concerns(record.root, Path(os.path.realpath(folder))):
                yield journal


def _concerns(root: Path, folder: Path) -> bool:
    """Whether a workspace is around a folder or below it."""
    return folder.is_relative_to(root) or root.is_relative_to(folder)


@contextmanager
def _locked_record(journal: Journal, patience: float | None = None) -> Iterator[JournalRecord | None]:
    """What a journal says while no other process may write it; a journal that says nothing is removed.

    Args:
        patience: The most seconds to wait for the lock; None for the usual ones.

    Raises:
        Timeout: another process has the journal.
    """
    journal.open() if patience is None else journal.open(patience)
    try:
        record = journal.read()
        if record is None:
            journal.end()
        yield record
    finally:
        journal.close()


def _interrupted(record: JournalRecord) -> Interrupted:
    return Interrupted(record.root, {entry.path: _state(entry, record) for entry in record.entries})


def _recover(journal: Journal, record: JournalRecord, signals: WaitingSignals, *, forward: bool) -> Recovered:
    """Finish one write, or take it back, and end its journal.

    First, other programs' files that were swapped out of their places are put back. Then one pass changes each file
    that does not have its text yet. Finishing refuses if it would have to change another program's text; taking back
    leaves such files out and reports them.

    Raises:
        RequestError: another program's text is in the way of finishing.
        ForeignEditError, OSError: from `ReplacementPass`.
    """
    before = now = _interrupted(record)
    for entry in record.entries:
        if before.states[entry.path] is FileState.TAKEN:
            _return_foreign(entry, record)
            now = _interrupted(record)
    # texts of other programs that this pass would have to change
    foreign_states = {FileState.FOREIGN if forward else FileState.FOREIGN_NEW, FileState.UNKNOWN}
    foreign = [path for path, state in now.states.items() if state in foreign_states]
    if forward and foreign:
        raise _failure(
            forward, f"another program has changed '{foreign[0]}' since; 'inscope rewrite --undo' takes back the others"
        )
    states = [(entry, now.states[entry.path]) for entry in record.entries]
    moves = [move for entry, state in states if (move := _move(entry, state, forward=forward)) is not None]
    replacement = ReplacementPass(journal, moves, signals)
    replacement.stage(forward=forward)
    try:
        if forward:
            replacement.run()
        else:
            foreign += [fault.path for fault in replacement.run_each()]
    finally:
        replacement.clean()
    _end(journal, record)
    return Recovered(before, [move.path for move in moves if move.path not in foreign], foreign)


def _move(entry: JournalEntry, state: FileState, *, forward: bool) -> FileMove | None:
    """What must be done to a file; None if it has the right text already, or another program's."""
    expected, wanted = (entry.before, entry.after) if forward else (entry.after, entry.before)
    if state is FileState.MIXED:
        return FileMove(entry.path, expected, wanted, may_be_mixed=True)
    return FileMove(entry.path, expected, wanted) if state is (FileState.OLD if forward else FileState.NEW) else None


def _state(entry: JournalEntry, record: JournalRecord) -> FileState:
    """Which text a file has now; reads the file, and the staged files beside it.

    `TAKEN` comes first: such a file has a text of the write, and another program's is beside it.
    """
    content, texts = _content(entry.path), (entry.before, entry.after)
    if content in texts and any(_is_foreign(entry, one_pass) for one_pass in record.passes):
        return FileState.TAKEN
    if content == entry.before:
        return FileState.OLD
    if content == entry.after:
        return FileState.NEW
    if content is not None and entry.path in record.in_place and is_mix(content, *texts):
        return FileState.MIXED
    return _origin(entry, record)


def _origin(entry: JournalEntry, record: JournalRecord) -> FileState:
    """The state of a file with another program's text: `FOREIGN`, `FOREIGN_NEW` or `UNKNOWN`.

    The other program, an editor for example, has read what the file had by then: the old text or the new one. Which it
    was depends on how far the last pass was with the file. A pass exchanges the file and the staged file beside it, so
    the staged file shows that. If the last pass goes forward:

    - The staged file has the new text: it was not exchanged yet, and the editor has read the old text (`FOREIGN`).
    - It has the old text: it was exchanged, and the editor has read the new text (`FOREIGN_NEW`).
    - It is gone although all staged files were complete: it was removed after the exchange (`FOREIGN_NEW`).
    - It has a third text: nothing is known (`UNKNOWN`).

    For a pass that takes back, old and new change places.
    """
    if not record.passes:
        return FileState.FOREIGN
    if entry.path in record.in_place:
        return FileState.UNKNOWN
    last = record.passes[-1]
    if entry.path not in last.staged:  # it was not to be changed by the last pass, or only in place, which never began
        if not last.forward:
            return FileState.UNKNOWN
        # the first pass finds old texts; a later one leaves out what has the new text already
        return FileState.FOREIGN if len(record.passes) == 1 else FileState.FOREIGN_NEW
    not_yet, already = (
        (FileState.FOREIGN, FileState.FOREIGN_NEW) if last.forward else (FileState.FOREIGN_NEW, FileState.FOREIGN)
    )
    wanted, expected = (entry.after, entry.before) if last.forward else (entry.before, entry.after)
    beside = _content(last.staged[entry.path])
    if not last.is_ready or beside == wanted:
        return not_yet
    return already if beside in {expected, None} else FileState.UNKNOWN  # None: it was complete, and being cleaned up


def _is_foreign(entry: JournalEntry, one_pass: Pass) -> bool:
    """Whether the file that a pass has swapped out of its place is another program's, or open in one."""
    beside = one_pass.staged.get(entry.path)
    if beside is None or not one_pass.is_ready or (content := _content(beside)) is None:
        return False
    try:
        check(beside, content)
    except ForeignEditError:
        return True
    return content not in {entry.before, entry.after}


def _return_foreign(entry: JournalEntry, record: JournalRecord) -> None:
    """Put another program's file that was swapped out of its place back, unless something newer is there."""
    for one_pass in record.passes:
        if _is_foreign(entry, one_pass):
            beside = one_pass.staged[entry.path]
            present, foreign = _content(entry.path), _content(beside)
            if present in {entry.before, entry.after} and foreign is not None:
                with suppress(ForeignEditError):
                    swap(FileMove(entry.path, present, foreign, beside), present, foreign)


def _content(path: Path) -> bytes | None:
    """A file's content; None if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def _end(journal: Journal, record: JournalRecord) -> None:
    """Remove the staged files, except another program's, and the journal."""
    for one_pass in record.passes:
        for entry in record.entries:
            if entry.path in one_pass.staged and not _is_foreign(entry, one_pass):
                one_pass.staged[entry.path].unlink(missing_ok=True)
    journal.end()
