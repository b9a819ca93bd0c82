"""The workers of this process: at most four, each lent to one request at a time; other requests wait.

JavaScript is taken back to a state before any program, so its workers go on to the next request; a worker that ran
Python is never used again. A session that is lent again and again keeps its worker between two questions, unless
another session needs it: then its program is loaded anew. So nobody waits for a program that is not being asked.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from context_index.symbols import Language
from decoder.controller.protocol import Controller
from decoder.controller.session import Limits, ProgramSession
from decoder.controller.worker_process import WorkerProcess
from decoder.errors import ProgramError

MOST_WORKERS = 4


@dataclass(slots=True)
class Pool:
    """Workers, and the threads that wait for one.

    Args:
        most: The most worker processes.
        limits: What each program may use.
    """

    most: int = MOST_WORKERS
    limits: Limits = field(default_factory=Limits)
    _idle: list[WorkerProcess] = field(default_factory=list)
    """The workers that are not lent."""
    _lent: int = 0
    """The number of workers that are lent, or about to be."""
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def session(self, controller: Controller) -> Iterator[ProgramSession]:
        """A context with a loaded program, for one request; waits while all workers are lent.

        Raises:
            ProgramError: the program cannot be loaded; or, within the block, it was stopped.
        """
        with self.lend(ProgramSession(controller, self.limits), kept=False) as session:
            yield session

    @contextmanager
    def lend(self, session: ProgramSession, *, kept: bool = True) -> Iterator[ProgramSession]:
        """A context in which a session has its program loaded and may be asked; waits while all workers are lent.

        Args:
            kept: Whether the session will be lent a worker again; then `release` must be called at its end.

        Raises:
            ProgramError: the program cannot be loaded; or, within the block, it was stopped.
        """
        worker = self._take(session.controller.language, session)
        try:
            if worker.holds is not session:
                worker.holds = session
                session.load(worker)
            yield session
        except BaseException as error:
            if not isinstance(error, Exception):  # an interrupt: the worker may be in the middle of a question
                worker.end()
            self._give_back(worker)
            raise
        self._give_back(worker, kept=kept)

    def release(self, session: ProgramSession) -> None:
        """Free the worker of a session that will not be lent again, if it still has one."""
        with self._changed:
            worker = next((idle for idle in self._idle if idle.holds is session), None)
            if worker is None:
                return
            self._idle.remove(worker)
            self._lent += 1
        self._give_back(worker)

    def prepare(self, language: Language) -> tuple[str, ...]:
        """Start a worker for the next request. Returns the rights that it has given up, in words."""
        worker = self._take(language, None)
        self._give_back(worker, kept=True)
        return worker.confined

    def close(self) -> None:
        """End all idle workers."""
        with self._changed:
            ending, self._idle = self._idle, []
        for worker in ending:
            worker.end()

    def _take(self, language: Language, session: ProgramSession | None) -> WorkerProcess:
        """A worker for a session, idle or started anew; waits while all are lent.

        Raises:
            ProgramError: none can be started.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._lent < self.most)
            self._lent += 1
            worker = self._fitting(language, session)
            if worker is not None:
                self._idle.remove(worker)
            elif self._idle and len(self._idle) + self._lent > self.most:  # there are never more than `most` processes
                least_needed = min(self._idle, key=lambda idle: idle.holds is not None)
                self._idle.remove(least_needed)
                least_needed.end()
        try:
            if worker is None or not worker.alive:
                worker = WorkerProcess(language)
            worker.wait_until_ready()
        except BaseException:  # no worker is lent after all
            if worker is not None:
                worker.end()
            self._return(None)
            raise
        return worker

    def _fitting(self, language: Language, session: ProgramSession | None) -> WorkerProcess | None:
        """The idle worker to lend: the session's own, a free one, or, if no more can be started, another session's."""
        fitting = [worker for worker in self._idle if worker.language is language]
        own = [worker for worker in fitting if worker.holds is session]
        free = [worker for worker in fitting if worker.holds is None]
        is_full = len(self._idle) + self._lent > self.most
        others = fitting if is_full and language is not Language.PYTHON else []
        return next(iter((*own, *free, *others)), None)

    def _give_back(self, worker: WorkerProcess, *, kept: bool = False) -> None:
        """Make a lent worker idle again, with its program if that is `kept`.

        A worker that cannot serve another request is ended and replaced.
        """
        if not kept:
            worker.holds = None
        serves_others = worker.language is not Language.PYTHON and not worker.grown
        is_spent = not worker.alive or not (kept or serves_others)
        if is_spent:
            worker.end()
        self._return(_replacement(worker) if is_spent else worker)

    def _return(self, worker: WorkerProcess | None) -> None:
        """Count one worker less as lent. `worker` is idle from now on; None where there is none."""
        with self._changed:
            if worker is not None:
                self._idle.append(worker)
            self._lent -= 1
            self._changed.notify()


def _replacement(worker: WorkerProcess) -> WorkerProcess | None:
    """A new worker of the same language; None where none can be started, which the next request reports."""
    try:
        return WorkerProcess(worker.language)
    except (OSError, ProgramError):
        return None


@cache
def shared() -> Pool:
    """The pool of this process; its workers end with the process."""
    pool = Pool()
    atexit.register(pool.close)
    return pool


def confinement(language: Language) -> tuple[str, ...]:
    """The rights that a worker for programs in a language gives up on this machine, in words. Starts one to find out.

    Raises:
        ProgramError: none can be started here.
    """
    return shared().prepare(language)
