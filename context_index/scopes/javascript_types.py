"""Names that a type of TypeScript introduces for another part of itself: mapped types and `infer`."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.syntax import Node, Syntax


def names_within_type(syntax: Syntax, node: Node, offset: int) -> Iterator[Node]:
    """The names that one node of a type introduces and that are visible at an offset."""
    if node.type == "index_signature":
        clause = next((child for child in node.children if child.type == "mapped_type_clause"), None)
        name = None if clause is None else clause.child_by_field_name("name")
        if name is not None and offset > syntax.end(name):
            yield name
    elif node.type == "conditional_type":
        then, right = node.child_by_field_name("consequence"), node.child_by_field_name("right")
        if then is not None and right is not None and syntax.start(then) <= offset <= syntax.end(then):
            yield from _inferred(right)


def _inferred(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        inner = pending.pop()
        if inner.type == "infer_type" and inner.named_children:
            yield inner.named_children[0]
        pending.extend(inner.named_children)
