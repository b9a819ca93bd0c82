"""Symbols that have no place where they usually have one, for what they are made of: no member is a parameter.

The tables put both on the same stacks. Said here once, for the rules that keep the automaton from doing so and for the
search for dead ends, which must know what will not be done: there, what is misplaced is a symbol of its own that has
fewer places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from decoder.grammar.by_state import ByState
from decoder.grammar.stack import DEAD
from decoder.grammar.strict_shapes import checked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from decoder.grammar.actions import Cell, Reduce
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables


@dataclass(frozen=True, slots=True)
class Misplaced:
    """One kind of reductions that lead nowhere on top of some states."""

    symbol: int
    cells: int
    """How many the reduction takes."""
    made_in: frozenset[int]
    """The states in which it is made."""
    places: frozenset[int]
    """The states on top of which its symbol has no place then."""

    def is_made(self, state: int, reduction: Reduce) -> bool:
        """Whether a reduction in `state` is one of these."""
        return state in self.made_in and (reduction.symbol, reduction.count) == (self.symbol, self.cells)


class Misplacements:
    """All of one language. Each has a number as a symbol, behind those of the grammar."""

    def __init__(self, tables: Tables, kinds: Sequence[Misplaced] = ()) -> None:
        self._tables = tables
        self._kinds = kinds
        self._checks = [partial(_check, ByState(kind.places.__contains__)) for kind in kinds]

    def restrict(self, state: int, cell: Cell) -> Cell:
        """What `state` does with a token, without putting anything where it has no place."""
        if not any(kind.is_made(state, reduction) for kind in self._kinds for reduction in cell.reductions):
            return cell
        return replace(cell, reductions=tuple(self._restricted(state, reduction) for reduction in cell.reductions))

    def _restricted(self, state: int, reduction: Reduce) -> Reduce:
        for kind, check in zip(self._kinds, self._checks, strict=True):
            if kind.is_made(state, reduction):
                return checked(reduction, check)
        return reduction

    def symbol(self, state: int, reduction: Reduce) -> int:
        """What a reduction in `state` makes, as a symbol of its own where it has fewer places."""
        for number, kind in enumerate(self._kinds):
            if kind.is_made(state, reduction):
                return self._tables.symbol_count + number
        return reduction.symbol

    def symbols_on(self, state: int, symbol: int) -> Iterator[int]:
        """What may be put on top of `state` where the tables allow `symbol`: that, and its kinds that have a place."""
        yield symbol
        for number, kind in enumerate(self._kinds):
            if kind.symbol == symbol and state not in kind.places:
                yield self._tables.symbol_count + number

    def goto(self, state: int, symbol: int) -> int:
        """The state after a symbol, one of ours or of the grammar, has been put on top of `state`; 0 for none."""
        number = symbol - self._tables.symbol_count
        if number < 0:
            return self._tables.goto(state, symbol)
        kind = self._kinds[number]
        return 0 if state in kind.places else self._tables.goto(state, kind.symbol)


def _check(places: ByState[bool], below: Node, _: tuple[Node, ...]) -> object:
    """The rule for a reduction that has no place on some states."""
    return DEAD if below.told(places) else None
