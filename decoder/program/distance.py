"""How short a text may be: what it takes to bring one to its end."""

from __future__ import annotations

from functools import lru_cache

from decoder.program import items
from decoder.program.items import Item


def shortest(item: Item) -> int:
    """Characters that an item writes at least. What is repeated counts nothing: its length is no choice."""
    match item:
        case str():
            return len(item)
        case items.Words():
            return min(map(len, item.of.words[item.first : item.last])) - item.depth
        case items.Again():
            return max(0, item.repeat.least - item.done) * _shortest(item.repeat.item)
        case items.Echo() | items.Await() | items.End() | items.Limit():
            return 0
        case items.Begin():
            return _shortest(item.item)
    return _shortest(item)


@lru_cache(maxsize=8192)
def _shortest(item: Item) -> int:  # noqa: C901 - one case for each kind of item
    match item:
        case items.Chars():
            return 1
        case items.Cat():
            return sum(map(shortest, item.parts))
        case items.Alt():
            return min(map(shortest, item.options), default=1)
        case items.Repeat():
            return item.least * shortest(item.item)
        case items.Blank():
            return shortest(item.literal)
        case items.Hole():
            return shortest(item.content)
        case items.Named() | items.NewName() | items.Limited():
            return shortest(item.item)
        case items.Quoted():
            return sum(map(shortest, item.plain))
        case items.Expression():
            return 1
        case str() | items.Words() | items.Again() | items.Echo() | items.Begin():
            return shortest(item)
    return 0
