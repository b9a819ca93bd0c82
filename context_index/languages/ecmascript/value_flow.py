"""Of which names a value of JavaScript or TypeScript is made, and which values a variable gets but by calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from context_index.languages.ecmascript.declarations import VALUE_FUNCTIONS
from context_index.languages.ecmascript.given_values import last_name
from context_index.mentions import ValueParts, ValueSource
from context_index.syntax import Node, Syntax, first_part, parts_of

_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "assignment_expression": ("right",), "binary_expression": ("left", "right"),
    "ternary_expression": ("consequence", "alternative"),
})  # fmt: skip
"""By type of an expression that is one of others in it, the fields with those."""
_SAME_VALUE = frozenset({
    "as_expression", "await_expression", "non_null_expression", "parenthesized_expression", "satisfies_expression",
    "spread_element",
})  # fmt: skip
"""The types of nodes whose value is that of their first part."""
_LISTS: Mapping[str, int | None] = MappingProxyType({"array": None, "subscript_expression": 1})
"""By type of an expression that is a list or an element of one, how many of its parts have the elements."""
_PARAMETERS = frozenset({"formal_parameters", "optional_parameter", "required_parameter"})


def value_parts(syntax: Syntax, value: Node, *, is_deep: bool) -> ValueParts:
    """See `MentionRules.value_parts`."""
    names, keys, pending = list[Node](), list[Node](), [value]
    while pending:
        node = pending.pop()
        if node.type in _SAME_VALUE:
            pending += filter(None, [first_part(node)])
        elif (fields := _CHOICES.get(node.type)) is not None:
            pending += filter(None, map(node.child_by_field_name, fields))
        elif node.type in _LISTS:
            pending += parts_of(node)[: _LISTS[node.type]] if is_deep else ()
        elif node.type == "object":
            for part in parts_of(node):
                is_name = part.type == "shorthand_property_identifier"
                key = part if is_name else part.child_by_field_name("key") or part.child_by_field_name("name")
                keys += [first_part(key) or key] if key is not None else []
                names += [part] if is_deep and is_name else []
                is_value = part.type == "spread_element" or (is_deep and part.type == "pair")
                pending += [part.child_by_field_name("value") or part] if is_value else []
        elif (name := last_name(node)) is not None:
            names.append(name)
    return ValueParts(tuple(map(syntax.start, names)), tuple(map(syntax.start, keys)))


def sources_of(name: Node) -> Iterator[ValueSource]:
    """Of a variable, its value, and what a loop goes through; of a callback's parameter, whose elements it may get.

    That is the receiver of the call that gets the callback: `carts` of `carts.map(cart => ...)`. Of a pattern's names
    those count that get elements, or all members that are left: the checker knows what a member is.
    """
    inner, holder, is_part, without = name, name.parent, False, frozenset[str]()
    if holder is not None and holder.type == "rest_pattern" and holder.parent is not None:
        inner, holder = holder.parent, holder.parent.parent
        without = frozenset(_keys_of_pattern(inner))
    elif holder is not None and holder.type == "array_pattern":
        inner, holder, is_part = holder, holder.parent, True
    match None if holder is None else holder.type:
        case "variable_declarator" if holder is not None and holder.child_by_field_name("name") == inner:
            value = holder.child_by_field_name("value")
            if value is not None:
                yield ValueSource(value, is_part, without)
        case "for_in_statement" if holder is not None and holder.child_by_field_name("left") == inner:
            right, operator = holder.child_by_field_name("right"), holder.child_by_field_name("operator")
            if right is not None and operator is not None and operator.type == "of":
                yield ValueSource(right, is_part=True)
        case _:
            while holder is not None and holder.type in _PARAMETERS:
                holder = holder.parent
            receiver = None if holder is None else _receiver_of_callback(holder)
            if receiver is not None:
                yield ValueSource(receiver, is_part=True)


def _keys_of_pattern(pattern: Node) -> Iterator[str]:
    """The names of the members that a pattern of an object takes."""
    for part in parts_of(pattern):
        key = part.child_by_field_name("key") or part.child_by_field_name("left") or part
        yield (key.text or b"").decode()


def _receiver_of_callback(function: Node) -> Node | None:
    """The value before the dot of the call that gets a function without a name; None if there is no such call."""
    given = function.parent if function.type in VALUE_FUNCTIONS else None
    call = given.parent if given is not None and given.type == "arguments" else None
    called = None if call is None else call.child_by_field_name("function")
    return None if called is None else called.child_by_field_name("object")
