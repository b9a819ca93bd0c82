"""Answers about a stack, remembered by the part of it that they depend on.

An answer is found on a copy of the stack that notes how deep it is looked into. For another stack that begins with the
same cells it is the same, so it is looked up cell by cell from the top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from decoder.grammar.stack import Node

if TYPE_CHECKING:
    from collections.abc import Hashable

_Answer = TypeVar("_Answer")


class Watch:
    """How deep stacks have been looked into."""

    __slots__ = ("cells", "is_merged")

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


class Answers(Generic[_Answer]):
    """The answers to one question, by the cells of a stack from the top down."""

    __slots__ = ("_by_cell",)

    def __init__(self) -> None:
        self._by_cell: dict[Hashable, Answers[_Answer] | tuple[_Answer]] = {}

    def find(self, node: Node) -> tuple[_Answer] | None:
        """The answer for the stack under `node`, alone in a tuple; None if it is not known.

        Looks no deeper than the answer did, so a watch on the stack sees just what the answer depends on.
        """
        answers = self
        at: Node | None = node
        while True:
            if at is not None and at.also:
                return None
            found = answers._by_cell.get(_cell(at))
            if found.__class__ is tuple or found is None:
                return found  # told apart by its class, which is faster
            answers = found  # type: ignore[assignment]
            at = at.below if at is not None else None

    def keep(self, node: Node, depth: int, answer: _Answer) -> None:
        """Remember an answer that depends on so many cells of the stack under `node`, its bottom counting as one."""
        answers = self
        at: Node | None = node
        for _ in range(depth - 1):
            following = answers._by_cell.get(_cell(at))
            if not isinstance(following, Answers):
                following = answers._by_cell[_cell(at)] = Answers()
            answers = following
            at = at.below if at is not None else None
        answers._by_cell[_cell(at)] = (answer,)


def _cell(node: Node | None) -> Hashable:
    if node is None:
        return None  # the stack ends
    return node.state if node.mark is None else (node.state, node.mark)
