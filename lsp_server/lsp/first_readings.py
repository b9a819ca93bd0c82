"""Which documents the model and the checker are still reading for the first time, so that answers can wait for it.

A request that comes meanwhile would spend its time in the queue behind the reading, and be answered with nothing.
Belongs to the event loop. Knows neither the protocol nor what reads.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from concurrent.futures import Future

LONGEST_SECONDS = 10.0
"""How long a reading counts as one at most: a checker may read a large project for longer."""


class FirstReadings:
    """The documents that are being read for the first time, by their URI."""

    def __init__(self, from_thread: Callable[..., object], changed: Callable[[], None]) -> None:
        """Nothing is being read.

        Args:
            from_thread: Calls something on the event loop, from any thread.
            changed: Called when `is_starting` may have changed.
        """
        self._from_thread, self._changed = from_thread, changed
        self._readings: dict[str, asyncio.Future[None]] = {}
        self._has_read = False

    @property
    def is_starting(self) -> bool:
        """Whether the first document of all is being read."""
        return bool(self._readings) and not self._has_read

    def begin(self, uri: str) -> None:
        """A document is going to be read; anew if it is being read, as it was closed and is opened again."""
        if (earlier := self._readings.get(uri)) is not None:
            earlier.set_result(None)
        self._readings[uri] = asyncio.get_running_loop().create_future()
        self._changed()

    def end_with(self, uri: str, work: Collection[Future[Any]]) -> None:
        """The document is read once all of the work has ended, however it ends; at the latest after some seconds.

        Args:
            work: One at least.
        """
        reading, left = self._readings.get(uri), len(work)

        def end() -> None:
            if self._readings.get(uri) is reading:  # else the document was opened again meanwhile
                self.end(uri)

        def one_ended() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                end()

        asyncio.get_running_loop().call_later(LONGEST_SECONDS, end)
        for each in work:
            each.add_done_callback(lambda _done: self._from_thread(one_ended))

    def end(self, uri: str) -> None:
        """The document is read, or nothing is going to read it. A second call does nothing."""
        if (reading := self._readings.pop(uri, None)) is not None:
            reading.set_result(None)
            self._has_read = True
            self._changed()

    async def wait(self, uri: str, seconds: float) -> bool:
        """Wait until a document is read, for some seconds at most; returns whether it was being read."""
        if (reading := self._readings.get(uri)) is None:
            return False
        await asyncio.wait((reading,), timeout=seconds)
        return True
