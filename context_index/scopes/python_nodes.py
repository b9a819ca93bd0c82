"""The nodes that run in one scope of Python: what a function, a class or a lambda holds runs in a scope of its own."""

from __future__ import annotations

from collections.abc import Iterator

from context_index.syntax import Node

_OTHER_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})
BLOCKS = frozenset({
    "block", "if_statement", "elif_clause", "else_clause", "for_statement", "while_statement", "try_statement",
    "except_clause", "except_group_clause", "finally_clause", "with_statement", "match_statement", "case_clause",
})  # fmt: skip
"""Nodes whose statements run in the enclosing scope."""
_STATEMENTS = BLOCKS | {
    *("module", "with_clause", "with_item", "decorated_definition", "expression_statement", "assignment", "ERROR"),
}


def own_nodes(node: Node, *, expressions: bool, within: bool = True) -> Iterator[Node]:
    """The nodes below a node that run in its scope, itself first.

    Args:
        expressions: Whether expressions are entered, too, as they must be where there may be a walrus.
        within: Whether the node's own scope is meant, if it has one, and not the scope around it.
    """
    pending = [node]
    while pending:
        inner = pending.pop()
        yield inner
        entered = within and inner is node
        if not entered and inner.type in _OTHER_SCOPES:
            if expressions:
                pending.extend(_evaluated_around(inner))
        elif expressions or entered or inner.type in _STATEMENTS:
            pending.extend(reversed(inner.named_children))


def _evaluated_around(definition: Node) -> Iterator[Node]:
    """The parts of a function, class or lambda that are evaluated around it."""
    for field in ("parameters", "superclasses", "return_type"):
        part = definition.child_by_field_name(field)
        if part is not None:
            yield part
