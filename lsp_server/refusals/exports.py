"""Names that a file exports more than once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from context_index import pattern_names
from lsp_server.refusals.rule import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_index import Node, Syntax

_VALUES: Final = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
_VARIABLES: Final = frozenset({"variable_declaration", "lexical_declaration"})


def is_exported_twice(syntax: Syntax, node: Node) -> bool:
    """One under whose name, or under one of whose names, the file exports something else, too."""
    if node.parent is None or node.parent.type != "program":
        return False
    names = Counter(syntax.text(name) for child in syntax.root.children for name in _exported(child))
    return any(names[syntax.text(name)] > 1 for name in _exported(node))


def is_named_twice(syntax: Syntax, node: Node) -> bool:
    """One in the braces of such an export."""
    clause = node.parent
    return clause is not None and clause.parent is not None and is_exported_twice(syntax, clause.parent)


def _exported(statement: Node) -> Iterator[Node]:
    """What an export names: the names in its braces, that of a whole module, `default`, and those of values."""
    if statement.type != "export_statement":
        return
    for part in statement.children:
        if part.type == "namespace_export":
            yield from part.named_children
        for one in part.named_children if part.type == "export_clause" else ():
            if (name := one.child_by_field_name("alias") or one.child_by_field_name("name")) is not None:
                yield name
    declared = statement.child_by_field_name("declaration")
    if declared is None or declared.type in _VALUES:
        yield from (child for child in statement.children if child.type == "default")
    if declared is not None and "default" not in words(statement):
        yield from _declared(declared)


def _declared(declaration: Node) -> Iterator[Node]:
    """The names of values that a declaration declares."""
    if declaration.type in _VALUES:
        yield from filter(None, [declaration.child_by_field_name("name")])
    for declarator in declaration.named_children if declaration.type in _VARIABLES else ():
        if (name := declarator.child_by_field_name("name")) is not None:
            yield from pattern_names(name)
