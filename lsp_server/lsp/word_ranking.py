"""How probable the names at a word's start are, for all menus of that word: the model is asked at its first key.

A menu that does not wait for the model leaves it computing; the menu of the next key has what it found.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping

RankedNames = tuple["Mapping[str, float]", bool]
"""The model's log-probability of each text, and whether asking again would bring no more."""


@dataclass(frozen=True, slots=True)
class WordPlace:
    """The place of a half-typed word: the same at each key of it."""

    uri: str
    before: str
    """The text before the word."""
    after: str
    """The text after the cursor."""
    settings_revision: int


class WordRanking:
    """The ranking of the word at which a menu was asked for last."""

    def __init__(self) -> None:
        self._asked: tuple[WordPlace, frozenset[str], asyncio.Task[RankedNames]] | None = None

    def of(
        self, place: WordPlace, names: Collection[str], rank: Coroutine[None, None, RankedNames]
    ) -> asyncio.Task[RankedNames]:
        """The ranking of names: the word's own where it has them all, else a new one in place of it."""
        if self._asked is not None:
            asked_at, ranked, asked = self._asked
            if asked_at == place and ranked.issuperset(names) and not _has_ended_early(asked):
                rank.close()
                return asked
            asked.cancel()
        asked = asyncio.ensure_future(rank)
        asked.add_done_callback(lambda task: task.cancelled() or task.exception())  # who waited may be gone
        self._asked = place, frozenset(names), asked
        return asked


def _has_ended_early(asked: asyncio.Task[RankedNames]) -> bool:
    return asked.done() and (asked.cancelled() or asked.exception() is not None or not asked.result()[1])
