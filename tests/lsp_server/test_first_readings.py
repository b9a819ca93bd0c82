"""How long a document counts as one that is being read for the first time."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from lsp_server.lsp.first_readings import FirstReadings


def test_a_document_that_is_opened_again_is_read_once_the_later_reading_ends() -> None:
    async def read_twice() -> None:
        readings = FirstReadings(asyncio.get_running_loop().call_soon_threadsafe, lambda: None)
        earlier, later = Future[None](), Future[None]()
        for work in (earlier, later):
            readings.begin("a")
            readings.end_with("a", [work])
        earlier.set_result(None)
        await asyncio.sleep(0)
        assert await readings.wait("a", 0)
        assert readings.is_starting
        later.set_result(None)
        await asyncio.sleep(0)
        assert not await readings.wait("a", 0)
        assert not readings.is_starting

    asyncio.run(read_twice())


def test_who_waits_for_an_earlier_reading_goes_on_once_the_document_is_opened_again() -> None:
    async def wait() -> None:
        readings = FirstReadings(asyncio.get_running_loop().call_soon_threadsafe, lambda: None)
        readings.begin("a")
        waiting = asyncio.create_task(readings.wait("a", 60))
        await asyncio.sleep(0)
        readings.begin("a")
        assert await asyncio.wait_for(waiting, 60)

    asyncio.run(wait())
