"""Names that a file exports more than once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from context_index import exports

if TYPE_CHECKING:
    from context_index import Node, Syntax

_LISTS: Final = frozenset({"export_clause", "namespace_export"})


def is_exported_twice(syntax: Syntax, node: Node) -> bool:
    """One under whose name, or under one of whose names, the file exports something else, too.

    Types and overloads have several declarations, but none of them beside a list that names it.
    """
    if node.parent is None or node.parent.type != "program":
        return False
    values, declared, listed = Counter[str](), Counter[str](), Counter[str]()
    for child in syntax.root.children:
        if child.type == "export_statement":
            (listed if _is_list(child) else declared).update(syntax.text(one) for one in exports(child, every=True))
            values.update(syntax.text(one) for one in exports(child))
    if _is_list(node):
        return any(declared[name] or listed[name] > 1 for name in map(syntax.text, exports(node)))
    return any(listed[syntax.text(one)] for one in exports(node, every=True)) or any(
        values[syntax.text(one)] > 1 for one in exports(node)
    )


def is_named_twice(syntax: Syntax, node: Node) -> bool:
    """One in the braces of such an export."""
    clause = node.parent
    return clause is not None and clause.parent is not None and is_exported_twice(syntax, clause.parent)


def _is_list(statement: Node) -> bool:
    return any(child.type in _LISTS for child in statement.children)
