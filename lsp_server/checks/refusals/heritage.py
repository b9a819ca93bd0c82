"""What a class may extend and implement, and parameters of types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules, named

if TYPE_CHECKING:
    from context_index import Node, Syntax

_LOOSE: Final = frozenset(
    {
        *("binary_expression", "unary_expression", "update_expression", "ternary_expression", "await_expression"),
        *("assignment_expression", "augmented_assignment_expression", "arrow_function", "yield_expression"),
        *("as_expression", "satisfies_expression", "sequence_expression"),
    }
)
"""What would have to stand in parentheses."""
_NO_NAMES: Final = frozenset(
    {
        *("union_type", "intersection_type", "array_type", "type_query", "index_type_query", "function_type"),
        *("conditional_type", "constructor_type", "readonly_type", "lookup_type"),
    }
)


def _extends_loosely(_: Syntax, node: Node) -> bool:
    """`class A extends B | C`."""
    return any(child.type in _LOOSE for child in node.named_children)


def _implements_no_name(_: Syntax, node: Node) -> bool:
    """`class A implements B | C`."""
    return any(child.type in _NO_NAMES for child in node.named_children)


def _has_parameter_twice(syntax: Syntax, node: Node) -> bool:
    """`<T, T>`."""
    names = [syntax.text(name) for one in named(node) if (name := one.child_by_field_name("name")) is not None]
    return len(names) != len(set(names))


RULES_AROUND: Final[Rules] = {"extends_clause": _extends_loosely, "class_heritage": _extends_loosely}
"""Of what may begin before the text, which makes something else of it."""
RULES: Final[Rules] = {
    **RULES_AROUND,
    "implements_clause": _implements_no_name,
    "type_parameters": _has_parameter_twice,
}
