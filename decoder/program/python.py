"""Programs in Python: a function of this process, or a file that a process of its own runs.

A function is replayed from its beginning for each step, as nothing can be taken back in Python; it must so do the same
each time. A file is run as any file that one starts: with one's own rights, but under a deadline.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import MappingProxyType
from typing import Any

from decoder.program.combinators import KEYS, Main, Part, awaited
from decoder.program.nodes import Node, ProgramError
from decoder.program.wire import from_json

_START_SECONDS = 60.0
_STEP_SECONDS = 5.0
_EMPTY: Mapping[str, Any] = MappingProxyType({})


class PythonFunction:
    """An `async def` of this process."""

    def __init__(self, main: Main, params: Mapping[str, Any] = _EMPTY) -> None:
        self._main = main
        self._params = params
        self._keys = KEYS.given

    def after(self, history: tuple[str, ...]) -> Node | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        KEYS.back_to(self._keys)
        running: Any = awaited(self._main, self._params)
        try:
            asked = running.send(None)
            for text in history:
                asked = running.send(text)
        except StopIteration:
            return None
        finally:
            running.close()
        if isinstance(asked, Part):
            return asked.node
        if not hasattr(asked, "__dataclass_fields__"):
            raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")
        node: Node = asked
        return node

    def close(self) -> None:
        """Nothing is left behind."""


class PythonFile:
    """A program file, run by a process that ends with this object, or with this process."""

    def __init__(self, path: Path, params: Mapping[str, Any] = _EMPTY) -> None:
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._process = subprocess.Popen(  # noqa: S603 - this very Python, and the file that a person named
            [sys.executable, "-m", "decoder.program.python_worker", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        Thread(target=self._read, name="inscope-program", daemon=True).start()
        try:
            self._answer(_START_SECONDS)
            self._ask({"params": dict(params)})
        except ProgramError:
            self.close()
            raise

    def after(self, history: tuple[str, ...]) -> Node | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        node = self._ask({"history": history})
        return None if node is None else from_json(node)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()

    def _ask(self, question: dict[str, Any]) -> object:
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ProgramError("the program has ended its own process") from error
        return self._answer(_STEP_SECONDS)

    def _answer(self, seconds: float) -> object:
        try:
            line = self._answers.get(timeout=seconds)
        except Empty:
            self._process.kill()
            raise ProgramError(f"the program was stopped: it ran for more than {seconds:g} s") from None
        if not line:
            raise ProgramError("the program has ended its own process")
        answer = json.loads(line)
        if "error" in answer:
            raise ProgramError(str(answer["error"]))
        return answer.get("node")

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        try:
            for line in self._process.stdout:
                self._answers.put(line)
        except ValueError:  # closed while it was read
            pass
        self._answers.put(b"")
