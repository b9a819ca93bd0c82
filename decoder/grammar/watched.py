"""Answers about a stack, remembered by the part of it that they depend on.

An answer is found on a copy of the stack that notes how deep it is looked into. For another stack that begins with the
same cells it is the same, so it is looked up cell by cell from the top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from decoder.grammar.stack import Node

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_Answer = TypeVar("_Answer")

_BOTTOM: Final = None
"""Instead of a cell: the stack ends."""


class Watch:
    """How deep stacks have been looked into."""

    def __init__(self) -> None:
        self.cells = 0
        """So many from the top."""
        self.is_merged = False
        """A cell lies on several others: which way down was taken is not told by the first of them."""


class WatchedNode(Node):
    """A node without what a semantics knows of it; the cells below are copied when they are looked at."""

    __slots__ = ("_depth", "_original", "_under", "_watch")

    def __init__(self, original: Node, watch: Watch, depth: int = 1) -> None:
        self._original = original
        self._watch = watch
        self._depth = depth
        self._under: Node | None = None
        self.state = original.state
        self.value = None
        self.mark = original.mark
        self.also = tuple(WatchedNode(node, watch, depth + 1) for node in original.also)
        watch.cells = max(watch.cells, depth)
        watch.is_merged |= bool(original.also)

    @property
    def below(self) -> Node | None:  # type: ignore[override]  # what is an attribute of other nodes is asked for here
        """The node directly below; asking for it counts as looking at it."""
        if self._under is None:
            below = self._original.below
            if below is None:
                self._watch.cells = max(self._watch.cells, self._depth + 1)
                return None
            self._under = WatchedNode(below, self._watch, self._depth + 1)
        return self._under


def cells(node: Node) -> list[Hashable]:
    """A stack's cells from the top down, as keys: to its bottom, or to where stacks were merged."""
    found: list[Hashable] = []
    at: Node | None = node
    while at is not None and not at.also:
        found.append((at.state, at.mark) if at.mark is not None else at.state)
        at = at.below
    found.append(_BOTTOM if at is None else at)
    return found


class Answers(Generic[_Answer]):
    """The answers to one question, by stack."""

    def __init__(self) -> None:
        self._by_cell: dict[Hashable, Answers[_Answer] | tuple[_Answer]] = {}

    def find(self, stack: Sequence[Hashable]) -> tuple[_Answer] | None:
        """The answer for a stack, alone in a tuple; None if it is not known."""
        answers = self
        for cell in stack:
            found = answers._by_cell.get(cell)
            if found.__class__ is tuple or found is None:
                return found  # told apart by its class, which is faster
            answers = found  # type: ignore[assignment]
        return None

    def keep(self, stack: Sequence[Hashable], answer: _Answer) -> None:
        """Remember an answer that depends on these cells."""
        answers = self
        for cell in stack[:-1]:
            following = answers._by_cell.get(cell)
            if not isinstance(following, Answers):
                following = answers._by_cell[cell] = Answers()
            answers = following
        answers._by_cell[stack[-1]] = (answer,)
