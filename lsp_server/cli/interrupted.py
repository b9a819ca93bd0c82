"""What the command line says of writes that were interrupted, and how it finishes them or takes them back."""

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
    """Say which writes were interrupted in the workspace of a folder; what settled ones have left is removed."""
    for write in _interrupted(folder):
        note(f"warning: {write.advice(Path.cwd())}")


def recover_in(folder: Path, *, forward: bool, in_json: bool) -> int:
    """Finish the interrupted writes in the workspace of a folder, or take them back; the exit code."""
    recovered = _recovered(folder, forward=forward)
    changed = [path for each in recovered for path in each.changed]
    complaints = [*_complaints(recovered)]
    if in_json:
        first: Json = {"code": str(ErrorCode.MALFORMED_REQUEST), "message": complaints[0]} if complaints else None
        print_json({"changed": [str(path) for path in changed], "error": first})
    for each in recovered:
        note(f"warning: {each.before}; {'it is finished now' if forward else 'it is taken back now'}")
    for path in changed:
        note(f"{path} {'was written' if forward else 'is as it was before'}")
    if not recovered:
        note(_nothing(folder))
    for complaint in complaints:
        note(f"error: {complaint}")
    return 1 if complaints else 0


def take_back_in(folder: Path) -> None:
    """Take back what was interrupted in the workspace of a folder, before something else is written there.

    Raises:
        RequestError: another program has changed some of it.
    """
    for write in _interrupted(folder):
        if write.is_settled:
            note(f"warning: {write.advice(folder)}")
    recovered = _recovered(folder, forward=False)
    for each in recovered:
        note(f"warning: {each.before}; it was taken back")
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
    for each in recovered:
        if each.foreign:
            names = ", ".join(f"'{path}'" for path in each.foreign)
            yield (
                f"another program changed {names} after a write that was interrupted, so what it has stays; all other "
                "files are as they were"
            )


def _nothing(folder: Path) -> str:
    """What to say where nothing is to be done."""
    from lsp_server.writing.recovery import interrupted_elsewhere  # noqa: PLC0415 - hardly ever needed

    others = interrupted_elsewhere(folder)
    more = f"; --workspace names another workspace, such as '{others[0]}'" if others else ""
    return f"No write is to be finished or taken back here{more}"
