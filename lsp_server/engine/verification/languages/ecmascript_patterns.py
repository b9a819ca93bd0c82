"""The type that a placeholder needs if a pattern of ECMAScript takes it apart, as TypeScript, by the pattern alone.

In `const {name, run = (key) => 0} = inscope_any` only `run` matters: if its type were unknown, TypeScript would report
that `key` has no type. So the type says that `run` is a function, and leaves everything else open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Node, Syntax

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "method_definition")
_ACCESSORS = ("get", "set")
_COMPUTED = "computed_property_name"
_LITERALS = ("string", "number")
_FUNCTION_TYPE = f"(...{PLACEHOLDER}: any) => any"
_UNKNOWN = "any"


def expected_type(syntax: Syntax, pattern: Node) -> str:
    """The type of the value that a pattern takes apart; the placeholder if nothing is known of it."""
    kind = _type_of(syntax, pattern)
    return PLACEHOLDER if kind == _UNKNOWN else kind


def _type_of(syntax: Syntax, node: Node | None) -> str:
    """The type that the value of a pattern, or of a default in one, needs; `any` if nothing is known of it."""
    if node is None:
        return _UNKNOWN
    if node.type in _FUNCTIONS:
        return _FUNCTION_TYPE
    children = [child for child in node.children if child.type != "comment"]
    match node.type:
        case "parenthesized_expression":
            return _type_of(syntax, next((child for child in children if child.is_named), None))
        case "assignment_pattern" | "object_assignment_pattern":
            target, default = (_type_of(syntax, node.child_by_field_name(field)) for field in ("left", "right"))
            return default if target == _UNKNOWN else target
        case "object_pattern" | "object":
            return _object_type(dict(_members(syntax, children)))
        case "array_pattern" | "array":
            return _tuple_type(list(_elements(syntax, children)))
    return _UNKNOWN


def _object_type(members: dict[str, str]) -> str:
    known = "".join(f"; {name}?: {kind}" for name, kind in members.items() if kind != _UNKNOWN)
    return f"{{ [{PLACEHOLDER}: string]: any{known} }}" if known else _UNKNOWN


def _tuple_type(elements: Sequence[str]) -> str:
    if all(kind == _UNKNOWN for kind in elements):
        return _UNKNOWN
    return f"[{', '.join(f'({kind})?' for kind in elements)}, ...any[]]"


def _members(syntax: Syntax, children: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """The names of an object's members with their types.

    Members are left out whose name is computed: TypeScript gives a default no type there, and no such name may be in
    the type of an object. `["run"]` is no such name.
    """
    for member in children:
        key = next(filter(None, map(member.child_by_field_name, ("key", "left", "name"))), None)
        if key is None or any(child.type in _ACCESSORS for child in member.children) or _is_computed(key):
            continue
        value = member.child_by_field_name("value")
        yield syntax.text(key), _type_of(syntax, value or member)


def _is_computed(key: Node) -> bool:
    """Whether a key is an expression, `[a]`, and no literal."""
    return key.type == _COMPUTED and not any(child.type in _LITERALS for child in key.named_children)


def _elements(syntax: Syntax, children: Sequence[Node]) -> Iterator[str]:
    """The types of an array's elements in order; a hole has an unknown one."""
    kind = _UNKNOWN
    for child in children[1:-1]:
        if child.type == ",":
            yield kind
            kind = _UNKNOWN
        else:
            kind = _type_of(syntax, child)
    yield kind
