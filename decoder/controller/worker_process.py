"""One worker, seen from its host: a process that runs somebody's program, and the socket to it (the line).

A worker is not trusted. If it is late, sends something unasked, or sends what is no answer, it is ended, and only the
request whose program ran in it fails. The worker's own side is `worker`.
"""

from __future__ import annotations

import json
import os
import socket
import time
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil

from context_index.extras import Extra
from context_index.parts import PartMissingError, find, part
from context_index.processes import DEVNULL, exit_code_within, start_python
from context_index.symbols import Language
from decoder.controller.frames import ANSWERED, FAILED, receive, send, set_timeout
from decoder.controller.protocol import MEMORY_BYTES, MOST_REPLY_BYTES
from decoder.errors import ProgramError

_START_SECONDS = 120.0
"""The longest that a worker may take to start: on a very busy machine it takes long."""
_VARIABLES = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1"}
_MOST_SENT_AT_ONCE = 1 << 15
"""The most bytes that are sent at once. More goes out in parts, and a worker that reads slowly could delay each."""
_EXIT_SECONDS = 0.05
"""How long a process whose line has ended may take to exit, so that its exit code can be read."""
_STARTER = ThreadPoolExecutor(1, thread_name_prefix="starts-workers")
"""The thread that starts all workers. On Linux a worker ends with the thread that started it (`sandbox`), and the
thread that asks for one may end long before the pool does."""


def _random_numbers() -> Iterator[int]:
    """32-bit numbers that cannot be guessed from those before them; the system is asked for many at a time."""
    while True:
        yield from array("I", os.urandom(4096))


class WorkerProcess:
    """One process and the line to it.

    Raises:
        ProgramError: programs in this language cannot run here; the message says what is missing.
    """

    def __init__(self, language: Language) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise ProgramError(
                "programs and controllers need Linux or macOS: on this system no process inherits the socket of another"
            )
        if not Extra.PROGRAMS.is_installed:
            raise ProgramError(
                f"programs and controllers need packages that are not installed. {Extra.PROGRAMS.advice}"
            )
        self.language = language
        variables, quickjs = dict(_VARIABLES), part("quickjs")
        try:
            variables[quickjs.variable] = str(find(quickjs).path)  # the confined worker cannot look for it
        except PartMissingError as error:
            if language is Language.JAVASCRIPT:
                raise ProgramError(f"programs in JavaScript need QuickJS: {error}") from error
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = _STARTER.submit(
                start_python, "decoder.controller.worker", str(theirs.fileno()), str(language),
                variables=variables, stdin=DEVNULL, stdout=DEVNULL, pass_fds=[theirs.fileno()],
            ).result()  # fmt: skip
        self.line = ours
        self._timeout = 0.0
        """The line's timeout in seconds; 0 before it is set."""
        self._numbers = _random_numbers()
        """The numbers of questions. A worker cannot guess them, so it cannot answer a question before it is asked."""
        self.confined: tuple[str, ...] = ()
        """The rights that the worker has given up, in words; empty until it is ready."""
        self.size = 0
        """The worker's resident memory in bytes before any program."""
        self.holds: object = None
        """The session whose program is loaded in it; None where none is."""

    def wait_until_ready(self) -> None:
        """Wait until it can load a program.

        Raises:
            ProgramError: it did not start.
        """
        if not self.confined:
            set_timeout(self.line, _START_SECONDS)
            self.confined = tuple(json.loads(self._answer(0, _START_SECONDS)))
            self.size = int(psutil.Process(self.process.pid).memory_info().rss)

    def ask(self, kind: bytes, body: bytes, seconds: float, allowed: float) -> bytes:
        """The answer to a frame.

        Args:
            seconds: How long to wait.
            allowed: The time limit in seconds that the error of a late program names.

        Raises:
            ProgramError: the program threw; or it was stopped, and the worker has ended.
        """
        number = next(self._numbers)
        if seconds != self._timeout:
            set_timeout(self.line, seconds)
            self._timeout = seconds
        try:
            if len(body) > _MOST_SENT_AT_ONCE:
                self.line.settimeout(seconds)  # limits all system calls together, where `set_timeout` limits each
            send(self.line, kind, number, body)
            if len(body) > _MOST_SENT_AT_ONCE:
                self.line.settimeout(None)
        except OSError:
            raise self._ended(self._gone("does not listen")) from None
        return self._answer(number, seconds, allowed)

    def _answer(self, number: int, seconds: float, allowed: float = _START_SECONDS) -> bytes:
        """The body of the reply to question `number`; other arguments and errors as of `ask`."""
        until = time.monotonic() + seconds
        try:
            kind, answered, body = receive(self.line, MOST_REPLY_BYTES, until)
        except TimeoutError:
            raise self._ended(f"ran for more than {allowed:g} s") from None
        except ValueError:
            raise self._ended(f"gave an answer of more than {MOST_REPLY_BYTES >> 20} MiB") from None
        except (EOFError, OSError):
            raise self._ended(self._gone("has ended its own process")) from None
        if answered != number or kind not in (ANSWERED, FAILED) or time.monotonic() > until:
            raise self._ended("forged an answer, or was late with it")
        if kind == FAILED:
            raise ProgramError(body.decode("utf-8", "replace"))
        return body

    def _ended(self, why: str) -> ProgramError:
        """Kill the worker. Returns the error to raise."""
        self.end()
        return ProgramError(f"the program was stopped: it {why}")

    def _gone(self, otherwise: str) -> str:
        """Why the worker does not answer: what the system killed it for, or `otherwise`."""
        code = exit_code_within(self.process, _EXIT_SECONDS)
        if code is None:
            return otherwise
        return "used more memory or processor time than it was given" if code < 0 else otherwise

    @property
    def grown(self) -> bool:
        """Whether a program has used so much memory that the next one would have too little."""
        try:
            return bool(psutil.Process(self.process.pid).memory_info().rss > self.size + MEMORY_BYTES // 4)
        except psutil.Error:
            return True

    @property
    def alive(self) -> bool:
        """Whether the process runs and its line is open."""
        return self.process.poll() is None and self.line.fileno() >= 0

    def end(self) -> None:
        """Kill the worker, whatever it is doing."""
        self.line.close()
        self.process.poll()
        self.process.kill()
        self.process.wait()
