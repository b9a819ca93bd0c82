"""Who may use the worker threads: the newest request of each kind and document, no other.

Work is a blocking callable that takes the event by which it is told to give up. The event loop never waits
for work: a request that is superseded or cancelled is released at once, and its work notices in its own time.
Knows nothing of LSP, documents or models.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_T = TypeVar("_T")

_WORKERS = 6
"""Names, ghost text and the index of one document, and as many that were told to give up and have not yet."""


class SupersededError(Exception):
    """A newer request of the same slot took the place of this one."""


@dataclass(frozen=True, slots=True)
class _Turn:
    give_up: Event
    superseded: asyncio.Future[None]


class Schedule:
    """Worker threads with one turn per slot. Belongs to one event loop."""

    def __init__(self) -> None:
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="inscope-worker")
        self._turns: dict[Hashable, _Turn] = {}

    async def run(self, slot: Hashable, work: Callable[[Event], _T]) -> _T:
        """What `work` returns or raises, unless a newer call for the slot comes first.

        Raises:
            SupersededError: it came; `work` was told to give up.
            CancelledError: the caller was cancelled; `work` was told to give up.
        """
        self.supersede(slot)
        loop = asyncio.get_running_loop()
        turn = self._turns[slot] = _Turn(Event(), loop.create_future())
        job = loop.run_in_executor(self._workers, work, turn.give_up)
        job.add_done_callback(_retrieve)
        try:
            await asyncio.wait((job, turn.superseded), return_when=asyncio.FIRST_COMPLETED)
            if turn.superseded.done():
                raise SupersededError
            return job.result()
        finally:
            turn.give_up.set()
            job.cancel()
            turn.superseded.cancel()
            if self._turns.get(slot) is turn:
                del self._turns[slot]

    def supersede(self, slot: Hashable) -> None:
        """Release the request that has the slot now, if any."""
        if (turn := self._turns.pop(slot, None)) is not None:
            turn.give_up.set()
            if not turn.superseded.done():
                turn.superseded.set_result(None)

    def close(self) -> None:
        """Tell all work to give up, and take no more."""
        for slot in tuple(self._turns):
            self.supersede(slot)
        self._workers.shutdown(wait=False, cancel_futures=True)


def _retrieve(job: asyncio.Future[_T]) -> None:
    """Work that nobody waits for any more may fail; asyncio must not report it as forgotten."""
    if not job.cancelled():
        job.exception()
