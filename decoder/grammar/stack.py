"""Parse stacks that share common parts (Tomita's graph-structured stack), as immutable nodes.

Nodes point downwards only. Once nothing refers to the top of a stack, its nodes are freed down to the first one that
another stack needs. What a value of a node means is known to `lr.Semantics` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Dead:
    """The type of `DEAD`, the value by which `lr.Semantics` drops a stack."""


DEAD: Final = _Dead()


class StackNode:
    """The top of one or several stacks: an LR state, and what is below."""

    __slots__ = ("also", "below", "state", "value")

    def __init__(
        self, state: int, below: StackNode | None, value: object = None, also: tuple[StackNode, ...] = ()
    ) -> None:
        self.state = state
        self.below = below
        self.value = value
        """What `lr.Semantics` knows about this node; None without semantics."""
        self.also = also
        """Further nodes directly below, where several stacks have been merged into one."""

    def beneath(self) -> tuple[StackNode, ...]:
        """All nodes directly below."""
        return () if self.below is None else (self.below, *self.also)

    def paths(self, count: int) -> Iterator[tuple[StackNode, tuple[StackNode, ...]]]:
        """Each way down over `count` nodes: the node below them, and the nodes, lowest first.

        There are several ways where stacks have been merged, and none where the stack has fewer nodes.
        """
        if count == 0:
            yield self, ()
            return
        for node in self.beneath():
            for bottom, nodes in node.paths(count - 1):
                yield bottom, (*nodes, self)


def merged(nodes: list[StackNode]) -> StackNode:
    """One node for several tops, which must have the same state and value: below it is all that is below them."""
    first = nodes[0]
    below = list({id(node): node for top in nodes for node in top.beneath()}.values())
    if len(below) == 1:
        return first
    return StackNode(first.state, below[0], first.value, tuple(below[1:]))
