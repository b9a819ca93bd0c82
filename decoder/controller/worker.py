"""The process in which programs run, one at a time: `python -m decoder.controller.worker FD LANGUAGE`.

All that a program can reach is the socket FD to the host. Each frame of the host is answered by one (see `frames`).
The kinds of the host's frames:

- L loads a program; the answer is its `about`.
- C gives it the data about the place.
- S is a step; the answer is the program's.
- B goes back: the program forgets all but a number of steps.
- A asks a main what it awaits after some texts.

A reply is `ANSWERED` with the answer, or `FAILED` with the reason why there is none.
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
from decoder.controller.frames import ANSWERED, FAILED, receive, send
from decoder.controller.protocol import MEMORY_BYTES, Step, encoded
from decoder.controller.sandbox import confine
from decoder.errors import ProgramError

_WORKER_BYTES = 192 << 20
"""The memory that a worker itself may need beside its program's, with stacks and compiled code."""
_LONGEST_MESSAGE = 400
"""The most characters of the reason in a `FAILED` frame."""


class LoadedProgram(Protocol):
    """A program that is loaded: a `JavaScriptProgram` or a `PythonProgram`."""

    @property
    def about(self) -> Mapping[str, Any]:
        """`kind`: "step", "main", or "" for neither; `wants`: the data that it wants, a list of names."""

    def step(self, body: bytes) -> bytes:
        """The program's answer to an encoded step, as `protocol.answer_of` reads it."""

    def after(self, history: tuple[str, ...]) -> bytes:
        """The part that its main awaits once these texts have been written, as JSON (see `decoder.program.wire`)."""

    def set_place(self, data: str) -> None:
        """Give the program the data about the place, as JSON."""

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
        """The body of the reply to a frame.

        Raises:
            ProgramError: the program threw or was stopped.
        """
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
    """Answer the host's frames until the host is gone.

    Args:
        descriptor: The file descriptor of the socket to the host.
    """
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

    source = "export function step(s) { return s.candidates.map(() => 0) }"
    no_candidates = encoded(Step(0, "", array("i"), (), array("f")))
    JavaScriptProgram(source, {}, "warm", 60.0).step(no_candidates)
    return JavaScriptProgram


if __name__ == "__main__":
    main(int(sys.argv[1]), Language(sys.argv[2]))
