"""The newest request of a slot is served; an older one is released at once, whatever its work does."""

from __future__ import annotations

import asyncio
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import pytest

from lsp_server.lsp.schedule import Schedule, SupersededError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


def on_loop(talk: Callable[[Schedule], Awaitable[T]]) -> T:
    async def run() -> T:
        schedule = Schedule()
        try:
            return await talk(schedule)
        finally:
            schedule.close()

    return asyncio.run(run())


async def forever() -> str:
    await asyncio.get_running_loop().create_future()
    return "never"


async def outcome(work: Awaitable[str]) -> str:
    try:
        return await work
    except SupersededError:
        return "superseded"
    except asyncio.CancelledError:
        return "cancelled"
    except ValueError as error:
        return str(error)


async def at_once(text: str) -> str:
    return text


def test_the_newest_of_fifty_wins() -> None:
    async def talk(schedule: Schedule) -> list[str]:
        older = [outcome(schedule.run("slot", forever)) for _ in range(49)]
        return await asyncio.gather(*older, outcome(schedule.run("slot", partial(at_once, "newest"))))

    assert on_loop(talk) == ["superseded"] * 49 + ["newest"]


def test_slots_do_not_know_of_each_other() -> None:
    async def talk(schedule: Schedule) -> list[str]:
        return await asyncio.gather(*(schedule.run(slot, partial(at_once, slot)) for slot in "abc"))

    assert on_loop(talk) == ["a", "b", "c"]


def test_a_cancelled_request_is_no_superseded_one() -> None:
    async def talk(schedule: Schedule) -> tuple[str, str]:
        first = asyncio.ensure_future(outcome(schedule.run("slot", forever)))
        await asyncio.sleep(0)
        first.cancel()
        return await first, await outcome(schedule.run("slot", partial(at_once, "next")))

    assert on_loop(talk) == ("cancelled", "next")


@pytest.mark.parametrize("end", ["superseded", "cancelled"])
def test_work_that_is_not_wanted_any_more_is_reported_and_not_waited_for(end: str) -> None:
    begun, notified, may_end = Event(), Event(), Event()

    def work(give_up: Event) -> str:
        begun.set()
        give_up.wait()
        notified.set()
        may_end.wait()
        return "too late"

    async def talk(schedule: Schedule) -> str:
        first = asyncio.ensure_future(outcome(schedule.run("slot", partial(schedule.blocking, work))))
        await asyncio.to_thread(begun.wait)
        if end == "cancelled":
            first.cancel()
        else:
            schedule.supersede("slot")
        result = await first
        await asyncio.to_thread(notified.wait)
        may_end.set()
        return result

    assert on_loop(talk) == end


def test_a_fault_of_the_work_is_the_callers() -> None:
    def work(_give_up: Event) -> str:
        raise ValueError("broken")

    async def talk(schedule: Schedule) -> list[str]:
        broken = await outcome(schedule.run("slot", partial(schedule.blocking, work)))
        return [broken, await schedule.run("slot", partial(at_once, "next"))]

    assert on_loop(talk) == ["broken", "next"]


def test_closing_releases_everyone() -> None:
    async def talk(schedule: Schedule) -> list[str]:
        waiting = [asyncio.ensure_future(outcome(schedule.run(slot, forever))) for slot in "ab"]
        await asyncio.sleep(0)
        schedule.close()
        return await asyncio.gather(*waiting)

    assert on_loop(talk) == ["cancelled"] * 2


def test_work_returns_what_it_has_when_its_seconds_are_over() -> None:
    def work(give_up: Event) -> str:
        return "half" if give_up.wait() else "never"

    async def talk(schedule: Schedule) -> str:
        return await schedule.blocking(work, seconds=0.001)

    assert on_loop(talk) == "half"


def test_waiting_for_a_slot_neither_takes_nor_cancels_it() -> None:
    async def talk(schedule: Schedule) -> list[str]:
        order = []

        async def menu() -> str:
            await asyncio.sleep(0)
            order.append("menu")
            return "menu"

        running = asyncio.ensure_future(schedule.run("menu", menu))
        await asyncio.sleep(0)
        await schedule.wait_until_free("menu")
        order.append("ghost")
        await schedule.wait_until_free("nobody")
        return [*order, await running]

    assert on_loop(talk) == ["menu", "ghost", "menu"]
