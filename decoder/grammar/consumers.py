"""Which rules can still take an unfinished stack's cells as children: the lookahead of an early decision.

Depends on the tables only: a state, and how far below the top a cell is. Cells that no single unfinished rule reaches
have no consumer yet.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from decoder.grammar.actions import Production
    from decoder.grammar.tables import TableEntries, Tables


class Consumer(NamedTuple):
    """A cell's place as a child of a rule."""

    symbol: int
    production: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that is not used on places


class Consumers:
    """Answers for one grammar's tables, each computed once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._of: dict[tuple[int, int], frozenset[Consumer]] = {}
        self._below: dict[tuple[int, int], frozenset[Consumer]] = {}
        self._reductions: dict[int, frozenset[Production]] = {}
        self._tops: dict[int, tuple[int, ...]] = {}
        self._symbols: dict[int, frozenset[int]] = {}

    def of(self, state: int, depth: int) -> frozenset[Consumer]:
        """What can consume the cell that is `depth` from the top (the top itself is 1) of a stack on `state`."""
        key = (state, depth)
        found = self._of.get(key)
        if found is None:
            found = self._of[key] = self._find(state, depth)
        return found

    def under(self, below: int, top: int) -> frozenset[Consumer]:
        """What can consume a cell of state `below` right under the top, of state `top`.

        The top may also begin a rule of its own that only then joins the cell: `(` after a name begins a call's
        arguments.
        """
        key = (below, top)
        found = self._below.get(key)
        if found is None:
            found = self._below[key] = self._find_under(below, top)
        return found

    def reach(self, state: int) -> int:
        """How many cells from the top down one unfinished rule may span, at most."""
        return self._reach[state]

    def symbols(self, state: int) -> frozenset[int]:
        """The symbols that may be on top of a stack of this state: more than one where the generator merged states."""
        found = self._symbols.get(state)
        if found is None:
            width = self._tables.symbol_count
            first, last = np.searchsorted(self._entering, (state * width, (state + 1) * width))
            found = self._symbols[state] = frozenset((self._entering[first:last] % width).tolist())
        return found

    def alone(self, wanted: Callable[[Consumer], bool]) -> dict[Consumer, set[int]]:
        """The rules that take the top as their only child, and the states of such tops."""

        @cache
        def is_wanted(made: Production) -> bool:
            return made.count == 1 and wanted(Consumer(made.symbol, made.production, 0))

        found = self._tables.states_reducing(is_wanted)
        return {Consumer(made.symbol, made.production, 0): states for made, states in found.items()}

    def _on_top(self, state: int) -> tuple[int, ...]:
        """The states that may come on top of a state."""
        found = self._tops.get(state)
        if found is None:
            states, _, targets, _ = self.entries
            first, last = np.searchsorted(states, (state, state + 1))
            found = self._tops[state] = tuple(set(targets[first:last].tolist()) - {0})
        return found

    def _made(self, state: int) -> frozenset[Production]:
        """What is reduced on top of a stack of this state."""
        found = self._reductions.get(state)
        if found is None:
            found = self._reductions[state] = self._tables.reductions(state)
        return found

    def _find(self, state: int, depth: int) -> frozenset[Consumer]:
        reach = self._reach
        found: set[Consumer] = set()
        pending, seen = [(state, depth)], {(state, depth)}
        while pending:
            at, distance = pending.pop()
            if reach[at] < distance:
                continue
            for symbol, production, count in self._made(at):
                if count >= distance:
                    found.add(Consumer(symbol, production, count - distance))
            for target in self._on_top(at):
                further = (target, distance + 1)
                if reach[target] > distance and further not in seen:
                    seen.add(further)
                    pending.append(further)
        return frozenset(found)

    def _find_under(self, below: int, top: int) -> frozenset[Consumer]:
        found = set(self.of(top, 2))
        begun: set[int] = set()
        pending = [top]
        while pending:
            for consumer in self.of(pending.pop(), 1):
                if consumer.index == 0 and consumer.symbol not in begun:
                    begun.add(consumer.symbol)
                    target = self._tables.goto(below, consumer.symbol)
                    if target:
                        found |= self.of(target, 2)
                        pending.append(target)
        return frozenset(found)

    @cached_property
    def entries(self) -> TableEntries:
        """All entries of the tables."""
        return self._tables.entries()

    @cached_property
    def _entering(self) -> npt.NDArray[np.int64]:
        """Each state with each symbol that leads there, as one number, in order."""
        _, symbols, targets, _ = self.entries
        leads = targets > 0
        return np.unique(targets[leads] * self._tables.symbol_count + symbols[leads])

    @cached_property
    def _reach(self) -> list[int]:
        states, _, targets, takes = self.entries
        reach = np.zeros(self._tables.state_count, dtype=np.int64)
        np.maximum.at(reach, states, takes)
        while True:
            further = reach.copy()
            np.maximum.at(further, states, reach[targets] - 1)
            if (further == reach).all():
                return reach.tolist()
            reach = further
