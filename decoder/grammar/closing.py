"""The cheapest token sequences that complete an unfinished text, from the LR tables alone.

`Closings.of` is the entrance; `decoder.closing.closer` calls it with the stacks at the end of a text. For the stack of
`f(x` in JavaScript it proposes `) ;` first.

A tail is what the unfinished rule at the top of a stack still lacks until it is reduced. It depends on the LR state
alone, so each state's tails are found once (`_Tails`). A search over stacks (Dijkstra 1959) joins tails until the text
is complete. A nonterminal in a tail is written as its cheapest text (Knuth 1977, a generalisation of Dijkstra's
algorithm to grammars). The tables merge lookaheads, so a sequence is only a proposal: the caller parses it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from decoder.grammar.stack import StackNode
from decoder.grammar.tables import END_OF_INPUT, START_STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from decoder.grammar.consumers import Consumers
    from decoder.grammar.tables import TableEntries, Tables

_STEPS = 20_000
"""The most steps of a search: of the one over stacks, and of each one for the tails of a state."""


class Tail(NamedTuple):
    """One way in which the unfinished rule at the top of a stack can end."""

    cost: float
    """The sum of the tokens' costs."""
    tokens: tuple[int, ...]
    """The tokens that finish the rule."""
    symbol: int
    """The symbol that the rule is reduced to."""
    count: int  # type: ignore[assignment]  # hides a method of tuples that is not used on tails
    """How many nodes of the stack, as it was before these tokens, the reduction takes: at least one."""


class _Tails:
    """The tails of one state, the cheapest first; each is searched for when it is first asked for."""

    def __init__(self, search: Iterator[Tail]) -> None:
        self._search, self._known = search, list[Tail]()
        self._lock = Lock()

    def get(self, index: int) -> Tail | None:
        """The tail at an index; None where there are not so many tails."""
        with self._lock:
            while len(self._known) <= index:
                following = next(self._search, None)
                if following is None:
                    return None
                self._known.append(following)
            return self._known[index]


@dataclass(frozen=True, slots=True)
class _ClosingTokens:
    """The tokens of a closing as a list that grows at its end: the last tail's, and those before it."""

    before: _ClosingTokens | None
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _OpenStack:
    """A stack to which some tails have been added.

    Its lower nodes, up to `base`, are nodes of the stack that `Closings.of` was given.
    """

    node: StackNode
    """Its top."""
    base: StackNode
    """The topmost node of the given stack that no reduction has taken."""
    rules: tuple[int, ...]
    """The symbols of the rules that have taken nodes of the given stack, in order: how the given text is read."""
    closing: _ClosingTokens | None
    """The tokens of the tails so far; None for none."""

    def tokens(self) -> Iterator[int]:
        """The tokens of the tails so far, in order."""
        parts: list[tuple[int, ...]] = []
        closing = self.closing
        while closing is not None:
            parts.append(closing.tokens)
            closing = closing.before
        return chain.from_iterable(reversed(parts))


class _Queue:
    """Pairs of a stack and one of its tails, the cheapest first.

    Only one pair of each stack is queued: when it is taken, the pair with the stack's next tail is added.
    """

    def __init__(self, tails_of: Callable[[int], _Tails]) -> None:
        self._tails_of = tails_of
        self._heap: list[tuple[float, int, float, int, _OpenStack]] = []
        """Cost with the tail, a number that breaks ties, cost of the stack alone, the tail's index, the stack."""
        self._order = count()

    def push(self, cost: float, stack: _OpenStack, index: int = 0) -> None:
        """Add a stack of some cost with its tail at an index, and later with the tails after that."""
        tail = self._tails_of(stack.node.state).get(index)
        if tail is not None:
            heapq.heappush(self._heap, (cost + tail.cost, next(self._order), cost, index, stack))

    def pop(self) -> tuple[float, _OpenStack, Tail] | None:
        """Take the cheapest pair: the cost of both, the stack and the tail; None where the queue is empty."""
        if not self._heap:
            return None
        total, _, cost, index, stack = heapq.heappop(self._heap)
        self.push(cost, stack, index + 1)
        tail = self._tails_of(stack.node.state).get(index)
        assert tail is not None  # noqa: S101 - it was there when it was pushed
        return total, stack, tail


