"""The first child of a node that may have none: tree-sitter raises IndexError then, and code is often half typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index.syntax import Node


def first_named(node: Node | None) -> Node | None:
    """The first named child; None where there is no node or none in it."""
    return node.named_child(0) if node is not None and node.named_child_count else None
