"""Tokens that an LR table lets onto a stack although nothing could follow: found by analysis, once for each grammar.

Tree-sitter shares a state between rules that have a place and rules that have none: `class A { f(a` may go on with `+`,
as within a call, but then no reduction leads anywhere. A compiler notices the error one token later, which is early
enough for it; who asks what may come next needs to know before. So from the tables alone, stricter rules included where
they change them, we find for each state and the state below it the tokens after which no sequence of reductions and
shifts ever takes the cell below.

The answer depends on the two topmost states and the token. Contexts farther down are taken to be any that the tables
allow, so what remains is a superset of the viable prefixes; what is refused is never one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from decoder.grammar.stack import DEAD
from decoder.grammar.strict_shapes import with_check
from decoder.grammar.tables import START_STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from decoder.grammar.actions import Cell
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

    Ways = dict[int, int]
    """By the first token: the tokens that may stand behind, as a bit set."""


@dataclass(frozen=True)
class DeadEnds:
    """The tokens that do not follow although the tables say so, as bit sets."""

    tokens: Mapping[int, int]
    """By state: whatever lies below."""
    over: Mapping[tuple[int, int], int]
    """By the state below and the state."""

    @cached_property
    def _below(self) -> Mapping[tuple[int, int], frozenset[int]]:
        """By state and token: the states below over which the token does not follow."""
        found: dict[tuple[int, int], set[int]] = defaultdict(set)
        for (below, state), tokens in self.over.items():
            for token in _bits(tokens):
                found[state, token].add(below)
        return {key: frozenset(states) for key, states in found.items()}

    def restrict(self, state: int, token: int, cell: Cell) -> Cell:
        """What `state` does with `token`, dead ends left out."""
        if cell.shift is None or cell.is_extra:
            return cell
        if self.tokens.get(state, 0) >> token & 1:
            return replace(cell, shift=None)
        states = self._below.get((state, token))
        if states is None:
            return cell

        def leads_on(node: Node) -> object:
            return None if any(below.state not in states for below in node.beneath()) else DEAD

        return with_check(cell, leads_on)


NONE = DeadEnds({}, {})


def find(tables: Tables, forbids: Callable[[int, int, int], bool] = lambda *_: False) -> DeadEnds:
    """The dead ends of a grammar. Takes 3 to 60 s; the result is worth keeping.

    Args:
        tables: With the stricter rules of the language, if they are to count.
        forbids: Whether one of these rules keeps what leads from a state to another one from becoming a symbol alone.
    """
    search = _Completions(tables, forbids)
    tokens: dict[int, int] = {}
    over: dict[tuple[int, int], int] = {}
    for below in range(START_STATE, tables.state_count):
        alive = search.leading_out_of(below)
        dead = sum(1 << token for token, target in search.shifts[below].items() if not alive[target])
        if dead:
            tokens[below] = dead
        for state, leading_on in alive.items():
            dead = sum(1 << token for token in search.shifts[state]) & ~leading_on
            if dead:
                over[below, state] = dead
    without = {pair: rest for pair, dead in over.items() if (rest := dead & ~tokens.get(pair[1], 0))}
    return DeadEnds(tokens, without)


class _Completions:
    """How rules are completed from each state, told apart by the next token and the token behind.

    The ways of (count, symbol) from a state: its topmost `count` cells and what follows become `symbol`. With a count
    of 0, `symbol` is made of what follows alone.
    """

    def __init__(self, tables: Tables, forbids: Callable[[int, int, int], bool]) -> None:
        count = tables.state_count
        self._forbids = forbids
        self.shifts: list[dict[int, int]] = [{} for _ in range(count)]
        self.gotos: list[dict[int, int]] = [{} for _ in range(count)]
        self.accepts = [0] * count
        self.ways: list[dict[tuple[int, int], Ways]] = [{} for _ in range(count)]
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
                self._extend_behind(state, symbol)

    def leading_out_of(self, below: int) -> dict[int, int]:
        """For each state that can lie on `below`: the next tokens with which something takes `below` in the end."""
        shifts, gotos = self.shifts[below], self.gotos[below]
        alive: dict[int, int] = {}
        units: dict[int, list[tuple[int, Ways]]] = {}
        for state in {*shifts.values(), *gotos.values()}:
            tokens = self.accepts[state]
            units[state] = []
            for (cells, symbol), ways in self.ways[state].items():
                if cells > 1 and below != START_STATE:
                    tokens |= sum(1 << token for token in ways)
                elif cells == 1 and symbol in gotos and not self._forbids(below, state, symbol):
                    units[state].append((gotos[symbol], ways))
            alive[state] = tokens
        changed = True
        while changed:
            changed = False
            for state, made in units.items():
                tokens = alive[state]
                for target, ways in made:
                    on = alive[target]
                    tokens |= sum(1 << token for token, behind in ways.items() if behind & on)
                if tokens != alive[state]:
                    alive[state] = tokens
                    changed = True
        return alive

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

    def _add(self, state: int, cells: int, symbol: int, token: int, behind: int) -> None:
        ways = self.ways[state].setdefault((cells, symbol), {})
        known = ways.get(token, 0)
        if behind & ~known:
            ways[token] = known | behind
            self._work[state, cells, symbol] = None

    def _extend_downwards(self, state: int, cells: int, symbol: int) -> None:
        """The cell of `state` itself is made first, of a token or of a symbol."""
        ways = self.ways[state][cells, symbol]
        behind = 0
        for tokens in ways.values():
            behind |= tokens
        for below, token in self._shifted_to[state]:
            if cells > 1 or not self._forbids(below, state, symbol):
                self._add(below, cells - 1, symbol, token, behind)
        memo: dict[int, int] = {}
        for below, made in self._gone_to[state]:
            if cells > 1 or not self._forbids(below, state, symbol):
                self._chain(below, self.ways[below].get((0, made), {}), ways, (cells - 1, symbol), memo)

    def _extend_behind(self, state: int, symbol: int) -> None:
        """What begins with `symbol` on top of `state`."""
        target = self.gotos[state].get(symbol)
        if target is None:
            return
        first = self.ways[state][0, symbol]
        for (cells, made), ways in list(self.ways[target].items()):
            if cells > 1 or (cells and not self._forbids(state, target, made)):
                self._chain(state, first, ways, (cells - 1, made), {})

    def _chain(self, state: int, first: Ways, then: Ways, completed: tuple[int, int], memo: dict[int, int]) -> None:
        """First one thing, then another that begins with the token behind it."""
        for token, between in list(first.items()):
            behind = memo.get(between)
            if behind is None:
                behind = 0
                for following, tokens in then.items():
                    if between >> following & 1:
                        behind |= tokens
                memo[between] = behind
            if behind:
                self._add(state, *completed, token, behind)


def save(path: Path, dead_ends: DeadEnds, fingerprint: str) -> None:
    """Write dead ends where `load` finds them."""
    by_tokens: dict[int, list[int | list[int]]] = defaultdict(list)
    for state, tokens in sorted(dead_ends.tokens.items()):
        by_tokens[tokens].append(state)
    for pair, tokens in sorted(dead_ends.over.items()):
        by_tokens[tokens].append(list(pair))
    data = {
        "fingerprint": fingerprint,
        "dead": [[list(_bits(tokens)), places] for tokens, places in sorted(by_tokens.items())],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps(data, separators=(",", ":")) + "\n")
    unfinished.replace(path)


def load(path: Path, fingerprint: str) -> DeadEnds | None:
    """The dead ends kept at `path`; None if they are another version's, or damaged."""
    tokens: dict[int, int] = {}
    over: dict[tuple[int, int], int] = {}
    try:
        data = json.loads(path.read_text())
        if data["fingerprint"] != fingerprint:
            return None
        for dead, places in data["dead"]:
            mask = sum(1 << token for token in dead)
            for place in places:
                if isinstance(place, int):
                    tokens[place] = mask
                else:
                    over[place[0], place[1]] = mask
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return None
    return DeadEnds(tokens, over)


def _bits(mask: int) -> list[int]:
    return [token for token in range(mask.bit_length()) if mask >> token & 1]
