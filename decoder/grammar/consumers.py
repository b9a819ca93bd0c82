"""Which rules can still take a node of an unfinished stack as a child.

`decoder.constraint.scope` asks, to decide early what an identifier is used for, and `closing`, to know how far down an
unfinished rule reaches. The answers depend on the tables only: on an LR state, and on how far below the top the node
is. A node has no consumer while no single rule can take it together with all nodes above it.
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
    """A rule that can take a node, and which of its children the node is then."""

    symbol: int
    """What the rule makes."""
    production: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that is not used on consumers
    """The node's index among the rule's children."""


class Consumers:
    """Answers for one grammar's tables, each computed once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._of: dict[tuple[int, int], frozenset[Consumer]] = {}
        self._under: dict[tuple[int, int], frozenset[Consumer]] = {}
        self._reductions: dict[int, frozenset[Production]] = {}
        self._above: dict[int, tuple[int, ...]] = {}
        self._symbols: dict[int, frozenset[int]] = {}

    def of(self, state: int, depth: int) -> frozenset[Consumer]:
        """The consumers of the node that is `depth` from the top of a stack; the top itself, of state `state`, is 1."""
        key = (state, depth)
        consumers = self._of.get(key)
        if consumers is None:
            consumers = self._of[key] = self._find(state, depth)
        return consumers

    def under(self, below: int, top: int) -> frozenset[Consumer]:
        """The consumers of the node right under the top of a stack, where that node has the state `below`.

        A rule may take the node together with the top. The top may also begin a rule of its own, and what this rule
        makes is then taken together with the node: `(` after a name begins a call's arguments.
        """
        key = (below, top)
        consumers = self._under.get(key)
        if consumers is None:
            consumers = self._under[key] = self._find_under(below, top)
        return consumers

    def reach(self, state: int) -> int:
        """The most nodes, counted from the top down, that one unfinished rule may span on a stack of this state."""
        return self._reach[state]

    def symbols(self, state: int) -> frozenset[int]:
        """The symbols that may be on top of a stack of this state: more than one where the generator merged states."""
        symbols = self._symbols.get(state)
        if symbols is None:
            width = self._tables.symbol_count
            first, last = np.searchsorted(self._entering, (state * width, (state + 1) * width))
            symbols = self._symbols[state] = frozenset((self._entering[first:last] % width).tolist())
        return symbols

    def alone(self, wanted: Callable[[Consumer], bool]) -> dict[Consumer, set[int]]:
        """The wanted rules that take the top of a stack as their only child, each with the states of such tops."""

        @cache
        def is_wanted(rule: Production) -> bool:
            return rule.count == 1 and wanted(Consumer(rule.symbol, rule.production, 0))

        states_by_rule = self._tables.states_reducing(is_wanted)
        return {Consumer(rule.symbol, rule.production, 0): states for rule, states in states_by_rule.items()}

    def _states_above(self, state: int) -> tuple[int, ...]:
        """The states that may come on top of a state."""
        above = self._above.get(state)
        if above is None:
            states, _, targets, _ = self.entries
            first, last = np.searchsorted(states, (state, state + 1))
            above = self._above[state] = tuple(set(targets[first:last].tolist()) - {0})
        return above

    def _reductions_in(self, state: int) -> frozenset[Production]:
        """`Tables.reductions`, cached."""
        reductions = self._reductions.get(state)
        if reductions is None:
            reductions = self._reductions[state] = self._tables.reductions(state)
        return reductions

    def _find(self, state: int, depth: int) -> frozenset[Consumer]:
        """See `of`. Pushes what may still come on the stack, and collects the reductions that take the node."""
        reach = self._reach
        consumers: set[Consumer] = set()
        pending, seen = [(state, depth)], {(state, depth)}
        while pending:
            top, distance = pending.pop()  # a state on top, and how far below it the node is
            if reach[top] < distance:
                continue
            for symbol, production, count in self._reductions_in(top):
                if count >= distance:
                    consumers.add(Consumer(symbol, production, count - distance))
            for target in self._states_above(top):
                further = (target, distance + 1)
                if reach[target] > distance and further not in seen:
                    seen.add(further)
                    pending.append(further)
        return frozenset(consumers)

    def _find_under(self, below: int, top: int) -> frozenset[Consumer]:
        """See `under`. `begun` has the symbols of the rules that the top may begin."""
        consumers = set(self.of(top, 2))
        begun: set[int] = set()
        pending = [top]
        while pending:
            for consumer in self.of(pending.pop(), 1):
                if consumer.index == 0 and consumer.symbol not in begun:
                    begun.add(consumer.symbol)
                    target = self._tables.goto(below, consumer.symbol)
                    if target:
                        consumers |= self.of(target, 2)
                        pending.append(target)
        return frozenset(consumers)

    @cached_property
    def entries(self) -> TableEntries:
        """All entries of the tables."""
        return self._tables.entries()

    @cached_property
    def _entering(self) -> npt.NDArray[np.int64]:
        """Each pair of a state and a symbol that leads to it, as `state * symbol_count + symbol`, sorted."""
        _, symbols, targets, _ = self.entries
        leads = targets > 0
        return np.unique(targets[leads] * self._tables.symbol_count + symbols[leads])

    @cached_property
    def _reach(self) -> list[int]:
        """By state, the answers of `reach`: a fixed point, since a rule that ends higher up also spans this state."""
        states, _, targets, takes = self.entries
        reach = np.zeros(self._tables.state_count, dtype=np.int64)
        np.maximum.at(reach, states, takes)
        while True:
            further = reach.copy()
            np.maximum.at(further, states, reach[targets] - 1)
            if (further == reach).all():
                return reach.tolist()
            reach = further
