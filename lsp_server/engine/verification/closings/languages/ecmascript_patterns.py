"""The type of a value that is still to come and that a pattern of ECMAScript takes apart, by the pattern alone.

Of what is unknown nothing is said. But a default that is a function needs a type that is one: unknown types give none
to its parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Node, Syntax

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_CALLED = f"(...{PLACEHOLDER}: any) => any"
_UNKNOWN = "any"


def expected_type(syntax: Syntax, pattern: Node) -> str:
    """The type of what a pattern takes apart; a placeholder where nothing is known of it."""
    found = _type_of(syntax, pattern)
    return PLACEHOLDER if found == _UNKNOWN else found


def _type_of(syntax: Syntax, node: Node | None) -> str:
    """The type that a pattern, or a default, needs to be given."""
    if node is None:
        return _UNKNOWN
    if node.type in _FUNCTIONS:
        return _CALLED
    parts = [one for one in node.children if one.type != "comment"]
    match node.type:
        case "parenthesized_expression":
            return _type_of(syntax, node.named_children[0] if node.named_children else None)
        case "assignment_pattern" | "object_assignment_pattern":
            left, right = (_type_of(syntax, node.child_by_field_name(field)) for field in ("left", "right"))
            return right if left == _UNKNOWN else left
        case "object_pattern" | "object":
            return _of_members(dict(_members(syntax, parts)))
        case "array_pattern" | "array":
            return _of_elements(list(_elements(syntax, parts)))
    return _UNKNOWN


def _of_members(members: dict[str, str]) -> str:
    said = "".join(f"; {name}?: {found}" for name, found in members.items() if found != _UNKNOWN)
    return f"{{ [{PLACEHOLDER}: string]: any{said} }}" if said else _UNKNOWN


def _of_elements(elements: Sequence[str]) -> str:
    if all(one == _UNKNOWN for one in elements):
        return _UNKNOWN
    return f"[{', '.join(f'({one})?' for one in elements)}, ...any[]]"


def _members(syntax: Syntax, parts: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """The names of members with their types."""
    for one in parts:
        key = one.child_by_field_name("key") or one.child_by_field_name("left")
        if key is not None:
            value = one.child_by_field_name("value")
            yield syntax.text(key), _type_of(syntax, value or one)


def _elements(syntax: Syntax, parts: Sequence[Node]) -> Iterator[str]:
    """The types of elements, of holes as well."""
    found = _UNKNOWN
    for one in parts[1:-1]:
        if one.type == ",":
            yield found
            found = _UNKNOWN
        else:
            found = _type_of(syntax, one)
    yield found
