"""The model's ranking of the names for a word, for all menus of that word: the model is asked at its first key.

A menu that does not wait for the model leaves it computing for the menu of the next key.
"""

from __future__ import annotations

import asyncio
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Mapping

    from lsp_server.engine.menu.name_ranker import WordPlace


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


class RankedWord(NamedTuple):
    """A half-typed word, and the settings under which its names are ranked."""

    place: WordPlace
    settings_revision: int


class WordRanking:
    """The ranking of the word at which a menu was asked for last."""

    def __init__(self) -> None:
        self._asked: tuple[RankedWord, frozenset[str], Ranking] | None = None

    def has(self, word: RankedWord) -> bool:
        """Whether names of the word are ranked, or being ranked."""
        return self._asked is not None and self._asked[0] == word

    def of(
        self, word: RankedWord, names: Collection[str], rank: Callable[[], Coroutine[None, None, NameScores]]
    ) -> Ranking:
        """The ranking of the names: the word's own where it has all of them, else a new one in place of it.

        A new one of the same word begins with what is known of its names, as that does not depend on what is typed.

        Args:
            rank: As `Ranking` takes it.
        """
        known = NameScores()
        if self._asked is not None:
            asked_at, ranked, ranking = self._asked
            if asked_at == word:
                if ranked.issuperset(names) and not ranking.has_ended_early:
                    return ranking
                known = ranking.scores._replace(is_final=False)
            ranking.task.cancel()
        ranking = Ranking(rank, known)
        self._asked = word, frozenset(names), ranking
        return ranking