class Closings:
    """Proposes closings for the stacks of one grammar. Thread-safe: its caches only grow."""

    def __init__(self, tables: Tables, consumers: Consumers, costs: Mapping[int, float]) -> None:
        """Nothing is computed yet.

        Args:
            consumers: The consumers of the same tables.
            costs: The cost of each token that may be in a closing. No other token is proposed.
        """
        self._tables, self._consumers, self._costs = tables, consumers, costs
        self._tails: dict[int, _Tails] = {}
        self._leads_by_state: dict[int, Sequence[_Lead]] = {}

    def of(self, stacks: Iterable[StackNode]) -> Iterator[tuple[str, ...]]:
        """The closings of some stacks, the cheapest first: names of tokens after which one of the stacks is complete.

        There is one closing for each way to read the stacks, that is, for each sequence of rules that take their nodes
        (`_OpenStack.rules`). Closings end after `_STEPS` steps of the search, if not before.
        """
        queue = _Queue(self._tails_of)
        seen: set[tuple[int, StackNode | None, tuple[int, ...]]] = set()
        proposed_rules: set[tuple[int, ...]] = set()
        for node in stacks:
            if node.below is None:  # an empty text is complete
                yield ()
            queue.push(0.0, _OpenStack(node, node, (), None))
        for _ in range(_STEPS):
            if (popped := queue.pop()) is None:
                return
            cost, stack, tail = popped
            for extended in self._with_tail(stack, tail):
                key = extended.node.state, extended.node.below, extended.rules
                if key in seen:
                    continue
                seen.add(key)
                if not self._is_complete(extended.node):
                    queue.push(cost, extended)
                elif extended.rules not in proposed_rules:
                    proposed_rules.add(extended.rules)
                    yield tuple(self._tables.names[token] for token in extended.tokens())

    def _is_complete(self, node: StackNode) -> bool:
        """Whether the text may end with this stack."""
        cell = self._tables.rows[node.state][END_OF_INPUT]
        return cell is not None and cell.accepts

    def _with_tail(self, stack: _OpenStack, tail: Tail) -> Iterator[_OpenStack]:
        """The stack after one of its tails; several stacks where it was merged from several.

        There is none where the rule that the tail finishes has no place in the state below its nodes.
        """
        closing = _ClosingTokens(stack.closing, tail.tokens) if tail.tokens else stack.closing
        for bottom, nodes in stack.node.paths(tail.count):
            state = self._tables.goto(bottom.state, tail.symbol)
            if not state:
                continue
            takes_given_node = stack.base in nodes
            base, rules = (bottom, (*stack.rules, tail.symbol)) if takes_given_node else (stack.base, stack.rules)
            yield _OpenStack(StackNode(state, bottom), base, rules, closing)

    def _tails_of(self, state: int) -> _Tails:
        tails = self._tails.get(state)
        if tails is None:
            tails = self._tails[state] = _Tails(self._search_tails(state))
        return tails

    def _search_tails(self, start: int) -> Iterator[Tail]:
        """The tails of a state, the cheapest first, by pushing the cheapest symbols on it (Dijkstra's search).

        A rule that can be reduced on the way gives a tail if it takes more nodes than were pushed: then it ends what
        was on the stack before. In a state after `( x` of a call's arguments, pushing `)` makes a rule of three nodes
        reducible. The rule takes one pushed node and two of the stack, so the tail is `)`.

        Later ways to a state with as many nodes pushed, and to a rule that takes as many nodes, are dropped (`seen`,
        `reduced`): they are no cheaper and finish nothing else.
        """
        order = count()
        heap: list[tuple[float, int, int, int, tuple[int, ...]]] = []  # see `push`; the second number breaks ties
        seen: set[tuple[int, int]] = set()
        reduced: set[tuple[int, int]] = set()

        def visit(cost: float, state: int, symbols: tuple[int, ...]) -> Iterator[Tail]:
            """The tails that end in a state; queues the symbols that can be pushed on it.

            Args:
                cost: The cost of `symbols`.
                symbols: What was pushed on the start to reach the state.
            """
            pushed = len(symbols)
            if (state, pushed) in seen:
                return
            seen.add((state, pushed))
            for rule in self._tables.reductions(state):
                taken = rule.count - pushed
                if taken > 0 and (rule.symbol, taken) not in reduced:
                    reduced.add((rule.symbol, taken))
                    yield Tail(cost, tuple(self._cheapest_tokens(symbols)), rule.symbol, taken)
            if self._consumers.reach(state) > pushed:  # an unfinished rule may span the pushed nodes and more
                push(cost, state, symbols, 0)

        def push(cost: float, state: int, symbols: tuple[int, ...], index: int) -> None:
            """Queue a state, reached by `symbols` of some cost, with its lead at an index."""
            leads = self._leads(state)
            if index < len(leads):
                heapq.heappush(heap, (cost + leads[index].cost, next(order), state, index, symbols))

        yield from visit(0.0, start, ())
        for _ in range(_STEPS):
            if not heap:
                return
            total, _, state, index, symbols = heapq.heappop(heap)
            lead = self._leads(state)[index]
            push(total - lead.cost, state, symbols, index + 1)
            yield from visit(total, lead.target, (*symbols, lead.symbol))

    def _leads(self, state: int) -> Sequence[_Lead]:
        """The symbols that can be pushed on a state, the cheapest first."""
        leads = self._leads_by_state.get(state)
        if leads is None:
            entries, costs = self._entries, self._symbol_costs
            part = slice(*np.searchsorted(entries.states, (state, state + 1)))
            pairs = zip(entries.symbols[part].tolist(), entries.targets[part].tolist(), strict=True)
            leads = sorted(
                _Lead(costs[symbol], symbol, target) for symbol, target in pairs if target and costs[symbol] < np.inf
            )
            self._leads_by_state[state] = leads
        return leads

    def _cheapest_tokens(self, symbols: Iterable[int]) -> Iterator[int]:
        """The tokens of the cheapest texts of symbols, in order."""
        for symbol in symbols:
            if symbol < self._tables.token_count:
                yield symbol
            else:
                yield from self._cheapest_tokens(self._cheapest_rules[symbol])

    @property
    def _entries(self) -> TableEntries:
        return self._consumers.entries

    @cached_property
    def _symbol_costs(self) -> list[float]:
        return self._cheapest[0]

    @property
    def _cheapest_rules(self) -> Mapping[int, tuple[int, ...]]:
        return self._cheapest[1]

    @cached_property
    def _cheapest(self) -> tuple[list[float], Mapping[int, tuple[int, ...]]]:
        """The cost of each symbol's cheapest text, and for each nonterminal the symbols that give this text.

        A cost is infinite where no tokens with a cost make the symbol.

        All paths to a state end with the same symbol, so the states below a state in which a rule is reduced spell the
        rule, read backwards. Where the generator merged states (`Consumers.symbols`), a path may spell another symbol
        in its place. That is harmless: a closing is only a proposal.
        """
        tables, edges = self._tables, self._edges()
        rules = sorted(
            {
                (rule.symbol, rule.count, state)
                for state in range(START_STATE, tables.state_count)
                for rule in tables.reductions(state)
            }
        )
        symbols, counts, states = np.array(rules).T
        costs = np.full(tables.symbol_count, np.inf)
        for token, cost in self._costs.items():
            costs[token] = cost
        cheapest_rules: dict[int, tuple[int, ...]] = {}
        # Until no rule makes its symbol cheaper: each round costs all rules with the symbols' costs known before it.
        while True:
            path_costs = edges.path_costs(costs, tables.state_count, int(counts.max()))
            rule_costs = path_costs[counts, states]
            better = np.flatnonzero(rule_costs < costs[symbols])
            if not len(better):
                return costs.tolist(), cheapest_rules
            for index in better[np.argsort(rule_costs[better], kind="stable")].tolist():
                symbol = int(symbols[index])
                if rule_costs[index] < costs[symbol]:
                    cheapest_rules[symbol] = edges.path(path_costs, int(counts[index]), int(states[index]), costs)
                    costs[symbol] = rule_costs[index]

    def _edges(self) -> _Edges:
        """The entries of the tables that put a state on top of another."""
        entries = self._entries
        pushing = np.flatnonzero(entries.targets)
        pushing = pushing[np.argsort(entries.targets[pushing], kind="stable")]
        return _Edges(entries.states[pushing], entries.symbols[pushing], entries.targets[pushing])


