"""The process in which programs run: one at a time, and nothing within its reach but one line to its host.

`python -m decoder.controller.worker FD LANGUAGE`. Frames come in and go out by turns (see `protocol`): L loads a
program, C gives the symbol context, S is a step, B goes back to before a step, A asks a main what it waits for.
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
from decoder.controller.protocol import MEMORY_BYTES, Step, encoded, receive, send
from decoder.controller.sandbox import confine
from decoder.errors import ProgramError

_HOST_BYTES = 192 << 20
"""What a worker itself may need beside its program's memory, stacks and compiled code included."""
_LONGEST_MESSAGE = 400


class Program(Protocol):
    """One program, in whatever language."""

    @property
    def about(self) -> Mapping[str, Any]:
        """The kind of the program, and the data that it wants."""

    def step(self, body: bytes) -> bytes:
        """Its answer to an encoded step."""

    def after(self, history: tuple[str, ...]) -> bytes:
        """What its main waits for once these texts have been written, as `wire` says it."""

    def tell(self, symbols: str) -> None:
        """Give it the symbol context."""

    def restart(self) -> None:
        """Be as before the first step."""


class Worker:
    """Answers what the host asks, of the program that it has loaded last."""

    _program: Program

    def __init__(self, load: Callable[..., Program]) -> None:
        self._load = load
        self._steps: list[bytes] = []
        """That the program has been asked."""

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
                self._program.tell(body.decode())
            case b"A":
                return self._program.after(tuple(json.loads(body)))
        return b"null"

    def _rollback(self, count: int) -> None:
        """Forget all but the first `count` steps: these are made again, as a program does the same each time."""
        del self._steps[count:]
        self._program.restart()
        for body in self._steps:
            self._program.step(body)


def main(descriptor: int, language: Language) -> None:
    """Answer until the host is gone."""
    line = socket.socket(fileno=descriptor)
    worker = Worker(_loader(language))
    confined = confine(MEMORY_BYTES + _HOST_BYTES, webassembly=language is not Language.PYTHON)
    send(line, b"K", 0, json.dumps(confined).encode())
    while True:
        try:
            kind, number, body = receive(line)
        except (EOFError, OSError):
            os._exit(0)
        try:
            send(line, b"K", number, worker.answer(kind, body))
        except (ProgramError, MemoryError, RecursionError) as error:
            message = str(error) if isinstance(error, ProgramError) else f"the program was stopped: {error!r}"
            send(line, b"E", number, message[:_LONGEST_MESSAGE].encode("utf-8", "replace"))


def _loader(language: Language) -> Callable[..., Program]:
    """What makes a program of a source; everything that it needs is in memory afterwards."""
    if language is Language.PYTHON:
        from decoder.controller.function import Function, stand_still  # noqa: PLC0415 - each process needs one language

        stand_still()
        Function("def step(s): return {}", {}, "warm", 0.0)
        return Function
    from decoder.controller.script import Script  # noqa: PLC0415 - likewise

    Script("export function step(s) { return s.candidates.map(() => 0) }", {}, "warm", 60.0).step(
        encoded(Step(0, "", array("i"), (), array("f")))
    )
    return Script


if __name__ == "__main__":
    main(int(sys.argv[1]), Language(sys.argv[2]))
