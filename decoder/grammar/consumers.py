"""Which rules can still take an unfinished stack's cells as children: the lookahead behind an early decision.

A question about tables only: a state, and how far under the top a cell lies. Cells that no single unfinished rule
reaches down to have no consumer yet.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from decoder.grammar.tables import START_STATE

if TYPE_CHECKING:
    from decoder.grammar.tables import Tables


class Consumer(NamedTuple):
    """A cell's place as a child of a rule."""

    symbol: int
    production: int
    index: int  # type: ignore[assignment]  # hides a method of tuples that nobody asks a place for


class _Graph(NamedTuple):
    """What the tables say about each state."""

    reductions: list[set[tuple[int, int, int]]]
    """Symbol, production and count."""
    edges: list[tuple[int, ...]]
    """The states that may come on top."""
    reach: list[int]
    symbols: list[frozenset[int]]


class Consumers:
    """Answers for one grammar's tables, each computed once."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._of: dict[tuple[int, int], frozenset[Consumer]] = {}
        self._below: dict[tuple[int, int], frozenset[Consumer]] = {}

    def of(self, state: int, depth: int) -> frozenset[Consumer]:
        """What can consume the cell that lies `depth` from the top (the top itself is 1) of a stack on `state`."""
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
        """How many cells from the top down one unfinished rule may span."""
        return self._graph.reach[state]

    def symbols(self, state: int) -> frozenset[int]:
        """The symbols that may be on top of a stack of this state: more than one where the generator merged states."""
        return self._graph.symbols[state]

    def ending_on(self, state: int) -> list[Consumer]:
        """The rules whose last child is the top, where it is their only one."""
        reductions = self._graph.reductions[state]
        return [Consumer(symbol, production, 0) for symbol, production, count in reductions if count == 1]

    def _find(self, state: int, depth: int) -> frozenset[Consumer]:
        reductions, edges, reach, _ = self._graph
        found: set[Consumer] = set()
        pending, seen = [(state, depth)], {(state, depth)}
        while pending:
            at, distance = pending.pop()
            if reach[at] < distance:
                continue
            for symbol, production, count in reductions[at]:
                if count >= distance:
                    found.add(Consumer(symbol, production, count - distance))
            for target in edges[at]:
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
    def _graph(self) -> _Graph:
        tables = self._tables
        edges: list[tuple[int, ...]] = [()] * tables.state_count
        reductions: list[set[tuple[int, int, int]]] = [set() for _ in range(tables.state_count)]
        symbols: list[set[int]] = [set() for _ in range(tables.state_count)]
        reverse: list[list[int]] = [[] for _ in range(tables.state_count)]
        for state in range(START_STATE, tables.state_count):
            cells = {id(cell): cell for cell in tables.cells(state).values()}.values()
            reductions[state] = {(r.symbol, r.production, r.count) for cell in cells for r in cell.reductions}
            extra = {cell.shift for cell in cells if cell.is_extra}
            successors = [(symbol, target) for symbol, target in tables.successors(state) if target not in extra]
            for symbol, target in successors:
                symbols[target].add(symbol)
            edges[state] = tuple({target for _, target in successors})
            for target in edges[state]:
                reverse[target].append(state)
        reach = [max((count for _, _, count in found), default=0) for found in reductions]
        pending = list(range(START_STATE, tables.state_count))
        while pending:
            target = pending.pop()
            for state in reverse[target]:
                if reach[target] - 1 > reach[state]:
                    reach[state] = reach[target] - 1
                    pending.append(state)
        return _Graph(reductions, edges, reach, [frozenset(found) for found in symbols])
