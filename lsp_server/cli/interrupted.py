"""Mentions writes that were interrupted, and finishes them or takes them back (`rewrite --resume`, `--undo`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsp_server.cli.console import note
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.store import has_journals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lsp_server.engine.wire import Json
    from lsp_server.writing.recovery import Interrupted, Recovered


def mention(folder: Path) -> None:
    """Warn of the writes that were interrupted in the workspace of a folder; a settled one is mentioned once."""
    for write in _interrupted(folder):
        note(f"warning: {write.advice(Path.cwd())}")


def recover_in(folder: Path, *, forward: bool, in_json: bool) -> int:
    """Finish the interrupted writes in the workspace of a folder, or take them back; returns the exit code.

    Args:
        forward: True finishes them, False takes them back.
        in_json: Whether an answer for programs is printed, too.
    """
    recovered = _recovered(folder, forward=forward)
    changed = [path for write in recovered for path in write.changed]
    complaints = [*_complaints(recovered)] if recovered else [*_left(folder)]
    if in_json:
        first: Json = {"code": str(ErrorCode.MALFORMED_REQUEST), "message": complaints[0]} if complaints else None
        print_json({"changed": [str(path) for path in changed], "error": first})
    for write in recovered:
        note(f"warning: {write.before}; {'it is finished now' if forward else 'it is taken back now'}")
    for path in changed:
        note(f"{path} {'was written' if forward else 'is as it was before'}")
    if not recovered:
        note(_nothing_to_do(folder))
    for complaint in complaints:
        note(f"error: {complaint}")
    return 1 if complaints else 0


def take_back_in(folder: Path) -> None:
    """Take back the writes that were interrupted in the workspace of a folder, before something else is written there.

    Raises:
        RequestError: another program has changed some of their files since.
    """
    for write in _interrupted(folder):
        if write.is_settled:
            note(f"warning: {write.advice(folder)}")
    recovered = _recovered(folder, forward=False)
    for taken_back in recovered:
        note(f"warning: {taken_back.before}; it was taken back")
    if complaint := next(_complaints(recovered), None):
        raise RequestError(ErrorCode.MALFORMED_REQUEST, f"{complaint}; nothing else was written")


def _interrupted(folder: Path) -> list[Interrupted]:
    if not has_journals():
        return []
    from lsp_server.writing.recovery import interrupted_in  # noqa: PLC0415 - hardly ever needed

    return interrupted_in(folder)


def _recovered(folder: Path, *, forward: bool) -> list[Recovered]:
    if not has_journals():
        return []
    from lsp_server.writing.interrupts import WaitingSignals  # noqa: PLC0415 - hardly ever needed
    from lsp_server.writing.recovery import recover  # noqa: PLC0415 - as above

    with WaitingSignals() as signals:
        return recover(folder, signals, forward=forward)


def _complaints(recovered: Sequence[Recovered]) -> Iterator[str]:
    """A sentence for each write that could not be taken back in all files."""
    for write in recovered:
        if write.foreign:
            names = ", ".join(f"'{path}'" for path in write.foreign)
            yield (
                f"another program changed {names} after a write that was interrupted, so what it has stays; all other "
                "files are as they were"
            )


def _left(folder: Path) -> Iterator[str]:
    """A sentence if files are left of a write that no journal tells of, as its folder was moved or the journal lost."""
    from lsp_server.writing.recovery import leftovers  # noqa: PLC0415 - hardly ever needed

    if (left := next(leftovers(folder), None)) is not None:
        yield (
            f"'{left}' is left of a write that was interrupted, and whose journal is not here: some files may have "
            "their new text, others their old one"
        )


def _nothing_to_do(folder: Path) -> str:
    """The sentence where no write was interrupted; it names another workspace if one was there."""
    from lsp_server.writing.recovery import interrupted_elsewhere  # noqa: PLC0415 - hardly ever needed

    others = interrupted_elsewhere(folder)
    more = f"; --workspace names another workspace, such as '{others[0]}'" if others else ""
    return f"No write is to be finished or taken back here{more}"