class _Lead(NamedTuple):
    """A symbol that can be pushed on a state. Leads are sorted by cost, so the cost comes first."""

    cost: float
    """The cost of the symbol's cheapest text."""
    symbol: int
    target: int
    """The state after the symbol."""


@dataclass(frozen=True, slots=True)
class _Edges:
    """The graph of LR states: in each state, a symbol leads to a target. int64 [edges] each, sorted by target."""

    states: npt.NDArray[np.int64]
    symbols: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]

    def path_costs(self, costs: npt.NDArray[np.float64], state_count: int, longest: int) -> npt.NDArray[np.float64]:
        """The cost of the cheapest path of each length that ends in each state; float64 [longest + 1, states].

        Args:
            costs: The cost of each symbol; float64 [symbols].
        """
        groups = np.flatnonzero(np.diff(self.targets, prepend=-1))  # where the edges of each target begin
        path_costs = np.full((longest + 1, state_count), np.inf)
        path_costs[0] = 0
        for length in range(1, longest + 1):
            step_costs = path_costs[length - 1][self.states] + costs[self.symbols]
            path_costs[length][self.targets[groups]] = np.minimum.reduceat(step_costs, groups)
        return path_costs

    def path(
        self, path_costs: npt.NDArray[np.float64], length: int, state: int, costs: npt.NDArray[np.float64]
    ) -> tuple[int, ...]:
        """The symbols of the cheapest path of a length that ends in a state; see `path_costs`."""
        symbols: list[int] = []
        for left in range(length, 0, -1):
            edges = slice(*np.searchsorted(self.targets, (state, state + 1)))
            step_costs = path_costs[left - 1][self.states[edges]] + costs[self.symbols[edges]]
            best = edges.start + int(np.argmin(step_costs))
            symbols.append(int(self.symbols[best]))
            state = int(self.states[best])
        return tuple(reversed(symbols))
