"""Of which parts an expression of JavaScript puts a text together: constant ones, and computed ones.

`name_reads` asks for them, to know what a computed name begins and ends with.
"""

from __future__ import annotations

from context_index.syntax import Node, Syntax, first_part

_AROUND = frozenset({"as_expression", "parenthesized_expression", "satisfies_expression"})
"""The types of expressions whose value is that of their first part."""


def text_parts(syntax: Syntax, value: Node) -> list[str | None]:
    """The parts, in order; None for one that is computed, or that has an escape."""
    if value.type in ("string", "template_string"):
        return [syntax.text(part) if part.type == "string_fragment" else None for part in value.named_children]
    if value.type in _AROUND and (inner := first_part(value)) is not None:
        return text_parts(syntax, inner)
    if value.type == "binary_expression":
        left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        operator = value.child_by_field_name("operator")
        if left is not None and right is not None and operator is not None and operator.type == "+":
            return [*text_parts(syntax, left), *text_parts(syntax, right)]
    return [None]
