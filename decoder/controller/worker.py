"""The process in which controllers run: one program at a time, and nothing within its reach but one line to its host.

`python -m decoder.controller.worker FD LANGUAGE MEMORY`. Frames come in and go out by turns (see `protocol`): L loads a
program, C gives the symbol context, S is a step, B goes back to before a step, A asks a main what it waits for.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import sys
from array import array
from collections.abc import Mapping
from typing import Any, Protocol

from decoder.controller.protocol import Language, Step, encoded, receive, send
from decoder.controller.sandbox import confine
from decoder.errors import ProgramError
from decoder.program.nodes import Awaited
from decoder.program.wire import to_json

_HOST_BYTES = 192 << 20
"""What a worker itself may need beside its program's memory, stacks and compiled code included."""
_MOST_SAID = 400


class Program(Protocol):
    """One program, in whatever language."""

    @property
    def about(self) -> Mapping[str, Any]:
        """The kind of the controller, and the data that it wants."""

    def step(self, body: bytes) -> bytes:
        """Its answer to an encoded step."""

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """What its main waits for."""

    def tell(self, symbols: str) -> None:
        """Give it the symbol context."""

    def restart(self) -> None:
        """Be as before the first step."""


class Steps:
    """A program that can be taken back to before any of its steps."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._asked: list[bytes] = []

    def step(self, body: bytes) -> bytes:
        """The answer to the next step."""
        self._asked.append(body)
        return self.program.step(body)

    def rollback(self, count: int) -> None:
        """Forget all but the first `count` steps: these are made again, as a program does the same each time."""
        again, self._asked = self._asked[:count], []
        self.program.restart()
        for body in again:
            self.step(body)


def main(descriptor: int, language: Language, memory_bytes: int) -> None:
    """Answer until the host is gone."""
    line = socket.socket(fileno=descriptor)
    load = _loader(language, memory_bytes)
    confined = confine(memory_bytes + _HOST_BYTES, webassembly=language is not Language.PYTHON)
    send(line, b"K", 0, json.dumps(confined).encode())
    steps: Steps | None = None
    while True:
        try:
            kind, number, body = receive(line)
        except (EOFError, OSError):
            os._exit(0)
        try:
            if kind == b"L":
                steps = None
                given = json.loads(body)
                source = base64.b64decode(given["source"])
                steps = Steps(load(source, given["params"], given["name"], memory_bytes, given["deadline"]))
                reply = json.dumps(steps.program.about).encode()
            elif steps is None:
                raise ProgramError("no program was loaded")  # noqa: TRY301 - told as any other fault is
            else:
                reply = _answer(steps, kind, body)
            send(line, b"K", number, reply)
        except (ProgramError, MemoryError, RecursionError) as error:
            said = str(error) if isinstance(error, ProgramError) else f"the program was stopped: {error!r}"
            send(line, b"E", number, said[:_MOST_SAID].encode("utf-8", "replace"))


def _answer(steps: Steps, kind: bytes, body: bytes) -> bytes:
    if kind == b"S":
        return steps.step(body)
    if kind == b"B":
        steps.rollback(int(body))
    elif kind == b"C":
        steps.program.tell(body.decode())
    elif kind == b"A":
        return json.dumps(to_json(steps.program.after(tuple(json.loads(body))))).encode()
    return b"null"


def _loader(language: Language, memory: int) -> Any:  # noqa: ANN401 - one of three classes with the same arguments
    """What makes a program of a source; everything that it needs is in memory afterwards."""
    nothing: dict[str, Any] = {}
    if language is Language.PYTHON:
        from decoder.controller.function import Function, stand_still  # noqa: PLC0415 - each process needs one language

        stand_still()
        Function(b"def step(s): return {}", nothing, "warm", 0, 1.0)
        return Function
    if language is Language.WASM:
        from decoder.controller.module import Module  # noqa: PLC0415 - likewise

        Module(_WARM, nothing, "warm", memory, 60.0)
        return Module
    from decoder.controller.script import Script  # noqa: PLC0415 - likewise

    Script(b"export function step(s) { return s.candidates.map(() => 0) }", nothing, "warm", memory, 60.0).step(
        encoded(Step(0, "", array("i"), (), array("f")))
    )
    return Script


_WARM = b"""(module (memory (export "memory") 4) (func (export "buffer") (result i32) (i32.const 0))
  (func (export "step") (result i32) (i32.const 0)))"""

if __name__ == "__main__":
    main(int(sys.argv[1]), Language(sys.argv[2]), int(sys.argv[3]))
