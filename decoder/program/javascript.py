"""Programs in JavaScript inside the worker: taken from one awaited part to the next."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from decoder.controller.quickjs import Machine, Snapshot
from decoder.errors import ProgramError
from decoder.program.nodes import Awaited, Runner
from decoder.program.wire import awaited_of

_KEPT = 8
"""Snapshots, of about 1.5 MB each; a step from farther back is run again from the beginning."""


@cache
def prelude() -> str:
    """The module "inscope"."""
    return files(__package__).joinpath("inscope.js").read_text("utf-8")


class JavaScript(Runner):
    """A program whose source a machine has loaded, as the parts that it awaits after what was written."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._machine.ask("inscope$.begin()")
        self._begun = machine.snapshot()
        self._snapshots: dict[tuple[str, ...], Snapshot] = {}
        self._at: tuple[str, ...] | None = ()

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        self._go(history)
        try:
            question = json.loads(self._machine.ask("inscope$.question()"))
        except (ValueError, RecursionError) as error:
            raise ProgramError("the program has broken what it was run with") from error
        self._at = history
        kind = question.get("k") if isinstance(question, dict) else None
        if kind == "awaited":
            return awaited_of(question)
        if kind == "done":
            return None
        raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")

    def _go(self, history: tuple[str, ...]) -> None:
        """Take the program to where these texts have been written."""
        at, self._at = self._at, None  # unless all goes well
        if at == history:
            return
        known = len(history) - (at is not None and at == history[:-1])
        if known == len(history):
            while known and history[:known] not in self._snapshots:
                known -= 1
            self._machine.restore(self._snapshots.get(history[:known], self._begun))
        for text in history[known:]:
            self._machine.ask(f"inscope$.next({json.dumps(text)})")
        self._snapshots[history] = self._machine.snapshot()
        if len(self._snapshots) > _KEPT:
            del self._snapshots[next(iter(self._snapshots))]
