"""The thread that asks one checker: one change-and-ask at a time, in the order in which they were asked.

Whoever asks waits until a deadline of its own. An answer that comes later is kept, so that it can be fetched.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from context_index.checkers.checker import Checker

T = TypeVar("T")
Job = Callable[[], None]


class CheckerWorker:
    """A checker and its thread."""

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        """Only its plain properties may be read from other threads."""
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=checker.name, daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The checker's name and version."""
        return self.checker.name

    def submit(self, question: Callable[[Checker], T]) -> Future[T]:
        """Have a question asked when those before it are answered; one that is cancelled before is never asked."""
        future: Future[T] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(question(self.checker))
            except BaseException as error:  # noqa: BLE001 -- whoever asked gets it, whatever it is
                future.set_exception(error)

        self._jobs.put(job)
        return future

    def close(self) -> None:
        """Answer what was asked until now, then end the process and the thread."""
        self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=self.checker.idle_limit)
            except queue.Empty:
                self.checker.stop()
                continue
            if job is None:
                self.checker.stop()
                return
            job()
