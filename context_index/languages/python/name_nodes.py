"""What a name in a Python text is by the nodes around it: a member, declared there, called, or in an import.

Knows one tree, and none of the questions of a rename; `mentions` and what it inherits ask here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from context_index.languages.python.bindings import TARGET_GROUPS
from context_index.syntax import Node, ancestors, first_part

FUNCTIONS = frozenset({"function_definition", "lambda"})
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_SCOPES = FUNCTIONS | _COMPREHENSIONS | {"class_definition"}
_LAST_PARTS: Mapping[str, str] = MappingProxyType({
    "attribute": "attribute", "call": "function", "list_splat": "", "parenthesized_expression": "",
    "subscript": "value",
})  # fmt: skip
"""By type of an expression, the field with the name by which a checker knows it; empty if that is in the first part."""


def is_member(name: Node) -> bool:
    """Whether a name is after the dot of a value: `total` of `cart.total`."""
    return name.parent is not None and name.parent.child_by_field_name("attribute") == name


def is_in_import(node: Node) -> bool:
    """Whether a name is in an import."""
    return any("import" in around.type for around in ancestors(node))


def is_declared(node: Node) -> bool:
    """Whether a name is what its statement defines or assigns, also as one of several targets."""
    inner = node
    for around in ancestors(node):
        if around.type in ("function_definition", "class_definition"):
            return around.child_by_field_name("name") == inner
        if around.type == "assignment":
            return around.child_by_field_name("left") == inner
        if around.type not in TARGET_GROUPS:
            return False
        inner = around
    return False


def declaring_class(node: Node) -> Node | None:
    """The class whose body defines or assigns a name; None for any other name."""
    scope = scope_around(node)
    return scope if scope is not None and scope.type == "class_definition" and is_declared(node) else None


def scope_around(node: Node) -> Node | None:
    """The function, class or comprehension to whose names a name belongs; None for the module."""
    inner = node
    for around in ancestors(node):
        is_own_name = around.child_by_field_name("name") == inner
        if around.type in _SCOPES and not is_own_name:
            is_in_header = around.type == "class_definition" and around.child_by_field_name("body") != inner
            is_returned_type = around.type == "function_definition" and inner.type == "type"
            if not is_in_header and not is_returned_type:  # these belong to the scope around
                return around
        inner = around
    return None


def called_name(call: Node | None) -> Node | None:
    """The name of the function that a call names: `total` of `shop.total()`; None if it names none."""
    called = None if call is None or call.type != "call" else call.child_by_field_name("function")
    if called is not None and called.type == "attribute":
        called = called.child_by_field_name("attribute")
    return called if called is not None and called.type == "identifier" else None


def last_name(value: Node) -> Node | None:
    """The name by which a checker can be asked for an expression: `Cart` of `shop.Cart[int]`, `make` of `make()`."""
    node: Node | None = value
    while node is not None and (field := _LAST_PARTS.get(node.type)) is not None:
        node = node.child_by_field_name(field) if field else first_part(node)
    return node if node is not None and node.type == "identifier" else None


def first_parameter(function: Node) -> Node | None:
    """The name of a function's first parameter, without its type or default: `self` of `self: Cart`; else None."""
    parameter = first_part(function.child_by_field_name("parameters"))
    return None if parameter is None else first_part(parameter) or parameter
