"""Finds the dead ends of a grammar in its LR tables.

A stack can be completed if its topmost cells can be reduced to a symbol that has a place on the cells below them, and
so on to the end of the text. So for each state we find all ways in which rules are reduced from it, by the next token
and the one after it (precedences make these matter: `a + b` may not go on with `(`); and with them, for each two
neighbouring states, what may be reduced beyond them after which token. Where that depends on cells farther down, it
is recorded and asked of a stack. The result is a superset of the viable prefixes: no viable prefix is lost.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from decoder.grammar.dead_ends import NONE, DeadEnds
from decoder.grammar.tables import NO_LEXING, START_STATE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.dead_ends import Ends
    from decoder.grammar.tables import Tables

    Ways = dict[int, int]
    """By the first token: the tokens that may be after, as a bit set."""
    End = tuple[int, int]
    """What a stack's topmost cells become: their number, and the symbol."""

_ACCEPTED: tuple[int, int] = (0, 0)
"""Stands for the end of the text among what may be completed."""
_DEEPEST = 10
"""Rules longer than that are taken to lead on."""


def find(tables: Tables) -> DeadEnds:
    """The dead ends of a grammar. Takes 5 s to minutes; the result is worth keeping.

    None where extras are rules (Rust's comments): these leave the stack, which is not modelled here.
    """
    if any(mode.lex_state == NO_LEXING for mode in tables.modes):
        return NONE
    search = _Search(tables)
    tokens: dict[int, int] = {}
    found: dict[tuple[int, int, Ends], int] = defaultdict(int)
    for below, states in search.ends.items():
        shifts = search.rules.shifts[below]
        dead = sum(1 << token for token, target in shifts.items() if not states[target])
        if dead:
            tokens[below] = dead
    for below, states in search.ends.items():
        everything = search.all_ends(below)
        for state in states:
            for token in search.rules.shifts[state]:
                left = search.left_after(below, state, token)
                if not tokens.get(state, 0) >> token & 1 and left != everything and not search.leads_on(below, left):
                    found[below, state, _below(left)] |= 1 << token
    narrow: dict[int, list[tuple[int, int, Ends]]] = defaultdict(list)
    for (below, state, left_over), after in sorted(found.items()):
        narrow[state].append((below, after, left_over))
    return DeadEnds(tokens, dict(narrow), search.doubts({(below, ends) for below, _, ends in found}))


def _below(ends: Iterable[End]) -> Ends:
    """The same, counted from the state below."""
    return tuple(sorted((cells - 1, symbol) for cells, symbol in ends))


class _Rules:
    """How rules are completed from each state.

    The ways of (count, symbol) from a state: its topmost `count` cells and what follows become `symbol`. With a count
    of 0, `symbol` is made of what follows alone.
    """

    def __init__(self, tables: Tables) -> None:
        count = tables.state_count
        self.shifts: list[dict[int, int]] = [{} for _ in range(count)]
        self.gotos: list[dict[int, int]] = [{} for _ in range(count)]
        self.accepts = [0] * count
        self.ways: list[dict[End, Ways]] = [{} for _ in range(count)]
        self._shifted_to: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self._gone_to: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self._work: dict[tuple[int, int, int], None] = {}
        for state in range(START_STATE, count):
            self._read(tables, state)
        while self._work:
            state, cells, symbol = self._work.popitem()[0]
            if cells:
                self._extend_downwards(state, cells, symbol)
            else:
                self._extend_after(state, symbol)

    def _read(self, tables: Tables, state: int) -> None:
        for token, cell in tables.cells(state).items():
            self.accepts[state] |= cell.accepts << token
            if cell.shift is not None and not cell.is_extra:
                self.shifts[state][token] = cell.shift
                self._shifted_to[cell.shift].append((state, token))
            for reduction in cell.reductions:
                self._add(state, reduction.count, reduction.symbol, token, 1 << token)
        for symbol, target in tables.successors(state):
            if symbol >= tables.token_count:
                self.gotos[state][symbol] = target
                self._gone_to[target].append((state, symbol))

    def _add(self, state: int, cells: int, symbol: int, token: int, rest: int) -> None:
        ways = self.ways[state].setdefault((cells, symbol), {})
        known = ways.get(token, 0)
        if rest & ~known:
            ways[token] = known | rest
            self._work[state, cells, symbol] = None

    def _extend_downwards(self, state: int, cells: int, symbol: int) -> None:
        """The cell of `state` itself is made first, of a token or of a symbol."""
        ways = self.ways[state][cells, symbol]
        rest = 0
        for tokens in ways.values():
            rest |= tokens
        for below, token in self._shifted_to[state]:
            self._add(below, cells - 1, symbol, token, rest)
        memo: dict[int, int] = {}
        for below, made in self._gone_to[state]:
            self._chain(below, self.ways[below].get((0, made), {}), ways, (cells - 1, symbol), memo)

    def _extend_after(self, state: int, symbol: int) -> None:
        """What begins with `symbol` on top of `state`."""
        target = self.gotos[state].get(symbol)
        if target is None:
            return
        first = self.ways[state][0, symbol]
        for (cells, made), ways in list(self.ways[target].items()):
            if cells:
                self._chain(state, first, ways, (cells - 1, made), {})

    def _chain(self, state: int, first: Ways, then: Ways, completed: End, memo: dict[int, int]) -> None:
        """First one thing, then another that begins with the token after it."""
        for token, between in list(first.items()):
            rest = memo.get(between)
            if rest is None:
                rest = 0
                for following, tokens in then.items():
                    if between >> following & 1:
                        rest |= tokens
                memo[between] = rest
            if rest:
                self._add(state, *completed, token, rest)


