"""The first child of a node, or None: tree-sitter raises IndexError where a node of half-typed code has no children."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index.syntax import Node


def first_named(node: Node | None) -> Node | None:
    """The first named child; None where there is no node or none in it."""
    return node.named_child(0) if node is not None and node.named_child_count else None
