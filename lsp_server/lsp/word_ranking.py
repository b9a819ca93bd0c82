"""The model's ranking of the names for a word, for all menus of that word: the model is asked at its first key.

A menu that does not wait for the model leaves it computing; the menu at the next key gets the result.
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
    """The place of a half-typed word; equal at each key of the word."""

    uri: str
    before: str
    """The text before the word."""
    after: str
    """The text after the cursor."""
    settings_revision: int


class WordRanking:
    """The ranking of the word at which a menu was asked for last."""

    def __init__(self) -> None:
        self._latest: tuple[WordPlace, frozenset[str], asyncio.Task[RankedNames]] | None = None
        """The last word, the names that the model ranks for it, and the ranking."""

    def of(
        self, place: WordPlace, names: Collection[str], rank: Coroutine[None, None, RankedNames]
    ) -> asyncio.Task[RankedNames]:
        """The ranking of names for a word: the last one, if it is for this word and has them all; else `rank`."""
        if self._latest is not None:
            latest_place, ranked, ranking = self._latest
            if latest_place == place and ranked.issuperset(names) and not _has_ended_early(ranking):
                rank.close()
                return ranking
            ranking.cancel()
        ranking = asyncio.ensure_future(rank)
        ranking.add_done_callback(lambda task: task.cancelled() or task.exception())  # nobody may be waiting for it
        self._latest = place, frozenset(names), ranking
        return ranking


def _has_ended_early(ranking: asyncio.Task[RankedNames]) -> bool:
    """Whether a ranking was cancelled, failed or stopped at its time limit."""
    return ranking.done() and (ranking.cancelled() or ranking.exception() is not None or not ranking.result()[1])
