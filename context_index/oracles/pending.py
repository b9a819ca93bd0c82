"""Questions on their way: answered exactly once, whoever waits and for however long."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Generic, TypeVar

from context_index.symbols import Answer, Members, Open

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told(Generic[T]):
    """What was found out, by whom, and in how many seconds; `Open` tells why it was not."""

    value: T | Open
    by: str
    seconds: float


class Waiting(Generic[T]):
    """A question on its way. Who does not want to wait gets `Open`."""

    def __init__(self, by: str) -> None:
        """Not answered yet; `by` is who will be named where nobody answers."""
        self._by = by
        self._asked = time.perf_counter()
        self._done = threading.Event()
        self._begun = threading.Event()
        """Something can be told, if not the last word."""
        self._told: Told[T] | None = None
        self._so_far: Told[T] | None = None
        self._fault: BaseException | None = None
        self.wanted = True

    @property
    def done(self) -> bool:
        """Whether the answer would come at once."""
        return self._done.is_set()

    def wait(self, timeout: float) -> Told[T]:
        """What was found out after so many seconds; `Open` where nothing was."""
        self._done.wait(timeout)
        return self._tell(timeout)

    def wait_for_some(self, timeout: float) -> Told[T]:
        """Likewise, but what whoever cannot wait would get is enough."""
        self._begun.wait(timeout)
        return self._tell(timeout)

    def _tell(self, waited: float) -> Told[T]:
        if not self.done:
            late = f"{self._by} has not answered within {waited * 1000:.0f} ms"
            return self._so_far or Told(Open(late), self._by, waited)
        if self._fault is not None:
            raise self._fault
        assert self._told is not None  # noqa: S101 -- set before `_done` is
        return self._told

    def drop(self) -> None:
        """The answer is no longer wanted; if nobody has begun with it, nobody will."""
        self.wanted = False

    def so_far(self, value: T, by: str) -> None:
        """What whoever cannot wait any longer gets, until the question is answered."""
        self._so_far = Told(value, by, time.perf_counter() - self._asked)
        self._begun.set()

    def settle(self, value: T | Open, by: str | None = None) -> None:
        """Answer the question."""
        self._told = Told(value, by or self._by, time.perf_counter() - self._asked)
        self._done.set()
        self._begun.set()

    def fail(self, fault: BaseException) -> None:
        """Whoever waits gets the fault: it is one of ours."""
        self._fault = fault
        self._done.set()
        self._begun.set()


class Pending(Waiting[Members]):
    """A question for names on its way. See `Asked`."""

    def answer(self, timeout: float) -> Answer:
        """The answer, or `Open` where there is none after so many seconds."""
        told = self.wait(timeout)
        return Answer(told.value, told.by, told.seconds)

    def early(self, timeout: float) -> Answer:
        """The same, or the list whose proof is on its way, whichever is there first."""
        told = self.wait_for_some(timeout)
        return Answer(told.value, told.by, told.seconds)
