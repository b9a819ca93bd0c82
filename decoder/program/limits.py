"""Parts for which a model has so many tokens: they are counted, and what has none left is brought to its end.

Tokens are counted as they are chosen, so that text fed in whatever portions means the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from decoder.program import items
from decoder.program.distance import shortest
from decoder.program.items import Item
from decoder.program.machine import Stack, Thread


def counted(threads: Iterable[Thread], place: int, *, within: bool) -> tuple[Thread, ...]:
    """The threads after a token that ended at a place or, if it did, within the character that begins there."""
    return tuple(_counted(thread, place + within) for thread in threads)


def exhausted(threads: Iterable[Thread]) -> bool:
    """Whether some part has no tokens left."""
    return any((limit := _limit(thread)[0]) is not None and not limit.tokens for thread in threads)


def brought_to_an_end(threads: tuple[Thread, ...], place: int) -> tuple[Thread, ...]:
    """The threads without those that are in a part that has no tokens left and do not end it in the shortest way."""
    found = [(thread, *_limit(thread)) for thread in threads]
    least = {thread.facts.left[0]: 0 for thread in threads if thread.facts.left[1] == place}
    for _, limit, far in found:
        if limit is not None and not limit.tokens:
            least[limit.start] = min(far, least.get(limit.start, far))
    return tuple(thread for thread, limit, far in found if limit is None or limit.tokens or far == least[limit.start])


def _counted(thread: Thread, place: int) -> Thread:
    above: list[Item] = []
    stack = thread.stack
    while stack is not None and not isinstance(stack[0], items.Await):
        item, rest = stack
        if isinstance(item, items.Limit):
            if not item.tokens or item.start >= place:
                break
            counted: Stack = (items.Limit(item.start, item.tokens - 1), rest)
            for one in reversed(above):
                counted = (one, counted)
            return replace(thread, stack=counted)
        above.append(item)
        stack = rest
    return thread


def _limit(thread: Thread) -> tuple[items.Limit | None, int]:
    """The limit of the part that the thread is in, and how many characters the part still has at least."""
    characters, stack = 0, thread.stack
    while stack is not None and not isinstance(stack[0], items.Await):
        item, stack = stack
        if isinstance(item, items.Limit):
            return item, characters
        characters += shortest(item)
    return None, 0
