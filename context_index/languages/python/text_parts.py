"""Of which parts an expression of Python puts a text together: constant ones, and computed ones.

`computed_members` and `mentions` ask for them, to know what a computed name begins and ends with.
"""

from __future__ import annotations

from context_index.syntax import Node, Syntax, first_part, parts_of


def text_parts(syntax: Syntax, value: Node) -> list[str | None]:
    """The parts, in order; None for one that is computed, or that has an escape."""
    match value.type:
        case "string":
            return [_constant(syntax, part) for part in value.named_children if _is_content(part)]
        case "concatenated_string":
            return [part for string in parts_of(value) for part in text_parts(syntax, string)]
        case "parenthesized_expression":
            inner = first_part(value)
            return [None] if inner is None else text_parts(syntax, inner)
        case "binary_operator":
            left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
            operator = value.child_by_field_name("operator")
            if left is not None and right is not None and operator is not None:
                if operator.type == "+":
                    return [*text_parts(syntax, left), *text_parts(syntax, right)]
                if operator.type == "%":
                    return _filled_in(text_parts(syntax, left), "%")
        case "call":  # "visit_{}".format(...)
            function = value.child_by_field_name("function")
            receiver = None if function is None else function.child_by_field_name("object")
            member = None if function is None else function.child_by_field_name("attribute")
            if receiver is not None and member is not None and syntax.text(member) == "format":
                return _filled_in(text_parts(syntax, receiver), "{")
    return [None]


def _is_content(part: Node) -> bool:
    return part.type not in ("string_start", "string_end")


def _constant(syntax: Syntax, part: Node) -> str | None:
    """The text of a part of a string; None for an expression, and for a text with an escape."""
    return syntax.text(part) if part.type == "string_content" and not part.named_child_count else None


def _filled_in(parts: list[str | None], sign: str) -> list[str | None]:
    """The parts of a format that gets its values: all from a sign on is computed."""
    first = next(iter(parts), None)
    return [None] if first is None else [first.partition(sign)[0], None]
