"""Loads a GGUF file as the model: llama.cpp's packaged server runs in a child process and is asked as any other server.

`load` is called by `decoder.models.loading`; the child runs `serve`. It listens on loopback with a key that only we
know, and ends when our end of its pipe does. An assertion in llama.cpp ends the child, and not the editor's server.
"""

from __future__ import annotations

import json
import secrets
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING
from weakref import finalize

from context_index.extras import Extra
from context_index.processes import Process, cores, start_python
from decoder.errors import ExtraMissingError, ModelDamagedError, ModelNotFoundError, ModelServerError
from decoder.models.gguf import Head, size_of
from decoder.models.server.address import Address, ServerKind
from decoder.models.server.probe import connect
from decoder.models.threads import MOST_THREADS, SMALL

if TYPE_CHECKING:
    from decoder.models.options import ModelOptions
    from decoder.models.server.model import ServerModel

CONTEXT = 4096
"""The most tokens that the cache holds: its memory is taken when the child starts."""
_ANSWER_SECONDS = 120.0
"""The longest that an answer of our own child may take: it computes on this machine, and a request has its own
deadline."""
_START_SECONDS = 300.0
"""The longest that the child may take to read the file: several gigabytes from a cold disk take minutes."""


class Child:
    """The process with the server; it ends when the object does.

    Args:
        context: The most tokens that the server reads and writes together.
        on_cpu: Whether the GPU is left unused.

    Raises:
        ModelDamagedError: llama.cpp does not start with the file.
        ModelServerError: llama.cpp takes too long to read the file.
    """

    def __init__(self, file: Path, context: int, *, on_cpu: bool) -> None:
        self.key = secrets.token_urlsafe(24)
        with tempfile.TemporaryFile() as log:
            self._process = start_python("decoder.models.server.serve", stderr=log)
            self._end = finalize(self, _end, self._process)
            task = {
                "file": str(file), "key": self.key, "context": context, "threads": _threads(file),
                "layers": 0 if on_cpu else None,
            }  # fmt: skip
            line = self._first_line(json.dumps(task))
            if line is None:
                self.close()
                raise ModelServerError(
                    f"llama.cpp has not read '{file}' within {_START_SECONDS:.0f} s. Try again once this machine has "
                    "less to do, or use a smaller model."
                )
            if not line.startswith("http://"):
                log.seek(0)
                log_text = log.read().decode("utf-8", "replace")
                self.close()
                raise ModelDamagedError(
                    f"llama.cpp cannot read '{file}' ({_reason(log_text) or line or 'it ended'}). Fetch the file "
                    "again, or update xllamacpp."
                )
            self.url = line

    def close(self) -> None:
        """End the process, and wait until it has."""
        self._end()

    def _first_line(self, task: str) -> str | None:
        """Send the child its task, and wait for its line: the server's address, or why there is none.

        Empty if the child ended without one; None if it is late.
        """
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        lines: SimpleQueue[bytes] = SimpleQueue()
        try:
            self._process.stdin.write(task.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return ""
        read: Callable[[], bytes] = self._process.stdout.readline
        threading.Thread(target=lambda: lines.put(read()), daemon=True).start()
        try:
            return lines.get(timeout=_START_SECONDS).decode("utf-8", "replace").strip()
        except Empty:
            return None


def load(
    path: str, options: ModelOptions, *, device: str = "auto", notify: Callable[[str], None] = lambda _sentence: None
) -> ServerModel:
    """The model in a GGUF file, served by a child process that ends with it.

    Raises:
        ModelNotFoundError, ModelDamagedError, UnsupportedModelError: the file cannot be used.
        ExtraMissingError: llama.cpp is not installed.
        ModelServerError: llama.cpp takes too long to start, or does not answer as it should.
    """
    file = Path(path).expanduser().absolute()
    head = head_of(file)
    check_installed(file)
    notify(f"Starting llama.cpp with {file.name}.")
    child = Child(file, min(head.context, CONTEXT), on_cpu=device == "cpu")
    patient = replace(options, timeout_seconds=max(options.timeout_seconds, _ANSWER_SECONDS))
    try:
        model = connect(
            Address(child.url, None, ServerKind.LLAMA_SERVER), patient, key=child.key, file=file, holds=child
        )
    except BaseException:  # even an interrupt must not leave the child behind
        child.close()
        raise
    model.memory = size_of(file)
    return model


def head_of(file: Path) -> Head:
    """The head of a GGUF file.

    Raises:
        ModelNotFoundError: there is no such file.
        ModelDamagedError: it is no GGUF file, or is cut short.
    """
    if not file.is_file():
        raise ModelNotFoundError(f"no model at '{file}'. Name a GGUF file that exists, or leave the name out.")
    return Head.of(file)


def check_installed(file: Path) -> None:
    """Raise `ExtraMissingError` where llama.cpp is not installed."""
    if not Extra.GGUF.is_installed:
        raise ExtraMissingError(f"'{file}' needs llama.cpp, which is not installed. {Extra.GGUF.advice}")


def _end(process: Process) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # it died before it had read its task, which cannot be delivered any more
                pipe.close()
    process.wait()


def _reason(log: str) -> str:
    """The end of the first line in llama.cpp's log that says what failed; empty where none does."""
    failures = [line for line in log.splitlines() if "error" in line.lower() or "fail" in line.lower()]
    return failures[0].strip()[-160:] if failures else ""


def _threads(file: Path) -> int:
    """The threads that compute.

    One core is left to other programs: if one of the threads has to wait for a core, all do. On two busy cores one
    thread read a prompt of 864 tokens in 17 s and two more tokens in 0.2 s; two threads took 32 s and 3 to 5 s.
    """
    return 1 if size_of(file) <= SMALL else max(1, min(cores() - 1, MOST_THREADS))
