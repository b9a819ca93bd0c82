"""What a statement cannot begin with, and what cannot be called, stepped or left out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import RECEIVERS, Rules, is_optional

if TYPE_CHECKING:
    from context_index import Node, Syntax

_NO_STATEMENTS: Final = frozenset({"{", "function", "class"})
_BOUND_LOOSER: Final = frozenset(
    {
        *("update_expression", "unary_expression", "binary_expression", "ternary_expression", "yield_expression"),
        *("assignment_expression", "augmented_assignment_expression", "await_expression"),
        "sequence_expression",
    }
)
"""What has no members and cannot be called without parentheses."""
_LISTS: Final = (
    *("arguments", "object", "object_pattern", "formal_parameters", "named_imports", "export_clause", "enum_body"),
    *("type_arguments", "type_parameters"),
)
_SEPARATORS: Final = frozenset({",", ";"})
_UNLABELLED: Final = frozenset({"lexical_declaration", "class_declaration", "generator_function_declaration"})
_STEPPED: Final = frozenset(
    {
        *("identifier", "member_expression", "subscript_expression", "parenthesized_expression"),
        *("non_null_expression", "undefined"),
    }
)


def _begins_wrongly(_: Syntax, node: Node) -> bool:
    """`{ a: 1, }`, where the brace opens a block; `function () {}`, which lacks a name; `let [a`."""
    leaf = _first(node)
    if leaf.type == "async":
        return leaf.next_sibling is not None and leaf.next_sibling.type == "function"
    return leaf.type in _NO_STATEMENTS


def _has_object_for_body(_: Syntax, node: Node) -> bool:
    """`() => { a: 1, }`: behind an arrow, too, the brace opens a block."""
    body = node.child_by_field_name("body")
    return body is not None and body.type != "statement_block" and _first(body).type == "{"


def _first(node: Node) -> Node:
    while node.children:
        node = node.children[0]
    return node


def _has_loose_receiver(_: Syntax, node: Node) -> bool:
    """`a++.b`, `a--()`, which some shared states of the grammar let pass.

    `!a<B>(c)` it sees so as well, where all is right.
    """
    if node.child_by_field_name("type_arguments") is not None:
        return False
    receiver = node.child_by_field_name(RECEIVERS[node.type])
    return receiver is not None and receiver.type in _BOUND_LOOSER


def _steps_no_target(_: Syntax, node: Node) -> bool:
    """`--'a'`, and `a?.b++`."""
    target = node.child_by_field_name("argument")
    return target is not None and (target.type not in _STEPPED or is_optional(target))


def _assigns_optional(_: Syntax, node: Node) -> bool:
    """`a?.b = c`."""
    target = node.child_by_field_name("left")
    return target is not None and is_optional(target)


def _leaves_out(_: Syntax, node: Node) -> bool:
    """`f(, a)`, `{ a, , b }`."""
    kinds = [child.type for child in node.children if child.type != "comment"]
    return any(kind == "," and before in ("(", "{", "<", ",") for before, kind in pairwise(kinds))


def _leaves_out_member(_: Syntax, node: Node) -> bool:
    """`{ , a: B }` and `{ a: B;, }` of a type."""
    kinds = [child.type for child in node.children if child.type != "comment"]
    return any(kind in _SEPARATORS and before in ("{", *_SEPARATORS) for before, kind in pairwise(kinds))


def _labels_declaration(_: Syntax, node: Node) -> bool:
    """`a:` above a declaration."""
    body = node.child_by_field_name("body")
    return body is not None and body.type in _UNLABELLED


def _throws_below(_: Syntax, node: Node) -> bool:
    """`throw` with what it throws on another line."""
    thrown = node.named_children[0] if node.named_children else None
    return thrown is not None and node.start_point[0] < thrown.start_point[0]


def _exports_name_alone(_: Syntax, node: Node) -> bool:
    """`export` within a type, where the grammar has statements."""
    return node.parent is not None and node.parent.type in ("object_type", "interface_body", "class_body")


RULES_AROUND: Final[Rules] = {
    "expression_statement": _begins_wrongly,
    "arrow_function": _has_object_for_body,
}
"""Of what may begin before the text, which makes something else of it."""
RULES: Final[Rules] = {
    **RULES_AROUND,
    "object_type": _leaves_out_member,
    "interface_body": _leaves_out_member,
    "labeled_statement": _labels_declaration,
    **dict.fromkeys(RECEIVERS, _has_loose_receiver),
    "update_expression": _steps_no_target,
    "assignment_expression": _assigns_optional,
    "augmented_assignment_expression": _assigns_optional,
    **dict.fromkeys(_LISTS, _leaves_out),
    "throw_statement": _throws_below,
    "export_statement": _exports_name_alone,
}
