"""Runs the newest request of each kind and document, and no older one; and threads for blocking work.

The event loop never waits for work: a request that is superseded or cancelled is answered at once, and the work that
it started is asked to stop and ends later. Knows nothing of LSP, documents or models.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

_T = TypeVar("_T")

_WORKERS = 6
"""For names, ghost text and the index of one document, and for as many calls that were cancelled but still run."""


class SupersededError(Exception):
    """A newer request of the same slot replaced this one."""


class Schedule:
    """One turn per slot, and worker threads. Belongs to one event loop."""

    def __init__(self) -> None:
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="inscope-worker")
        self._turns: dict[Hashable, asyncio.Task[Any]] = {}
        self._asked: dict[Hashable, Hashable] = {}
        """By slot, what the request that has it asks, where others may share its answer."""

    async def run(
        self, slot: Hashable, work: Callable[[], Coroutine[object, object, _T]], asked: Hashable = None
    ) -> _T:
        """What `work` returns or raises, unless a newer call takes the slot first.

        Args:
            asked: What is asked, for calls of `shared`.

        Raises:
            SupersededError: a newer call took the slot, and `work` was cancelled.
        """
        self.supersede(slot)
        turn = asyncio.ensure_future(work())
        self._turns[slot] = turn
        if asked is not None:
            self._asked[slot] = asked
        try:
            return await turn
        except asyncio.CancelledError:
            if self._turns.get(slot) is not turn:
                raise SupersededError from None
            raise
        finally:
            if self._turns.get(slot) is turn:
                del self._turns[slot]
                self._asked.pop(slot, None)

    async def newest(
        self,
        slot: Hashable,
        work: Callable[[], Coroutine[object, object, _T]],
        superseded: Callable[[], _T],
        asked: Hashable = None,
    ) -> _T:
        """What `run` returns or raises; where a newer call took the slot, what `superseded` returns or raises."""
        try:
            return await self.run(slot, work, asked)
        except SupersededError:
            return superseded()

    def shared(self, slot: Hashable, asked: Hashable) -> asyncio.Task[Any] | None:
        """The work of the request that has the slot now, if it asks the same."""
        return self._turns.get(slot) if slot in self._asked and self._asked[slot] == asked else None

    def supersede(self, slot: Hashable) -> None:
        """Cancel the request that has the slot now, if any."""
        self._asked.pop(slot, None)
        if (turn := self._turns.pop(slot, None)) is not None:
            turn.cancel()

    async def wait_until_free(self, slot: Hashable) -> None:
        """Wait for the request that has the slot now, if any."""
        if (turn := self._turns.get(slot)) is not None:
            await asyncio.wait((turn,))

    async def blocking(self, work: Callable[[Event], _T], *, seconds: float | None = None) -> _T:
        """The result of a call that may block, made on a worker thread.

        The event asks `work` to stop. It is set when the caller is cancelled; then the result of `work` is not used.
        It is also set after `seconds`; then `work` returns what it has.
        """
        give_up = Event()
        loop = asyncio.get_running_loop()
        alarm = None if seconds is None else loop.call_later(seconds, give_up.set)
        try:
            return await loop.run_in_executor(self._workers, work, give_up)
        finally:
            give_up.set()
            if alarm is not None:
                alarm.cancel()

    def close(self) -> None:
        """Cancel all requests, and take no more work."""
        for turn in self._turns.values():
            turn.cancel()
        self._workers.shutdown(wait=False, cancel_futures=True)
