"""The workers of this process, seen from their host: at most four, each for one request at a time; others wait.

A worker is believed nothing. Whoever is late, says something unasked, or what is no answer, is ended, and only the
request whose program did so learns of it. JavaScript and WebAssembly are taken back to a state before any program, so
their workers go on to the next request; one that ran Python is never used again.
"""

from __future__ import annotations

import atexit
import base64
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from decoder.controller.protocol import (
    MOST_REPLY_BYTES,
    Answer,
    Controller,
    ControllerError,
    Language,
    Step,
    answer_of,
    encoded,
    receive,
    send,
)
from decoder.controller.quickjs_file import VARIABLE, QuickJSMissingError, quickjs_file

MOST_WORKERS = 4
WANTED = frozenset({"distribution", "prior", "surfaces", "symbols"})
"""What a program must ask for to be told it."""
_START_SECONDS = 120.0
"""On a machine that is very busy."""
_ENVIRONMENT = ("PATH", "HOME", "XDG_CACHE_HOME", "LANG", "TMPDIR")
"""What wasmtime needs to keep its compiled code; nothing else of ours is told."""
_THEIRS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
_TO_DIE_SECONDS = 0.05
"""Between the end of a process' line and its own."""
_HOSTS_SHARE = 1.5
"""Deadlines after which the worker itself should have stopped a program, and the host does it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use."""

    load_seconds: float = 1.0
    step_seconds: float = 0.25
    request_seconds: float = 10.0
    """Of waiting for it in all."""
    memory_bytes: int = 64 << 20


