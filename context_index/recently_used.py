"""Dictionaries that hold only the most recently used entries. Any thread may use them, with or without a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable

K = TypeVar("K", bound="Hashable")
V = TypeVar("V")


def remember(cache: dict[K, V], key: K, value: V, most: int) -> None:
    """Put an entry into a cache as the most recently used one, and drop the oldest beyond `most` entries."""
    cache.pop(key, None)
    cache[key] = value
    for old in list(cache)[:-most]:
        cache.pop(old, None)
