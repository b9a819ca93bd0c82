"""The model's ranking of the names for a word, for all menus of that word: the model is asked at its first key.

A menu that does not wait for the model has what it knows by then, and leaves it computing for the menu of the next key.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Mapping


class Ranking:
    """The model's ranking of the names at a word's start, which may still be computed.

    Args:
        rank: Computes it. It calls `note` with what is known so far, from any thread, and sets `is_final` if asking
            again would bring no more.
    """

    def __init__(self, rank: Callable[[Ranking], Coroutine[None, None, None]]) -> None:
        self.scores: Mapping[str, float] = {}
        self.is_final = False
        self.task = asyncio.ensure_future(rank(self))
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # who waited may be gone

    def note(self, scores: Mapping[str, float]) -> None:
        """Replace the log-probabilities by those known now."""
        self.scores = scores

    @property
    def has_ended_early(self) -> bool:
        """Whether nothing is computed any more, and asking again would bring more."""
        return self.task.done() and not self.is_final


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
        self, place: WordPlace, names: Collection[str], rank: Callable[[Ranking], Coroutine[None, None, None]]
    ) -> Ranking:
        """The ranking of the names: the word's own where it has all of them, else a new one in place of it.

        Args:
            rank: As `Ranking` takes it.
        """
        if self._asked is not None:
            asked_at, ranked, ranking = self._asked
            if asked_at == place and ranked.issuperset(names) and not ranking.has_ended_early:
                return ranking
            ranking.task.cancel()
        ranking = Ranking(rank)
        self._asked = place, frozenset(names), ranking
        return ranking
