"""Answers about a stack, remembered by the part of it that they depend on.

An answer is found on a copy of the stack that notes how deep it is looked into. For another stack that begins with the
same cells it is the same, so it is looked up cell by cell from the top. Beginnings of stacks are numbered, and answers
are numbers too: a collector of garbage looks at containers of numbers once, and never again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.grammar.stack import Node

if TYPE_CHECKING:
    from collections.abc import Hashable

BYTES_OF_CELL: Final = 120
"""What it costs to remember an answer, for each cell of the stack that it depends on."""
_DEEPER: Final = -1
"""Instead of an answer: more of the stack must be known."""


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
        self.also = tuple(WatchedNode(node, watch, depth + 1) for node in original.also) if original.also else ()
        watch.cells = max(watch.cells, depth)
        if original.also:
            watch.is_merged = True

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


class Ways:
    """Numbers for the beginnings of stacks: the same cells from the top down, the same number."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, Hashable], int] = {}
        """By the number of all cells but the last, and the last."""

    def down(self, node: Node) -> Way:
        """The way down from a node."""
        return Way(self, node)


class Way:
    """The beginnings of one stack, numbered as far as somebody has asked."""

    __slots__ = ("_at", "_is_over", "_ways", "numbers")

    def __init__(self, ways: Ways, node: Node) -> None:
        self._ways = ways
        self._at: Node | None = node
        self._is_over = False
        self.numbers: list[int] = []
        """For 1, 2, ... cells from the top, the bottom of the stack counting as one."""

    def go_on(self) -> bool:
        """Number one cell more; False where the stack has no more, or where it is merged of several."""
        if self._is_over:
            return False
        at = self._at
        if self.numbers:
            if at is None:
                self._is_over = True
                return False
            at = self._at = at.below
        if at is not None and at.also:
            self._is_over = True
            return False
        cell: Hashable = None  # the stack ends
        if at is not None:
            cell = at.state if at.mark is None else (at.state, at.mark)
        numbers = self._ways.numbers
        key = (self.numbers[-1] if self.numbers else -1, cell)
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = len(numbers)
        self.numbers.append(number)
        return True

    def bottom(self) -> int | None:
        """The number of the whole stack; None if it is merged of several."""
        while self.go_on():
            pass
        return self.numbers[-1] if self._at is None else None


class Answers:
    """The answers to one question, numbers from 0 on, by the cells of a stack from the top down."""

    __slots__ = ("_by_way",)

    def __init__(self) -> None:
        self._by_way: dict[int, int] = {}

    def find(self, way: Way) -> int | None:
        """The answer for a stack; None if it is not known.

        Looks no deeper than the answer did, so a watch on the stack sees just what the answer depends on.
        """
        by_way, numbers = self._by_way, way.numbers
        depth = 0
        while True:
            if depth == len(numbers) and not way.go_on():
                return None
            found = by_way.get(numbers[depth])
            if found != _DEEPER:
                return found
            depth += 1

    def keep(self, way: Way, depth: int, answer: int) -> None:
        """Remember an answer that depends on so many cells of a stack, its bottom counting as one."""
        numbers = way.numbers
        while len(numbers) < depth:
            if not way.go_on():
                return
        for number in numbers[: depth - 1]:
            self._by_way[number] = _DEEPER
        self._by_way[numbers[depth - 1]] = answer
