"""Enums: names that are known, and numbers to count on from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsp_server.checks.refusals.rule import Rules, is_ambient, named

if TYPE_CHECKING:
    from context_index import Node, Syntax

_NUMERIC: Final = frozenset({"number", "identifier", "member_expression", "subscript_expression"})
_OF_NUMBERS: Final = frozenset({"binary_expression", "unary_expression", "parenthesized_expression"})
_TEXTS: Final = frozenset({"string", "template_string"})


def _has_no_number(syntax: Syntax, node: Node) -> bool:
    """An enum in which nothing is behind what is no number, or with a name that is computed or there twice."""
    can_count, names = True, set[str]()
    for member in named(node):
        value = member.child_by_field_name("value")
        name = member.child_by_field_name("name") or member
        if (value is None and not can_count) or _is_computed(name) or syntax.text(name) in names:
            return True
        if value is not None and value.type == "call_expression" and is_ambient(node):
            return True
        can_count = value is None or _is_number(value)
        names.add(syntax.text(name))
    return False


def _is_number(value: Node) -> bool:
    """Whether a number may be known of it, and one more be counted."""
    if value.type in _OF_NUMBERS:
        return all(map(_is_number, named(value)))
    receiver = value.child_by_field_name("object")
    return value.type in _NUMERIC and (receiver is None or receiver.type not in _TEXTS)


def _is_computed(name: Node) -> bool:
    inner = name.named_children[0] if name.named_children else None
    return name.type == "computed_property_name" and (inner is None or inner.type not in _TEXTS)


RULES: Final[Rules] = {"enum_body": _has_no_number}