class _Search:
    """What may be reduced beyond each two neighbouring states, and whether it can be completed on any stack below."""

    def __init__(self, tables: Tables) -> None:
        self.rules = _Rules(tables)
        self._beneath: list[set[int]] = [set() for _ in range(tables.state_count)]
        self.ends: dict[int, dict[int, dict[End, int]]] = {}
        """By the state below and the state: what may be completed beyond it, with the next tokens for that."""
        self._indirect: dict[tuple[int, int], dict[End, int]] = {}
        """The same for what is only completed once the state's cell has become something else."""
        self._followers: dict[tuple[int, End], int] = {}
        for below in range(START_STATE, tables.state_count):
            self.ends[below] = self._ends_over(below)
            for state in self.ends[below]:
                self._beneath[state].add(below)
        self._reached: dict[tuple[int, int], frozenset[int]] = {}
        self._all = {
            below: frozenset(end for ends in states.values() for end in ends) for below, states in self.ends.items()
        }
        self._doubtful: set[tuple[int, int]] = set()
        self._find_doubtful()

    def all_ends(self, below: int) -> frozenset[End]:
        """What may be completed beyond a state, whatever follows."""
        return self._all[below]

    def left_after(self, below: int, state: int, token: int) -> frozenset[End]:
        """What may be completed beyond a state with `token` next, and then be followed by what must be after it.

        An arrow function with a block may have a member, and so begin a target; one with an expression may not.
        """
        ends, indirect = self.ends[below][state], self._indirect[below, state]
        return frozenset(
            end
            for end, after in ends.items()
            if after >> token & 1
            # several ways are not distinguished yet
            and (indirect.get(end, 0) >> token & 1 or self._goes_on(below, end, self.rules.ways[state][end][token]))
        )

    def _goes_on(self, below: int, end: End, rest: int) -> bool:
        return bool(rest & self._followers_of(below, end))

    def _followers_of(self, below: int, end: End) -> int:
        """The tokens that may be after `end`, cells counted from above the state `below`, as a bit set."""
        cells, symbol = end
        if not 0 < cells <= _DEEPEST:
            return ~0
        found = self._followers.get((below, end))
        if found is None:
            found = 0
            for bottom in self._down(below, cells - 1):
                made = self.rules.gotos[bottom].get(symbol)
                for after in () if made is None else self.ends[bottom][made].values():
                    found |= after
            self._followers[below, end] = found
        return found

    def leads_on(self, below: int, ends: Iterable[End]) -> bool:
        """Whether one of `ends`, cells counted from above the state `below`, can be completed on any stack below."""
        return any(
            cells == 0
            or cells > _DEEPEST
            or all(self._has_place(bottom, symbol) for bottom in self._down(below, cells - 1))
            for cells, symbol in ends
        )

    def doubts(self, narrow: Iterable[tuple[int, Ends]]) -> dict[tuple[int, int], Ends]:
        """What must be known to ask a stack what is left to complete above a state."""
        found: dict[tuple[int, int], Ends] = {}
        work = sorted(narrow)
        while work:
            below, ends = work.pop()
            for cells, symbol in ends:
                for bottom in self._down(below, cells):
                    made = self.rules.gotos[bottom].get(symbol)
                    if made is None or (bottom, made) in found:
                        continue
                    further = self.ends[bottom][made]
                    if not further or (bottom, made) in self._doubtful:
                        found[bottom, made] = _below(further)
                        work.append((bottom, found[bottom, made]))
        return found

    def _ends_over(self, below: int) -> dict[int, dict[End, int]]:
        rules = self.rules
        gotos = rules.gotos[below]
        found: dict[int, dict[End, int]] = {}
        alone: dict[int, list[tuple[int, Ways]]] = {}
        indirect: dict[int, dict[End, int]] = {}
        for state in {*rules.shifts[below].values(), *gotos.values()}:
            ends = found[state] = {_ACCEPTED: rules.accepts[state]} if rules.accepts[state] else {}
            alone[state] = []
            indirect[state] = self._indirect[below, state] = {}
            for (cells, symbol), ways in rules.ways[state].items():
                if cells > 1 and below != START_STATE:
                    ends[cells, symbol] = sum(1 << token for token in ways)
                elif cells == 1 and symbol in gotos:
                    alone[state].append((gotos[symbol], ways))
        changed = True
        while changed:
            changed = False
            for state, made in alone.items():
                for target, ways in made:
                    for end, on in found[target].items():
                        tokens = sum(1 << token for token, rest in ways.items() if rest & on)
                        indirect[state][end] = indirect[state].get(end, 0) | tokens
                        known = found[state].get(end, 0)
                        if tokens & ~known:
                            found[state][end] = known | tokens
                            changed = True
        return found

    def _find_doubtful(self) -> None:
        """Assume that all can be completed, and revoke until nothing changes, as completions are lower on the stack."""
        while True:
            more = {
                (below, state)
                for below, states in self.ends.items()
                for state, ends in states.items()
                if ends
                and (below, state) not in self._doubtful
                and not self._all[below] <= ends.keys()
                and not self.leads_on(below, ends)
            }
            if not more:
                return
            self._doubtful |= more

    def _has_place(self, bottom: int, symbol: int) -> bool:
        made = self.rules.gotos[bottom].get(symbol)
        return made is not None and bool(self.ends[bottom][made]) and (bottom, made) not in self._doubtful

    def _down(self, state: int, cells: int) -> frozenset[int]:
        """The states that may be so many cells below."""
        if not cells:
            return frozenset({state})
        found = self._reached.get((state, cells))
        if found is None:
            found = frozenset(under for above in self._down(state, cells - 1) for under in self._beneath[above])
            self._reached[state, cells] = found
        return found
