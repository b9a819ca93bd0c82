"""The workers of this process: at most four, each asked by one request at a time; others wait.

JavaScript is taken back to a state before any program, so its workers go on to the next request; one that ran Python
is never used again. A program that stays open keeps its worker between two questions, until another needs it: then it
is loaded again, so nobody waits for a program that is not being asked.
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
    """Workers that are there, and those who wait for one."""

    most: int = MOST_WORKERS
    limits: Limits = field(default_factory=Limits)
    _idle: list[WorkerProcess] = field(default_factory=list)
    _count: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def session(self, controller: Controller) -> Iterator[ProgramSession]:
        """A loaded program for the time of a request; waits where all workers have one.

        Raises:
            ProgramError: it cannot be loaded; or, from within, whatever ended it.
        """
        with self.lend(ProgramSession(controller, self.limits), kept=False) as session:
            yield session

    @contextmanager
    def lend(self, session: ProgramSession, *, kept: bool = True) -> Iterator[ProgramSession]:
        """A session with its program loaded, to be asked within the block; waits where all workers are lent.

        Args:
            kept: Whether it will be lent again; it is released with `release`.

        Raises:
            ProgramError: it cannot be loaded; or, from within, whatever ended it.
        """
        worker = self._take(session.controller.language, session)
        try:
            if worker.holds is not session:
                worker.holds = session
                session.load(worker)
            yield session
        except BaseException as error:
            if not isinstance(error, Exception):
                worker.end()  # it may be in the middle of a question; else it may serve another
            self._give_back(worker)
            raise
        self._give_back(worker, kept=kept)

    def release(self, session: ProgramSession) -> None:
        """Free the worker of a session that is not lent again, where it has one."""
        with self._changed:
            worker = next((one for one in self._idle if one.holds is session), None)
            if worker is None:
                return
            self._idle.remove(worker)
            self._count += 1
        self._give_back(worker)

    def prepare(self, language: Language) -> tuple[str, ...]:
        """Start a worker for the next request; the rights that it has given up, in words."""
        worker = self._take(language, None)
        self._give_back(worker, kept=True)
        return worker.confined

    def close(self) -> None:
        """End all that are idle."""
        with self._changed:
            ending, self._idle = self._idle, []
        for worker in ending:
            worker.end()

    def _take(self, language: Language, session: ProgramSession | None) -> WorkerProcess:
        with self._changed:
            self._changed.wait_for(lambda: self._count < self.most)
            self._count += 1
            worker = self._fitting(language, session)
            if worker is not None:
                self._idle.remove(worker)
            elif self._idle and len(self._idle) + self._count > self.most:  # there are never more than `most` processes
                unused = min(self._idle, key=lambda one: one.holds is not None)
                self._idle.remove(unused)
                unused.end()
        try:
            if worker is None or not worker.alive:
                worker = WorkerProcess(language)
            worker.wait_until_ready()
        except BaseException:  # none is lent: its place is free again
            if worker is not None:
                worker.end()
            self._free(None)
            raise
        return worker

    def _fitting(self, language: Language, session: ProgramSession | None) -> WorkerProcess | None:
        """The idle worker to lend: the session's own, a free one, or, if no more can be started, another session's."""
        fitting = [one for one in self._idle if one.language is language]
        own = [one for one in fitting if one.holds is session]
        free = [one for one in fitting if one.holds is None]
        is_full = len(self._idle) + self._count > self.most
        others = fitting if is_full and language is not Language.PYTHON else []
        return next(iter((*own, *free, *others)), None)

    def _give_back(self, worker: WorkerProcess, *, kept: bool = False) -> None:
        """Keep a worker, for its program or without one for others; or have another in its place ready for them."""
        if not kept:
            worker.holds = None
        serves_others = worker.language is not Language.PYTHON and not worker.grown
        spent = not worker.alive or not (kept or serves_others)
        if spent:
            worker.end()
        self._free(_replacement(worker) if spent else worker)

    def _free(self, worker: WorkerProcess | None) -> None:
        with self._changed:
            if worker is not None:
                self._idle.append(worker)
            self._count -= 1
            self._changed.notify()


def _replacement(worker: WorkerProcess) -> WorkerProcess | None:
    """Another worker of the kind; None where none can be started, which the next request reports."""
    try:
        return WorkerProcess(worker.language)
    except (OSError, ProgramError):
        return None


@cache
def shared() -> Pool:
    """The pool of this process; its workers end with it."""
    pool = Pool()
    atexit.register(pool.close)
    return pool


def confinement(language: Language) -> tuple[str, ...]:
    """What a worker for programs in a language has given up on this machine, in words: one is started.

    Raises:
        ProgramError: none can be started here.
    """
    return shared().prepare(language)
