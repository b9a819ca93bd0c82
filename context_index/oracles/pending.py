"""Questions on their way: answered exactly once, whoever waits and for however long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
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
        self._changed = threading.Condition()
        self._told: Told[T] | None = None
        self._so_far: Told[T] | None = None
        self._fault: BaseException | None = None
        self._passed = False
        """Who was asked first does not know, and who is asked now is slower."""
        self._askers = 1
        self._abandoned = False
        self._waited_for = False
        self._held: Callable[[], None] | None = None
        """Has others asked, once somebody waits."""

    @property
    def done(self) -> bool:
        """Whether the answer would come at once."""
        return self._told is not None or self._fault is not None

    @property
    def age(self) -> float:
        """Seconds since it was answered; none while it is on its way, however long that takes."""
        told = self._told
        return 0.0 if told is None else time.perf_counter() - self._asked - told.seconds

    @property
    def wanted(self) -> bool:
        """Whether anybody still wants the answer."""
        return self._askers > 0

    @property
    def promises(self) -> bool:
        """Whether something is known, or may yet be."""
        return self._fault is None and (self._told is None or not isinstance(self._told.value, Open))

    def wait(self, timeout: float, others: float | None = None, *, some: bool = False) -> Told[T]:
        """What was found out after so many seconds; `Open` where nothing was.

        Args:
            others: Seconds, where whoever was asked first does not know and others are still asked; None: no fewer.
            some: Whether what those get who cannot wait is enough, as soon as it is there.
        """
        begun, limit = time.perf_counter(), timeout
        self._let_go()
        with self._changed:
            while not self.done and not (some and self._so_far is not None):
                limit = timeout if others is None or not self._passed else min(timeout, others)
                left = begun + limit - time.perf_counter()
                if left <= 0:
                    break
                self._changed.wait(left)
        return self._tell(limit)

    def _tell(self, waited: float) -> Told[T]:
        if self._fault is not None:
            raise self._fault
        if self._told is not None:
            return self._told
        late = f"{self._by} has not answered within {waited * 1000:.0f} ms"
        return self._so_far or Told(Open(late), self._by, waited)

    def join(self) -> bool:
        """One more wants the answer; False where it is too late, as nobody did and so nobody answers."""
        with self._changed:
            self._askers += not self._abandoned
            return not self._abandoned

    def begin(self) -> bool:
        """Whether anybody wants the answer, before it is looked for; if not, nobody can `join` any more."""
        with self._changed:
            self._abandoned = self._askers == 0
            return not self._abandoned

    def drop(self) -> None:
        """Who asked no longer wants the answer; if nobody else does, and nobody has begun with it, nobody will."""
        with self._changed:
            self._askers -= 1

    def passed_on(self, to: str) -> None:
        """Who was asked until now does not know; `to` is asked next."""
        with self._changed:
            self._passed = True
            self._by = to
            self._changed.notify_all()

    def hold(self, ask: Callable[[], None]) -> None:
        """Have others asked by `ask`, but not before somebody waits for the answer.

        Most of what is asked ahead is not needed, and who is asked last takes longest.
        """
        with self._changed:
            self._held = ask
            is_needed = self._waited_for
        if is_needed:
            self._let_go()

    def _let_go(self) -> None:
        with self._changed:
            self._waited_for = True
            held, self._held = self._held, None
        if held is not None:
            held()

    def so_far(self, value: T, by: str) -> None:
        """What whoever cannot wait any longer gets, until the question is answered."""
        with self._changed:
            self._so_far = Told(value, by, time.perf_counter() - self._asked)
            self._changed.notify_all()

    def settle(self, value: T | Open, by: str | None = None) -> None:
        """Answer the question."""
        with self._changed:
            self._told = Told(value, by or self._by, time.perf_counter() - self._asked)
            self._changed.notify_all()

    def fail(self, fault: BaseException) -> None:
        """Whoever waits gets the fault: it is one of ours."""
        with self._changed:
            self._fault = fault
            self._changed.notify_all()


class Pending:
    """One asker's share in a question for names. See `Asked`."""

    def __init__(self, waiting: Waiting[Members]) -> None:
        """`waiting` counts this asker already."""
        self._waiting = waiting
        self._dropped = False

    @property
    def done(self) -> bool:
        """Whether the answer would come at once."""
        return self._waiting.done

    def answer(self, timeout: float, others: float | None = None) -> Answer:
        """The answer, or `Open` where there is none after so many seconds."""
        told = self._waiting.wait(timeout, others)
        return Answer(told.value, told.by, told.seconds)

    def early(self, timeout: float, others: float | None = None) -> Answer:
        """The same, or the list whose proof is on its way, whichever is there first."""
        told = self._waiting.wait(timeout, others, some=True)
        return Answer(told.value, told.by, told.seconds)

    def drop(self) -> None:
        """The answer is no longer wanted here."""
        if not self._dropped:
            self._dropped = True
            self._waiting.drop()
