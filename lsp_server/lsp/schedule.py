"""Runs the newest request of each kind and document and cancels older ones; and runs blocking work on threads.

A kind and a document make a slot, which one request has at a time. The event loop never waits for work: a request that
is superseded or cancelled is answered at once, and its work is asked to stop and ends later. Knows nothing of LSP,
documents or models.
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
"""Threads: three for the menu, the ghost text and the index, and three for calls that were cancelled but still run."""


class SupersededError(Exception):
    """A newer request of the same slot replaced this one."""


class Schedule:
    """One running request for each slot, and worker threads. Belongs to one event loop."""

    def __init__(self) -> None:
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="inscope-worker")
        self._turns: dict[Hashable, asyncio.Task[Any]] = {}
        """The running request of each slot."""
        self._asked: dict[Hashable, Hashable] = {}
        """What the running request of a slot asks, if others may share its answer."""

    async def run(
        self, slot: Hashable, work: Callable[[], Coroutine[object, object, _T]], asked: Hashable = None
    ) -> _T:
        """Run `work` in a slot, in place of the request that has it; returns or raises what `work` does.

        Args:
            asked: Identifies the question, so that `shared` finds this request; None shares it with nobody.

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
        """Call `run`; if a newer call takes the slot, return or raise what `superseded` does."""
        try:
            return await self.run(slot, work, asked)
        except SupersededError:
            return superseded()

    def shared(self, slot: Hashable, asked: Hashable) -> asyncio.Task[Any] | None:
        """The running request of a slot, if it asks the same; else None."""
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
        """Call `work`, which may block, on a worker thread; returns or raises what it does.

        The event that `work` gets asks it to stop. It is set if the caller is cancelled: the result is not used then.
        It is also set after `seconds`: then `work` returns what it has.
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
