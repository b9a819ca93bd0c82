"""Words of Python that stand only inside of something: functions, loops, comprehensions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from decoder.grammar.strict_places import Place, PythonPlaces
from decoder.grammar.strict_shapes import dead_unless, with_check

if TYPE_CHECKING:
    from decoder.grammar.actions import Cell
    from decoder.grammar.stack import Node
    from decoder.grammar.strict_shapes import Shapes
    from decoder.grammar.tables import Tables

_RETURNING: Final = frozenset({Place.FUNCTION, Place.ASYNC, Place.UNKNOWN})
_YIELDING: Final = frozenset({Place.FUNCTION, Place.ASYNC, Place.GENERATOR, Place.UNKNOWN})
_AWAITING: Final = frozenset({Place.ASYNC, Place.UNKNOWN})


class PlacedWords:
    """Looks for what is around a word where it is read."""

    def __init__(self, tables: Tables, shapes: Shapes) -> None:
        self._tables = tables
        self._shapes = shapes
        self._places = PythonPlaces(shapes)

    def restrict(self, name: str, state: int, cell: Cell) -> Cell:
        """What `state` does with the token `name`."""
        if self._shapes.is_after(state, "async"):
            kept = tuple(r for r in cell.reductions if r.count != 1)  # no name is spelled `async`
            cell = replace(cell, reductions=kept)
            if name in ("for", "with"):
                return with_check(cell, self._may_be_async)
        if name == "async" and self._only_for_follows(cell):
            return with_check(cell, self._may_be_async_on)
        if name == "from" and self._shapes.is_after(state, "yield"):
            return with_check(cell, self._may_yield_from)
        if name == "return":
            return with_check(cell, self._may_return)
        if name == "yield":
            return with_check(cell, self._may_yield)
        if name == "await":
            return with_check(cell, self._may_await)
        if name in ("break", "continue"):
            return with_check(cell, self._may_break)
        return cell

    def _only_for_follows(self, cell: Cell) -> bool:
        """Whether `async` can be nothing but the beginning of a comprehension's clause."""
        if cell.shift is None:
            return False
        after = self._tables.unrestricted(cell.shift).items()
        return {self._tables.names[token] for token, one in after if one.shift and not one.is_extra} <= {"for"}

    def may_be_named(self, node: Node) -> object:
        """The check of `as`."""
        return dead_unless(self._places.may_be_named(node))

    def _may_return(self, node: Node) -> object:
        return dead_unless(self._places.function(node) in _RETURNING)

    def _may_yield(self, node: Node) -> object:
        return dead_unless(self._places.function(node) in _YIELDING)

    def _may_await(self, node: Node) -> object:
        return dead_unless(self._places.function(node) in _AWAITING)

    def _may_break(self, node: Node) -> object:
        return dead_unless(self._places.has_loop(node))

    def _may_be_async(self, word: Node) -> object:
        return None if word.below is None else self._may_be_async_on(word.below)

    def _may_be_async_on(self, below: Node) -> object:
        if self._places.is_in_generator_expression(below):
            return None
        return dead_unless(self._places.function(below) in _AWAITING)

    def _may_yield_from(self, word: Node) -> object:
        return dead_unless(self._places.function(word) is not Place.ASYNC)
