"""What stands within `export`, `declare` and the like in JavaScript and TypeScript, and what a namespace holds."""

from __future__ import annotations

from context_index.syntax import Node

NAMESPACES = frozenset({"internal_module", "module"})
WRAPPERS = frozenset({"export_statement", "ambient_declaration", "expression_statement"})
_TYPES_ONLY = frozenset({
    "interface_declaration", "type_alias_declaration", "comment", "import_statement", "export_clause",
})  # fmt: skip


def is_types_only(namespace: Node) -> bool:
    """Whether a namespace holds nothing that exists when the program runs, so that it is no value."""
    body = namespace.child_by_field_name("body")
    if body is None:
        return False
    for child in body.named_children:
        inner, _ = unwrapped(child)
        if inner.type not in _TYPES_ONLY and not (inner.type in NAMESPACES and is_types_only(inner)):
            return False
    return True


def unwrapped(statement: Node) -> tuple[Node, bool]:
    """The declaration in `export declare namespace ...`, and whether there is a `declare`."""
    declared = False
    while statement.type in WRAPPERS and statement.named_children:
        declared = declared or statement.type == "ambient_declaration"
        statement = statement.named_children[-1]
    return statement, declared
