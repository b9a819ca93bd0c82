"""Programs from files: run by the workers that run controllers (`decoder.controller`), with more time."""

from __future__ import annotations

import json
from dataclasses import replace
from weakref import finalize

from context_index.symbols import Language
from decoder.controller.pool import shared
from decoder.controller.protocol import Controller
from decoder.controller.session import Limits, ProgramSession
from decoder.errors import ProgramError
from decoder.program.runner import Awaited, Runner

_LIMITS = Limits(load_seconds=3.0, step_seconds=2.0, request_seconds=120.0)
"""More than a controller has: nobody waits at a keyboard, and each step may repeat all steps before it."""


class ProgramFile(Runner):
    """A program file, run by workers of this process until it is closed or garbage-collected.

    Raises:
        ProgramError: it throws, does not come to an end, or has no main function.
    """

    def __init__(self, code: Controller) -> None:
        self._code = code
        self._load(code)

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """See `Runner`."""
        try:
            with shared().lend(self._session):
                return self._session.after(history)
        except ProgramError:
            if self._is_watched:  # run the source without marks, so that the error has the file's columns
                self.close()
                self._load(self._code)
                return self.after(history)
            raise

    def watch(self) -> None:
        """See `Runner`. JavaScript does not know where a program waits, so its source gets marks that report it."""
        if self._code.language is Language.JAVASCRIPT:
            self.close()
            self._load(replace(self._code, source=_marked(self._code.source, self._code.name)))
            self._is_watched = True

    def close(self) -> None:
        """Give the worker back."""
        shared().release(self._session)

    def _load(self, code: Controller) -> None:
        """Begin a session of a worker with the program."""
        self._is_watched = False
        self._session = ProgramSession(code, _LIMITS)
        finalize(self, shared().release, self._session)
        with shared().lend(self._session):
            if self._session.has_steps:
                raise ProgramError("the program has no main function; one with a step is for 'complete --controller'")


def _marked(source: str, name: str) -> str:
    """The source with a call around the operand of each `await`: it reports the place, and if the value is used."""
    from decoder.grammar.awaits import find_awaits  # noqa: PLC0415 - only lowering needs a parser

    marks: list[tuple[int, str]] = []
    for awaited in find_awaits(source):
        place = json.dumps(f"{name}:{awaited.line}:{awaited.column}")
        marks += [(awaited.start, f" inscope$.at({place},{json.dumps(awaited.is_used)},("), (awaited.end, "))")]
    for offset, mark in sorted(marks, key=lambda pair: pair[0], reverse=True):
        source = source[:offset] + mark + source[offset:]
    return f"{source}\n;inscope$.watch()"
