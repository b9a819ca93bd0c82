"""What the calls of a text of JavaScript or TypeScript give to functions, and by which names a checker knows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from context_index.languages.ecmascript.declarations import FUNCTIONS
from context_index.mentions import GivenValues
from context_index.syntax import Node, Syntax, first_part, nodes_of, parts_of

_LAST_PARTS = {
    "arguments": "", "as_expression": "", "await_expression": "", "call_expression": "function",
    "member_expression": "property", "new_expression": "constructor", "non_null_expression": "",
    "parenthesized_expression": "", "satisfies_expression": "",
}  # fmt: skip
"""By type of an expression: the field with the name that is said last, as `total` in `cart.total`.

It is empty if that is in the expression's first part: `cart` in `cart as Cart`.
"""
_MADE_OF_PARTS = frozenset({"arguments", "array", "object"})
"""The types of nodes that are made of all their parts."""
_VALUE_FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "as_expression": (), "await_expression": (), "pair": ("value",), "parenthesized_expression": (),
    "satisfies_expression": (), "spread_element": (), "ternary_expression": ("consequence", "alternative"),
})  # fmt: skip
"""By type of a node that has values in it, the fields with them; where there are none, the first part is the value."""


def given_values(syntax: Syntax) -> Iterator[GivenValues]:
    """See `MentionRules.given_values`."""
    for call in nodes_of(syntax, "call_expression", "new_expression"):
        function = call.child_by_field_name("function") or call.child_by_field_name("constructor")
        given = call.child_by_field_name("arguments")
        if function is None or given is None:
            continue
        parts = list(_parts_of_given(given))
        names = (last_name(part) for part, is_key in parts if not is_key)
        starts = tuple(syntax.start(name) for name in names if name is not None)
        keys = tuple(syntax.start(part) for part, is_key in parts if is_key)
        if starts or keys:
            called = function.child_by_field_name("property") or function
            yield GivenValues(syntax.start(call), syntax.start(called), starts, keys)


def last_name(value: Node) -> Node | None:
    """The name by which a checker can be asked for the type of a value: `cart` of `shop.cart`; None without a name."""
    node: Node | None = value
    while node is not None and node.type in _LAST_PARTS:
        field = _LAST_PARTS[node.type]
        node = node.child_by_field_name(field) if field else first_part(node)
    is_name = node is not None and (node.type == "this" or node.type.endswith("identifier"))
    return node if is_name else None


def _parts_of_given(given: Node) -> Iterator[tuple[Node, bool]]:
    """The values that arguments and the literals in them consist of, and the keys of these literals, in no order.

    Each with whether it is a key. Functions are left out: what they say is not what they are.
    """
    pending = [given]
    while pending:
        node = pending.pop()
        if node.type in _MADE_OF_PARTS:
            pending += parts_of(node)
        elif (fields := _VALUE_FIELDS.get(node.type)) is not None:
            pending += filter(None, map(node.child_by_field_name, fields) if fields else [first_part(node)])
        elif node.type not in FUNCTIONS:
            yield node, False
        is_method = node.type == "method_definition"
        key = node.child_by_field_name("name" if is_method else "key") if is_method or node.type == "pair" else None
        if key is not None:
            yield (first_part(key) or key), True
        elif node.type == "shorthand_property_identifier":
            yield node, True
