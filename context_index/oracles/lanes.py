"""One source and the thread that asks it: what is needed at once first, what can wait when nothing else is to be done.

A proof, say, is wanted by few: a question that comes while one is on its way does not wait for it, it puts it off.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import IntEnum
from heapq import heappop, heappush
from itertools import count
from typing import Protocol

Task = Callable[[], None]


class Urgency(IntEnum):
    """What is done first."""

    NOW = 0
    """Somebody is about to wait for it."""
    AHEAD = 1
    """Asked in case it should be needed."""
    PROOF = 2
    """The names are known already. The latest comes first: it belongs to what is being written."""
    IDLE = 3
    """What makes later questions faster."""


class Asked(Protocol):
    """What a lane needs to know of a source."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def idle_limit(self) -> float | None:
        """After how many seconds without a task `stop` is due; None where there is nothing to stop."""

    def put_off(self, *, due: bool) -> None:
        """Whether what is being asked shall give way, by raising `PutOffError`, if it can."""

    def stop(self) -> None:
        """Let go of what it holds."""


class Lane:
    """Does tasks, one at a time, the most urgent first."""

    def __init__(self, source: Asked) -> None:
        self._source = source
        self._tasks: list[tuple[Urgency, int, Task]] = []
        self._changed = threading.Condition()
        self._current: Urgency | None = None
        self._numbers = count()
        self._closing = False
        self._worker = threading.Thread(target=self._work, name=source.name, daemon=True)
        self._worker.start()

    def put(self, urgency: Urgency, task: Task) -> None:
        """Have something done; what is being done gives way if it is less urgent."""
        with self._changed:
            number = next(self._numbers)
            heappush(self._tasks, (urgency, -number if urgency is Urgency.PROOF else number, task))
            if self._current is not None and urgency < self._current:
                self._source.put_off(due=True)
            self._changed.notify()

    def close(self) -> None:
        """Do what was put until now, then stop the source and the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._worker.join()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            task()
        self._source.stop()

    def _next(self) -> Task | None:
        with self._changed:
            self._current = None
            while not self._tasks:
                if self._closing:
                    return None
                if not self._changed.wait(self._source.idle_limit):
                    return self._source.stop
            self._current, _, task = heappop(self._tasks)
            self._source.put_off(due=False)
            return task
