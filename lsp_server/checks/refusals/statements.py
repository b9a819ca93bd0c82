"""Statements that stand where only others may, or that lack what they need: bodies, labels, loops, `using`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import (
    BODIES,
    Rules,
    is_ambient,
    is_body,
    is_declared_only,
    is_optional,
    is_typed,
    named,
    words,
)

if TYPE_CHECKING:
    from context_index import Node, Syntax

_UNLABELLED: Final = frozenset(
    {
        *("type_alias_declaration", "interface_declaration", "enum_declaration", "function_declaration"),
        *("function_signature", "abstract_class_declaration", "variable_declaration", "ambient_declaration"),
        *("import_statement", "export_statement", "import_alias"),
    }
)
"""What TypeScript takes no label before."""
_PATTERNS: Final = frozenset({"object_pattern", "array_pattern"})


def _labels_declaration(syntax: Syntax, node: Node) -> bool:
    body = node.child_by_field_name("body")
    return body is not None and body.type in _UNLABELLED and is_typed(syntax)


def _does_nothing(syntax: Syntax, node: Node) -> bool:
    """`if (a);`, which TypeScript takes for a mistake."""
    then = node.child_by_field_name("consequence")
    return then is not None and then.type == "empty_statement" and is_typed(syntax)


def _catches_nothing(_: Syntax, node: Node) -> bool:
    """`try {}` alone."""
    body = node.child_by_field_name("body")
    is_alone = all(node.child_by_field_name(field) is None for field in ("handler", "finalizer"))
    return is_alone and body is not None and not node.has_error


def _is_tried_alone(syntax: Syntax, node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "try_statement" and _catches_nothing(syntax, parent)


def _goes_over_nothing(_: Syntax, node: Node) -> bool:
    """`for (a of b, c)`, `for (async of a)`, `for ((a, b) of c)`."""
    operator, left, right = (node.child_by_field_name(field) for field in ("operator", "left", "right"))
    if operator is None or left is None or right is None:
        return False
    is_of = operator.type == "of"
    is_async = left.type == "identifier" and left.text == b"async" and "await" not in words(node)
    inner = left.named_children[0] if left.type == "parenthesized_expression" and left.named_children else left
    has_no_target = inner.type in ("sequence_expression", "call_expression") or is_optional(inner)
    is_declared = node.child_by_field_name("kind") is not None
    return has_no_target or (is_of and (right.type == "sequence_expression" or (is_async and not is_declared)))


def _uses_wrongly(_: Syntax, node: Node) -> bool:
    """`using { a } = b`, and `using` as all that a condition has."""
    if "using" not in words(node):
        return False
    left, statement = node.child_by_field_name("left"), node.parent
    if left is not None and left.type in _PATTERNS:
        return True
    while statement is not None and statement.type == "sequence_expression":
        statement = statement.parent
    return statement is not None and statement.parent is not None and statement.parent.type in BODIES


def _exports_wrongly(syntax: Syntax, node: Node) -> bool:
    """`export as namespace a` outside of declarations, and `export default namespace A {}`."""
    if "as" in words(node) and "namespace" in words(node):
        return not is_declared_only(syntax, node)
    value = node.child_by_field_name("value")
    return value is not None and value.type in ("internal_module", "module")


def _is_named_wrongly(syntax: Syntax, node: Node) -> bool:
    """`module A {}`, which is a `namespace` today, and `module 'a' {}` without `declare`."""
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return name is not None and name.type != "string" and not node.has_error
    is_text = name.type == "string"
    return not is_text or not (is_ambient(node) or is_declared_only(syntax, node))


def _declares_import(_: Syntax, node: Node) -> bool:
    """`declare import a = b`."""
    return any(child.type in ("import_alias", "import_statement") for child in node.children)


def _has_no_attribute(syntax: Syntax, node: Node) -> bool:
    """`with { [type]: 'json' }`: names and strings alone."""
    attributes = next((child for child in node.children if child.type == "object"), None)
    for pair in [] if attributes is None else named(attributes):
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is None or value is None or key.type not in ("property_identifier", "string"):
            return True
        if value.type != "string":
            return is_typed(syntax) or not value.has_error
    return False


RULES: Final[Rules] = {
    "type_alias_declaration": is_body,
    "interface_declaration": is_body,
    "labeled_statement": _labels_declaration,
    "if_statement": _does_nothing,
    "try_statement": _catches_nothing,
    "statement_block": _is_tried_alone,
    "for_in_statement": _goes_over_nothing,
    "assignment_expression": _uses_wrongly,
    "export_statement": _exports_wrongly,
    "module": _is_named_wrongly,
    "ambient_declaration": _declares_import,
    "import_attribute": _has_no_attribute,
}
