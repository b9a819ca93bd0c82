"""The workers of this process: at most four, each for one request at a time; others wait.

JavaScript and WebAssembly are taken back to a state before any program, so their workers go on to the next request; one
that ran Python is never used again.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from decoder.controller.protocol import Controller, ControllerError, Language
from decoder.controller.session import Limits, Session
from decoder.controller.worker_process import WorkerProcess

MOST_WORKERS = 4


@dataclass(slots=True)
class Pool:
    """Workers that are there, and those who wait for one."""

    most: int = MOST_WORKERS
    limits: Limits = field(default_factory=Limits)
    _idle: list[WorkerProcess] = field(default_factory=list)
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
        except Exception:  # between questions: the worker may serve another
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
        """The process ids of the idle workers."""
        with self._changed:
            return tuple(worker.process.pid for worker in self._idle)

    def _take(self, language: Language, memory_bytes: int) -> WorkerProcess:
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
            worker = worker or WorkerProcess(language, memory_bytes)
            worker.started()
        except BaseException:  # none is lent: its place is free again
            if worker is not None:
                worker.end()
            self._free(None)
            raise
        return worker

    def _give_back(self, worker: WorkerProcess, *, used: bool = True) -> None:
        """Keep a worker for the next request, or have another in its place ready by then."""
        spent = not worker.alive or (used and (worker.language is Language.PYTHON or worker.grown))
        if self._closed or spent:
            worker.end()
        self._free(None if self._closed else _replacement(worker) if spent else worker)

    def _free(self, worker: WorkerProcess | None) -> None:
        with self._changed:
            if worker is not None:
                self._idle.append(worker)
            self._count -= 1
            self._changed.notify()


def _replacement(worker: WorkerProcess) -> WorkerProcess | None:
    """Another worker of the kind; None where none can be started, which the next request reports."""
    try:
        return WorkerProcess(worker.language, worker.memory_bytes)
    except (OSError, ControllerError):
        return None


@cache
def shared() -> Pool:
    """The pool of this process; its workers end with it."""
    pool = Pool()
    atexit.register(pool.close)
    return pool
