"""Programs in JavaScript: run in the box of `decoder.controller`, from one awaited part to the next."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from decoder.controller.protocol import ScriptError
from decoder.controller.quickjs import Machine, Snapshot
from decoder.program.nodes import Awaited, ProgramError, Runner
from decoder.program.wire import awaited_of

_LOAD_SECONDS = 5.0
_STEP_SECONDS = 2.0
_KEPT = 16
"""Snapshots, of about 1.5 MB each; a step from farther back is run again from the beginning."""
_BEGIN = '\n;if (typeof main === "function") inscope$.start(main);\n'
"""A program that has a `main` need not call `start`."""


@cache
def prelude() -> str:
    """The module "inscope"."""
    return files(__package__).joinpath("inscope.js").read_text("utf-8")


class JavaScript(Runner):
    """One program, as the parts that it awaits after what was written.

    Args:
        name: What messages call the file.
        machine: One in which the source has been loaded, and which keeps its deadline; None makes one.

    Raises:
        ProgramError: it throws, or does not come to an end.
    """

    def __init__(self, source: str, name: str, params: Mapping[str, Any], machine: Machine | None = None) -> None:
        self._source, self._name, self._params = source, name, params
        self._snapshots: dict[tuple[str, ...], Snapshot] = {}
        try:
            self._machine = machine or Machine({"inscope": prelude()}, deadline_s=_LOAD_SECONDS)
            if machine is None:
                self._machine.load('import "inscope"', "<host>")
                self._machine.ask(f"inscope$.give({json.dumps(json.dumps(dict(params)))})")
                self._machine.load(source + _BEGIN, name)
                self._machine.deadline_s = _STEP_SECONDS
            self._machine.ask("inscope$.begin()")
        except ScriptError as error:
            raise ProgramError(str(error)) from error
        self._begun = self._machine.snapshot()
        self._at: tuple[str, ...] | None = ()

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        try:
            self._go(history)
            question = json.loads(self._machine.ask("inscope$.question()"))
        except ScriptError as error:
            self._at = None
            raise ProgramError(str(error)) from error
        except (ValueError, RecursionError) as error:
            raise ProgramError("the program has broken what it was run with") from error
        kind = question.get("k") if isinstance(question, dict) else None
        if kind == "awaited":
            return awaited_of(question)
        if kind == "done":
            return None
        raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")

    def watched(self) -> JavaScript:
        """Another run of the program, which says of each part where it is awaited and what becomes of its text."""
        from decoder.grammar.awaits import awaits  # noqa: PLC0415 - only lowering needs a parser

        marks: list[tuple[int, str]] = []
        for one in awaits(self._source):
            where = json.dumps(f"{self._name}:{one.line}:{one.column}")
            marks += [(one.start, f"inscope$.at({where},{json.dumps(one.used)},("), (one.end, "))")]
        source = self._source
        for place, mark in sorted(marks, key=lambda pair: pair[0], reverse=True):
            source = source[:place] + mark + source[place:]
        return JavaScript(source, self._name, self._params)

    def _go(self, history: tuple[str, ...]) -> None:
        """Take the program to where these texts have been written."""
        if self._at != history:
            known = len(history) - (self._at is not None and self._at == history[:-1])
            if known == len(history):
                while known and history[:known] not in self._snapshots:
                    known -= 1
                self._machine.restore(self._snapshots.get(history[:known], self._begun))
            self._at = None
            for text in history[known:]:
                self._machine.ask(f"inscope$.next({json.dumps(text)})")
        self._at = history
        self._snapshots[history] = self._machine.snapshot()
        if len(self._snapshots) > _KEPT:
            del self._snapshots[next(iter(self._snapshots))]
