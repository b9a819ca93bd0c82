"""Parse stacks that share common parts (Tomita's graph-structured stack), as immutable nodes.

Nodes point downwards only: once nothing refers to the top of a stack, it is freed down to the first node
that another stack needs. Knows nothing of grammars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Dead:
    """The value by which a semantics kills a stack."""


DEAD: Final = _Dead()


class Node:
    """The top of one or several stacks: an LR state, and what is below."""

    __slots__ = ("also", "below", "state", "value")

    def __init__(self, state: int, below: Node | None, value: object = None, also: tuple[Node, ...] = ()) -> None:
        self.state = state
        self.below = below
        self.value = value
        """What a semantics knows about this cell; None without one."""
        self.also = also
        """Further nodes that are directly below, where stacks have been merged."""

    def beneath(self) -> tuple[Node, ...]:
        """All nodes directly below."""
        return () if self.below is None else (self.below, *self.also)

    def paths(self, count: int) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        """Each way down over `count` cells: the node reached and the cells passed, lowest first."""
        if count == 0:
            yield self, ()
            return
        for node in self.beneath():
            for bottom, cells in node.paths(count - 1):
                yield bottom, (*cells, self)


def merged(nodes: list[Node]) -> Node:
    """One node for tops of equal state and value."""
    first = nodes[0]
    below = list({id(node): node for top in nodes for node in top.beneath()}.values())
    if len(below) == 1:
        return first
    return Node(first.state, below[0], first.value, tuple(below[1:]))
