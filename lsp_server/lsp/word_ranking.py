"""The model's ranking of the names for a word, for all menus of that word: the model is asked at its first key.

A menu that does not wait for the model leaves it computing for the menu of the next key.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Mapping


class NameScores(NamedTuple):
    """The model's natural log-probabilities of the names at a word's start, by name."""

    by_name: Mapping[str, float] = MappingProxyType({})
    is_final: bool = False
    """Whether asking again would bring no more."""


class Ranking:
    """The model's ranking of the names at a word's start, which may still be computed.

    Args:
        rank: Computes it.
        known: The scores of some of the names, from before.
    """

    def __init__(self, rank: Callable[[], Coroutine[None, None, NameScores]], known: NameScores) -> None:
        self._known = known
        self.task = asyncio.ensure_future(rank())
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # who waited may be gone

    @property
    def scores(self) -> NameScores:
        """What is known by now."""
        if self.task.done() and not self.task.cancelled() and self.task.exception() is None:
            computed = self.task.result()
            return computed if computed.by_name or computed.is_final else self._known
        return self._known

    @property
    def has_ended_early(self) -> bool:
        """Whether nothing is computed any more, and asking again would bring more."""
        return self.task.done() and not self.scores.is_final


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
        self._asked: tuple[WordPlace, frozenset[str], Ranking] | None = None

    def of(
        self, place: WordPlace, names: Collection[str], rank: Callable[[], Coroutine[None, None, NameScores]]
    ) -> Ranking:
        """The ranking of the names: the word's own where it has all of them, else a new one in place of it.

        A new one of the same word begins with what is known of its names, as that does not depend on what is typed.

        Args:
            rank: As `Ranking` takes it.
        """
        known = NameScores()
        if self._asked is not None:
            asked_at, ranked, ranking = self._asked
            if asked_at == place:
                if ranked.issuperset(names) and not ranking.has_ended_early:
                    return ranking
                known = ranking.scores._replace(is_final=False)
            ranking.task.cancel()
        ranking = Ranking(rank, known)
        self._asked = place, frozenset(names), ranking
        return ranking