class _Worker:
    """One process and the line to it."""

    def __init__(self, language: Language, memory_bytes: int) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise ControllerError(
                "controllers do not run on this system: it has no sockets that a worker could inherit"
            )
        self.language, self.memory_bytes = language, memory_bytes
        kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        try:
            kept[VARIABLE] = str(quickjs_file())  # the worker cannot look for it
        except QuickJSMissingError as error:
            if language is Language.JAVASCRIPT:
                raise ControllerError(str(error)) from error
        ours, theirs = socket.socketpair()
        root = str(Path(__file__).parents[2])
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - this very Python and a module of ours
                [sys.executable, "-P", "-s", "-m", "decoder.controller.worker",
                 str(theirs.fileno()), str(language), str(memory_bytes)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**kept, **_THEIRS, "PYTHONPATH": root},
            )  # fmt: skip
        self.line = ours
        self.number = 0
        self.confined: tuple[str, ...] = ()
        self.size = 0
        """Resident bytes before any program."""

    def started(self) -> None:
        """Wait until it can take a program."""
        if not self.confined:
            self.confined = tuple(json.loads(self._answer(0, _START_SECONDS)))
            self.size = int(psutil.Process(self.process.pid).memory_info().rss)

    def ask(self, kind: bytes, body: bytes, seconds: float, allowed: float) -> bytes:
        """The answer to a frame.

        Args:
            seconds: After which nobody waits any more.
            allowed: What people are told that it was.
        """
        if select.select([self.line], [], [], 0)[0]:
            why = self._gone("spoke without being asked")
            self.end()
            raise ControllerError(f"the controller was stopped: it {why}")
        self.number += 1
        self.line.settimeout(seconds)
        try:
            send(self.line, kind, self.number, body)
        except OSError as error:
            why = self._gone("does not listen")
            self.end()
            raise ControllerError(f"the controller was stopped: it {why}") from error
        return self._answer(self.number, seconds, allowed)

    def _answer(self, number: int, seconds: float, allowed: float = _START_SECONDS) -> bytes:
        until = time.monotonic() + seconds
        try:
            kind, answered, body = receive(self.line, MOST_REPLY_BYTES, until)
        except TimeoutError:
            self.end()
            raise ControllerError(f"the controller was stopped: it ran for more than {allowed:g} s") from None
        except ValueError:
            self.end()
            raise ControllerError("the controller was stopped: its answer is longer than 1 MiB") from None
        except (EOFError, OSError):
            why = self._gone("has ended its own process")
            self.end()
            raise ControllerError(f"the controller was stopped: it {why}") from None
        if answered != number or kind not in (b"K", b"E") or time.monotonic() > until:
            self.end()
            raise ControllerError("the controller was stopped: it forged an answer, or was late with it")
        if kind == b"E":
            raise ControllerError(f"the controller failed: {body.decode('utf-8', 'replace')}")
        return body

    def _gone(self, otherwise: str) -> str:
        """What is told of a worker that does not answer as it should."""
        try:
            died = self.process.wait(_TO_DIE_SECONDS)
        except subprocess.TimeoutExpired:
            return otherwise
        return "used more memory or processor time than it was given" if died < 0 else otherwise

    @property
    def grown(self) -> bool:
        """Whether a program has used much memory: what it leaves behind, the next would be short of."""
        try:
            return bool(psutil.Process(self.process.pid).memory_info().rss > self.size + self.memory_bytes // 4)
        except psutil.Error:
            return True

    @property
    def alive(self) -> bool:
        """Whether it waits for a program."""
        return self.process.poll() is None and self.line.fileno() >= 0

    def end(self) -> None:
        """Kill it, wherever it is."""
        self.line.close()
        self.process.poll()
        self.process.kill()
        self.process.wait()


class Session:
    """One request's program, loaded."""

    def __init__(self, worker: _Worker, controller: Controller, limits: Limits) -> None:
        self._worker, self._limits = worker, limits
        self._seconds = 0.0
        given = {
            "source": base64.b64encode(controller.source).decode(),
            "params": dict(controller.params),
            "name": controller.name,
            "deadline": limits.step_seconds,
        }
        about = json.loads(self._ask(b"L", json.dumps(given).encode(), limits.load_seconds))
        if not isinstance(about, dict) or about.get("kind") not in ("step", "main"):
            raise ControllerError("the controller has neither a step function nor a main")
        self.has_steps = about["kind"] == "step"
        wants = about.get("wants")
        self.wants = frozenset(map(str, wants)) if isinstance(wants, list) else frozenset()
        if unknown := sorted(self.wants - WANTED):
            raise ControllerError(f"a controller can want {', '.join(sorted(WANTED))}, not {unknown[0]!r:.40}")

    @property
    def pid(self) -> int:
        """Of the worker."""
        return self._worker.process.pid

    def tell(self, symbols: dict[str, Any]) -> None:
        """Give it the symbol context."""
        self._ask(b"C", json.dumps(symbols).encode(), self._limits.load_seconds)

    def step(self, step: Step, vocabulary: int) -> Answer:
        """What it wants at a token; ids are below `vocabulary`.

        Raises:
            ControllerError: it was stopped, threw, or answers what is no answer.
        """
        return answer_of(self._ask(b"S", encoded(step), self._limits.step_seconds), step.ids, vocabulary)

    def go_back(self, count: int, steps: int) -> None:
        """Have it forget all but the first `count` of its `steps` steps."""
        self._ask(b"B", str(count).encode(), self._limits.step_seconds * (2 + min(count, steps)))

    def after(self, history: Sequence[str]) -> object:
        """What its main waits for once these texts have been written, as JSON; None where it is over."""
        try:
            return json.loads(self._ask(b"A", json.dumps(history).encode(), self._limits.load_seconds))
        except (ValueError, RecursionError):
            raise ControllerError("the controller's main waits for what cannot be read") from None

    def worker_seconds(self) -> float:
        """Time that a step took inside the worker, at the median; for measuring."""
        return int(self._ask(b"T", b"", self._limits.step_seconds)) / 1e9

    def _ask(self, kind: bytes, body: bytes, allowed: float) -> bytes:
        left = self._limits.request_seconds - self._seconds
        if left <= 0:
            self._worker.end()
            most = self._limits.request_seconds
            raise ControllerError(f"the controller was stopped: its request ran for more than {most:g} s in it")
        started = time.monotonic()
        try:
            return self._worker.ask(kind, body, min(allowed * _HOSTS_SHARE, left), min(allowed, left))
        finally:
            self._seconds += time.monotonic() - started


@dataclass(slots=True)
class Pool:
    """Workers that are there, and those who wait for one."""

    most: int = MOST_WORKERS
    limits: Limits = field(default_factory=Limits)
    _idle: list[_Worker] = field(default_factory=list)
    _count: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _closed: bool = False

    @contextmanager
    def session(self, controller: Controller, limits: Limits | None = None) -> Iterator[Session]:
        """A loaded program for the time of a request; waits where all workers have one.

        Raises:
            ControllerError: it cannot be loaded; or, from within, whatever ended it.
        """
        limits = limits or self.limits
        worker = self._take(controller.language, limits.memory_bytes)
        try:
            yield Session(worker, controller, limits)
        except Exception:
            self._give_back(worker)
            raise
        except BaseException:  # in the middle of a question, perhaps
            worker.end()
            self._give_back(worker)
            raise
        self._give_back(worker)

    def prepare(self, language: Language) -> tuple[str, ...]:
        """Have a worker ready; what it gave up."""
        worker = self._take(language, self.limits.memory_bytes)
        self._give_back(worker, used=False)
        return worker.confined

    def close(self) -> None:
        """End all that are idle, and the others once they are."""
        with self._changed:
            self._closed = True
            ending, self._idle = self._idle, []
        for worker in ending:
            worker.end()

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the idle workers."""
        with self._changed:
            return tuple(worker.process.pid for worker in self._idle)

    def _take(self, language: Language, memory_bytes: int) -> _Worker:
        with self._changed:
            self._changed.wait_for(lambda: self._count < self.most)
            self._count += 1
            fitting = [one for one in self._idle if (one.language, one.memory_bytes) == (language, memory_bytes)]
            if fitting:
                self._idle.remove(fitting[-1])
            elif self._idle and len(self._idle) + self._count > self.most:
                self._idle.pop(0).end()  # of another language: there are never more than `most` processes
        worker = fitting[-1] if fitting and fitting[-1].alive else None
        try:
            worker = worker or _Worker(language, memory_bytes)
            worker.started()
        except BaseException:
            if worker is not None:
                worker.end()
            self._free(None)
            raise
        return worker

    def _give_back(self, worker: _Worker, *, used: bool = True) -> None:
        """Keep a worker for the next request, or have another in its place ready by then."""
        spent = not worker.alive or (used and (worker.language is Language.PYTHON or worker.grown))
        if self._closed or spent:
            worker.end()
        self._free(None if self._closed else _replacement(worker) if spent else worker)

    def _free(self, worker: _Worker | None) -> None:
        with self._changed:
            if worker is not None:
                self._idle.append(worker)
            self._count -= 1
            self._changed.notify()


def _replacement(worker: _Worker) -> _Worker | None:
    """One like it; None where none can be had, of which the next request will be told."""
    try:
        return _Worker(worker.language, worker.memory_bytes)
    except (OSError, ControllerError):
        return None


@cache
def shared() -> Pool:
    """The pool of this process; its workers end with it."""
    pool = Pool()
    atexit.register(pool.close)
    return pool
