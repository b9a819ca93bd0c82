"""What could come after an unfinished text so that it ends: token sequences of least cost, from the LR tables alone.

The cheapest way to finish a rule is known once for each state (`_Tails`): the symbols that are still to come until the
rule that the top of a stack stands in is reduced. A search over stacks (Dijkstra 1959) puts these together until the
start symbol is made. A nonterminal among them stands for its cheapest text (Knuth 1977, a generalisation of Dijkstra's
algorithm to grammars). The tables merge lookaheads, so a sequence is a proposal: whoever asks reads it again.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from decoder.grammar.stack import Node
from decoder.grammar.tables import END_OF_INPUT, START_STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from decoder.grammar.consumers import Consumers
    from decoder.grammar.tables import TableEntries, Tables

_STEPS = 20_000
"""Steps of one search, over the stacks and over the states for their tails alike."""


class Tail(NamedTuple):
    """How the rule at the top of a stack can end."""

    cost: float
    tokens: tuple[int, ...]
    symbol: int
    """What it is reduced to."""
    count: int  # type: ignore[assignment]  # hides a method of tuples that is not used on tails
    """Cells of the stack that the reduction takes, at least one."""


class _Tails:
    """Tails that are looked for when they are asked for."""

    def __init__(self, found: Iterator[Tail]) -> None:
        self._found, self._known = found, list[Tail]()
        self._lock = Lock()

    def get(self, index: int) -> Tail | None:
        """The tail of an index; None where there are not so many."""
        with self._lock:
            while len(self._known) <= index:
                following = next(self._found, None)
                if following is None:
                    return None
                self._known.append(following)
            return self._known[index]


@dataclass(frozen=True, slots=True)
class _Step:
    """A part of a closing, and what comes before it."""

    before: _Step | None
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Open:
    """A stack on the way to its end."""

    node: Node
    base: Node
    """The topmost cell of the stack that was given which nothing has taken."""
    rules: tuple[int, ...]
    """The symbols of the rules that have taken such cells."""
    step: _Step | None

    def tokens(self) -> Iterator[int]:
        """The tokens that have come."""
        parts: list[tuple[int, ...]] = []
        step = self.step
        while step is not None:
            parts.append(step.tokens)
            step = step.before
        return chain.from_iterable(reversed(parts))


class _Queue:
    """Stacks with their tails, the cheapest first; the next tail of a stack comes in when one was taken."""

    def __init__(self, tails_of: Callable[[int], _Tails]) -> None:
        self._tails_of = tails_of
        self._heap: list[tuple[float, int, float, int, _Open]] = []
        self._order = count()

    def push(self, cost: float, top: _Open, at: int = 0) -> None:
        """Have the tails of a stack followed, from one of them on."""
        tail = self._tails_of(top.node.state).get(at)
        if tail is not None:
            heapq.heappush(self._heap, (cost + tail.cost, next(self._order), cost, at, top))

    def pop(self) -> tuple[float, _Open, Tail] | None:
        """The cost of a stack with its cheapest tail; None where there is none."""
        if not self._heap:
            return None
        total, _, cost, at, top = heapq.heappop(self._heap)
        self.push(cost, top, at + 1)
        tail = self._tails_of(top.node.state).get(at)
        assert tail is not None  # noqa: S101 - it was there when it was pushed
        return total, top, tail


class Closings:
    """Proposes closings for the stacks of one grammar. Thread-safe: what it keeps is only ever added to."""

    def __init__(self, tables: Tables, consumers: Consumers, costs: Mapping[int, float]) -> None:
        """Nothing is computed yet.

        Args:
            consumers: Those of the same tables.
            costs: The cost of each token that may be in a closing; all others are never proposed.
        """
        self._tables, self._consumers, self._costs = tables, consumers, costs
        self._tails: dict[int, _Tails] = {}
        self._leading: dict[int, Sequence[tuple[float, int, int]]] = {}

    def of(self, stacks: Iterable[Node]) -> Iterator[tuple[str, ...]]:
        """The tokens, by name, after which one of some stacks is a complete text; the cheapest first.

        One for each way to read the stacks, that is, for each sequence of rules that take cells of theirs.
        """
        queue = _Queue(self._tails_of)
        seen: set[tuple[int, Node | None, tuple[int, ...]]] = set()
        given: set[tuple[int, ...]] = set()
        for one in stacks:
            if one.below is None:  # an empty text is complete
                yield ()
            queue.push(0.0, _Open(one, one, (), None))
        for _ in range(_STEPS):
            if (popped := queue.pop()) is None:
                return
            cost, top, tail = popped
            for closed in self._closed(top, tail):
                key = closed.node.state, closed.node.below, closed.rules
                if key in seen:
                    continue
                seen.add(key)
                if not self._is_complete(closed.node):
                    queue.push(cost, closed)
                elif closed.rules not in given:
                    given.add(closed.rules)
                    yield tuple(self._tables.names[token] for token in closed.tokens())

    def _is_complete(self, node: Node) -> bool:
        cell = self._tables.rows[node.state][END_OF_INPUT]
        return cell is not None and cell.accepts

    def _closed(self, top: _Open, tail: Tail) -> Iterator[_Open]:
        """A stack after one of its tails; several where stacks were merged."""
        step = _Step(top.step, tail.tokens) if tail.tokens else top.step
        for bottom, cells in top.node.paths(tail.count):
            state = self._tables.goto(bottom.state, tail.symbol)
            if not state:
                continue
            is_deeper = top.base in cells  # it takes a cell of the stack that was given
            base, rules = (bottom, (*top.rules, tail.symbol)) if is_deeper else (top.base, top.rules)
            yield _Open(Node(state, bottom), base, rules, step)

    def _tails_of(self, state: int) -> _Tails:
        """The ways in which what is on top of a stack can end, the cheapest first."""
        found = self._tails.get(state)
        if found is None:
            found = self._tails[state] = _Tails(self._find(state))
        return found

    def _find(self, state: int) -> Iterator[Tail]:
        """The tails of a state, by walking forward from it with the cheapest symbols (Dijkstra's search).

        A rule that is reduced on the way is a tail where it takes more cells than were pushed since: then it ends what
        was on the stack before. In a state after `( x` of a call's arguments, pushing `)` makes a rule of three cells
        reducible; it takes one pushed cell and two of the stack, so the tail is `)`.
        """
        order = count()
        heap: list[tuple[float, int, int, int, tuple[int, ...]]] = []
        seen: set[tuple[int, int]] = set()
        reduced: set[tuple[int, int]] = set()

        def reached(cost: float, at: int, symbols: tuple[int, ...]) -> Iterator[Tail]:
            """The tails that end in a state that was reached; has the walk go on from there.

            Args:
                cost: Of the symbols.
                at: The state reached.
                symbols: Those pushed above the start.
            """
            pushed = len(symbols)
            if (at, pushed) in seen:
                return
            seen.add((at, pushed))
            for made in self._tables.reductions(at):
                taken = made.count - pushed
                if taken > 0 and (made.symbol, taken) not in reduced:
                    reduced.add((made.symbol, taken))
                    yield Tail(cost, tuple(self._spelled(symbols)), made.symbol, taken)
            if self._consumers.reach(at) > pushed:  # an unfinished rule may span the pushed cells and more
                push(cost, at, symbols, 0)

        def push(cost: float, at: int, symbols: tuple[int, ...], lead: int) -> None:
            leads = self._leads(at)
            if lead < len(leads):
                heapq.heappush(heap, (cost + leads[lead][0], next(order), at, lead, symbols))

        yield from reached(0.0, state, ())
        for _ in range(_STEPS):
            if not heap:
                return
            total, _, at, lead, symbols = heapq.heappop(heap)
            cost, symbol, target = self._leads(at)[lead]
            push(total - cost, at, symbols, lead + 1)
            yield from reached(total, target, (*symbols, symbol))

    def _leads(self, state: int) -> Sequence[tuple[float, int, int]]:
        """What can come after a state: the cost of a symbol, the symbol, and the state after it; the cheapest first."""
        found = self._leading.get(state)
        if found is None:
            entries, yields = self._entries, self._yields
            part = slice(*np.searchsorted(entries.states, (state, state + 1)))
            pairs = zip(entries.symbols[part].tolist(), entries.targets[part].tolist(), strict=True)
            found = sorted((yields[one], one, target) for one, target in pairs if target and yields[one] < np.inf)
            self._leading[state] = found
        return found

    def _spelled(self, symbols: Iterable[int]) -> Iterator[int]:
        """The tokens of the cheapest texts of symbols."""
        for symbol in symbols:
            if symbol < self._tables.token_count:
                yield symbol
            else:
                yield from self._spelled(self._made_of[symbol])

    @property
    def _entries(self) -> TableEntries:
        return self._consumers.entries

    @cached_property
    def _yields(self) -> list[float]:
        return self._cheapest[0]

    @property
    def _made_of(self) -> Mapping[int, tuple[int, ...]]:
        return self._cheapest[1]

    @cached_property
    def _cheapest(self) -> tuple[list[float], Mapping[int, tuple[int, ...]]]:
        """For each symbol the cost of its cheapest text, and for each nonterminal of what it is made then.

        All ways to a state end with the same symbol, so the states below a state in which a rule is reduced spell the
        rule, read backwards. Where the generator merged states (`Consumers.symbols`), a way may spell another symbol in
        its place. That is harmless: a closing is a proposal, and whoever asks reads it again.
        """
        tables, entries = self._tables, self._entries
        pushing = np.flatnonzero(entries.targets)  # indices of the entries that put a state on top
        pushing = pushing[np.argsort(entries.targets[pushing], kind="stable")]
        edges = _Edges(entries.states[pushing], entries.symbols[pushing], entries.targets[pushing])
        rules = sorted(
            {
                (made.symbol, made.count, state)
                for state in range(START_STATE, tables.state_count)
                for made in tables.reductions(state)
            }
        )
        symbols, counts, at = np.array(rules).T
        costs = np.full(tables.symbol_count, np.inf)
        for token, cost in self._costs.items():
            costs[token] = cost
        made_of: dict[int, tuple[int, ...]] = {}
        # Until no rule makes its symbol cheaper: each round spells all rules with the costs known before it.
        while True:
            ways = edges.ways(costs, tables.state_count, int(counts.max()))
            found = ways[counts, at]
            better = np.flatnonzero(found < costs[symbols])
            if not len(better):
                return costs.tolist(), made_of
            for index in better[np.argsort(found[better], kind="stable")].tolist():
                symbol = int(symbols[index])
                if found[index] < costs[symbol]:
                    made_of[symbol] = edges.way(ways, int(counts[index]), int(at[index]), costs)
                    costs[symbol] = found[index]


@dataclass(frozen=True, slots=True)
class _Edges:
    """From which state a symbol leads to which, in the order of the targets; int64 [edges] each."""

    states: npt.NDArray[np.int64]
    symbols: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]

    def ways(self, costs: npt.NDArray[np.float64], state_count: int, longest: int) -> npt.NDArray[np.float64]:
        """The cost of the cheapest way of each length that ends in each state; float64 [longest + 1, states]."""
        groups = np.flatnonzero(np.diff(self.targets, prepend=-1))
        ways = np.full((longest + 1, state_count), np.inf)
        ways[0] = 0
        for length in range(1, longest + 1):
            steps = ways[length - 1][self.states] + costs[self.symbols]
            ways[length][self.targets[groups]] = np.minimum.reduceat(steps, groups)
        return ways

    def way(
        self, ways: npt.NDArray[np.float64], length: int, state: int, costs: npt.NDArray[np.float64]
    ) -> tuple[int, ...]:
        """The symbols of the cheapest way of a length that ends in a state."""
        symbols: list[int] = []
        for left in range(length, 0, -1):
            first, last = np.searchsorted(self.targets, (state, state + 1))
            best = first + int(np.argmin(ways[left - 1][self.states[first:last]] + costs[self.symbols[first:last]]))
            symbols.append(int(self.symbols[best]))
            state = int(self.states[best])
        return tuple(reversed(symbols))
