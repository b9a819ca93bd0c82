"""How few tokens an unfinished text still needs, by the LR tables alone.

`benchmarks/grammar_closing.py` compares closings with it, and tests of the grammar ask it for actions and successors.

A yield is the tokens that a symbol or an open rule consists of in the end. The shortest yields are computed without
lookahead, so they may be too short; whoever uses them must ask the automaton about every token.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from decoder.grammar.tables import END_OF_INPUT, START_STATE, bits

if TYPE_CHECKING:
    from decoder.grammar.actions import TableCell
    from decoder.grammar.stack import StackNode
    from decoder.grammar.tables import Tables

_LONGEST_RULE = 14
"""Longer rules are ignored, so what a text needs may be too much where only such a rule ends it."""
_FAR = 1 << 20
"""More tokens than any yield: nothing is known to end there."""


def actions(tables: Tables, state: int) -> dict[int, TableCell]:
    """The actions of a state, by token; a token that is not a key has none."""
    return {token: cell for token in bits(tables.valid_tokens(state)) if (cell := tables.rows[state][token])}


def successors(tables: Tables, state: int) -> list[tuple[int, int]]:
    """The symbols that may be put on top of a state, each with the state that then is on top."""
    shifts = [(token, cell.shift) for token, cell in actions(tables, state).items() if cell.shift]
    nonterminals = range(tables.token_count, tables.symbol_count)
    return shifts + [(symbol, target) for symbol in nonterminals if (target := tables.goto(state, symbol))]


def states(node: StackNode) -> tuple[int, ...]:
    """The states of a stack from the top down; where stacks were merged, those of the first."""
    from_top: list[int] = []
    top: StackNode | None = node
    while top is not None:
        from_top.append(top.state)
        top = top.below
    return tuple(from_top)


class Yields:
    """The shortest yields of one grammar's symbols and stacks."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._into: dict[int, dict[int, list[int]]] = {}
        """By state: the states that may be below it on a stack, each with the symbols that lead from there to it."""
        for state in range(START_STATE, tables.state_count):
            extras = {cell.shift for cell in actions(tables, state).values() if cell.is_extra}
            for symbol, target in successors(tables, state):
                if target not in extras:
                    self._into.setdefault(target, {}).setdefault(state, []).append(symbol)
        self._rules = {
            state: {(r.symbol, r.count) for cell in actions(tables, state).values() for r in cell.reductions if r.count}
            for state in range(START_STATE, tables.state_count)
        }
        """By state: the symbol and the length of each rule that ends there."""
        self.length = self._lengths()
        """By symbol: the fewest tokens that it consists of."""
        self._needs = self._find_needs()

    def needed(self, node: StackNode) -> int:
        """The fewest tokens that complete all open rules of the stack whose top is `node`; `_FAR` if none do.

        A search for the cheapest way, over the depths of the stack and the states that reductions put there.
        """
        stack = list(reversed(states(node)))
        work = [(0, len(stack) - 1, stack[-1])]
        seen: set[tuple[int, int]] = set()
        while work:
            cost, depth, top = heappop(work)
            if (depth, top) in seen:
                continue
            seen.add((depth, top))
            if depth == 0 or (depth == 1 and self._tables.valid_tokens(top) >> END_OF_INPUT & 1):
                return cost
            for (count, symbol), more in self._needs.get(top, {}).items():
                if count > depth:
                    continue
                goto = self._tables.goto(stack[depth - count], symbol)
                if goto and (depth - count + 1, goto) not in seen:
                    heappush(work, (cost + more, depth - count + 1, goto))
        return _FAR

    def _lengths(self) -> list[int]:
        """The shortest yield of each symbol, computed in rounds until nothing changes.

        A token counts as one. Semicolons that the scanner inserts have no text and count as none.
        """
        tables = self._tables
        length = [1 if symbol < tables.token_count else _FAR for symbol in range(tables.symbol_count)]
        for inserted in ("_automatic_semicolon", "_function_signature_automatic_semicolon"):
            if inserted in tables.names[: tables.token_count]:
                length[tables.names.index(inserted)] = 0
        changed = True
        while changed:
            changed = False
            least = {
                target: {origin: min([length[symbol] for symbol in symbols]) for origin, symbols in edges.items()}
                for target, edges in self._into.items()
            }
            known: dict[tuple[int, int], int] = {}
            for state, rules in self._rules.items():
                for symbol, count in rules:
                    tokens = self._back(state, count, least, known)
                    if tokens < length[symbol]:
                        length[symbol] = tokens
                        changed = True
        return length

    def _back(self, state: int, count: int, least: dict[int, dict[int, int]], known: dict[tuple[int, int], int]) -> int:
        """The fewest tokens in the last `count` nodes of any stack with `state` on top.

        Args:
            least: By state, and by the state below it: the fewest tokens of a symbol between them.
            known: The answers of this round, by state and count; filled here.
        """
        if not count:
            return 0
        key = (state, count)
        if key not in known:
            known[key] = min(
                (cost + self._back(origin, count - 1, least, known) for origin, cost in least.get(state, {}).items()),
                default=_FAR,
            )
        return known[key]

    def _find_needs(self) -> dict[int, dict[tuple[int, int], int]]:
        """By state: the open rules that it may be in, and the fewest tokens that complete each.

        A rule is keyed by the number of its nodes up to the state, and its symbol.
        """
        needs: dict[int, dict[tuple[int, int], int]] = {}
        work = [(0, state, count, symbol) for state, rules in self._rules.items() for symbol, count in rules]
        work.sort()
        while work:
            cost, state, count, symbol = heappop(work)
            known = needs.setdefault(state, {})
            if (count, symbol) in known or count > _LONGEST_RULE:
                continue
            known[count, symbol] = cost
            if count > 1:
                for before, symbols in self._into.get(state, {}).items():
                    more = min(self.length[between] for between in symbols)
                    if (count - 1, symbol) not in needs.get(before, {}) and more < _FAR:
                        heappush(work, (cost + more, before, count - 1, symbol))
        return needs
