"""The process in which programs run, one at a time; all that they can reach is one line to the host.

`python -m decoder.controller.worker FD LANGUAGE`. Each frame of the host is answered by one (see `protocol`). Kinds: L
loads a program, C gives the data about the place, S is a step, B goes back to before a step, A asks a main what it
awaits. A reply is K with the answer, or E with the reason why there is none.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from array import array
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from context_index.symbols import Language
from decoder.controller.protocol import ANSWERED, FAILED, MEMORY_BYTES, Step, encoded, receive, send
from decoder.controller.sandbox import confine
from decoder.errors import ProgramError

_WORKER_BYTES = 192 << 20
"""The memory that a worker itself may need beside its program's, with stacks and compiled code."""
_LONGEST_MESSAGE = 400


class LoadedProgram(Protocol):
    """One program, in whatever language."""

    @property
    def about(self) -> Mapping[str, Any]:
        """The kind of the program, and the data that it wants."""

    def step(self, body: bytes) -> bytes:
        """Its answer to an encoded step."""

    def after(self, history: tuple[str, ...]) -> bytes:
        """The part that its main awaits once these texts have been written, as JSON (see `decoder.program.wire`)."""

    def set_place(self, data: str) -> None:
        """Take the data about the place, as JSON."""

    def restart(self) -> None:
        """Go back to before the first step."""


class Worker:
    """Answers the host's questions by asking the program that was loaded last."""

    _program: LoadedProgram

    def __init__(self, load: Callable[..., LoadedProgram]) -> None:
        self._load = load
        self._steps: list[bytes] = []
        """The steps that the program was asked, as they were encoded."""

    def answer(self, kind: bytes, body: bytes) -> bytes:
        """The reply to a frame."""
        match kind:
            case b"L":
                self._steps = []
                self._program = self._load(**json.loads(body))
                return json.dumps(self._program.about).encode()
            case b"S":
                self._steps.append(body)
                return self._program.step(body)
            case b"B":
                self._rollback(int(body))
            case b"C":
                self._program.set_place(body.decode())
            case b"A":
                return self._program.after(tuple(json.loads(body)))
        return b"null"

    def _rollback(self, count: int) -> None:
        """Forget all but the first `count` steps; these are run again, as a program does the same each time."""
        del self._steps[count:]
        self._program.restart()
        for body in self._steps:
            self._program.step(body)


def main(descriptor: int, language: Language) -> None:
    """Answer until the host is gone."""
    line = socket.socket(fileno=descriptor)
    worker = Worker(_loader(language))
    confined = confine(MEMORY_BYTES + _WORKER_BYTES, webassembly=language is not Language.PYTHON)
    send(line, ANSWERED, 0, json.dumps(confined).encode())
    while True:
        try:
            kind, number, body = receive(line)
        except (EOFError, OSError):
            os._exit(0)
        try:
            send(line, ANSWERED, number, worker.answer(kind, body))
        except (ProgramError, MemoryError, RecursionError) as error:
            message = str(error) if isinstance(error, ProgramError) else f"the program was stopped: {error!r}"
            send(line, FAILED, number, message[:_LONGEST_MESSAGE].encode("utf-8", "replace"))


def _loader(language: Language) -> Callable[..., LoadedProgram]:
    """The function that loads a program.

    A small program is run here first, as the modules that it needs cannot be read once the process is confined.
    """
    if language is Language.PYTHON:
        from decoder.controller.python_program import PythonProgram, stand_still  # noqa: PLC0415 - each process needs one language

        stand_still()
        PythonProgram("def step(s): return {}", {}, "warm", 0.0)
        return PythonProgram
    from decoder.controller.javascript_program import JavaScriptProgram  # noqa: PLC0415 - likewise

    JavaScriptProgram("export function step(s) { return s.candidates.map(() => 0) }", {}, "warm", 60.0).step(
        encoded(Step(0, "", array("i"), (), array("f")))
    )
    return JavaScriptProgram


if __name__ == "__main__":
    main(int(sys.argv[1]), Language(sys.argv[2]))
