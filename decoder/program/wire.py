"""Nodes as JSON, in which other processes and other languages send them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from decoder.program import nodes
from decoder.program.nodes import Node, ProgramError, Type

_DEEPEST = 64
"""Nodes within nodes; nobody writes more by hand."""
_KINDS: dict[str, type[Any]] = {
    "text": nodes.Text,
    "sequence": nodes.Sequence,
    "oneOf": nodes.OneOf,
    "manyOf": nodes.ManyOf,
    "property": nodes.Property,
    "members": nodes.Members,
    "argument": nodes.Argument,
    "call": nodes.Call,
    "object": nodes.Object,
    "literal": nodes.Literal,
    "blank": nodes.Blank,
    "stringOf": nodes.StringOf,
    "identifier": nodes.Identifier,
    "generated": nodes.Generated,
    "variable": nodes.Variable,
    "return": nodes.Return,
    "context": nodes.Context,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_SPELLED = {"stop_at": "stopAt"}
_ONE = frozenset({"subject", "name", "value", "function"})
_MANY: dict[str, type[Any] | None] = {
    "parts": None,
    "options": None,
    "arguments": None,
    "properties": nodes.Property,
    "members": nodes.Members,
}
_EXPECTED = {
    nodes.Property: "obj and membersOf take properties, such as property`name`",
    nodes.Members: "contextOf takes members, such as membersOf`user`(property`name`(str)), and symbols",
}


def to_json(node: Node) -> dict[str, Any]:
    """The node, ready for `json.dumps`."""
    found: dict[str, Any] = {"k": _NAMES[type(node)]}
    for one in fields(node):
        value = getattr(node, one.name)
        if isinstance(value, tuple):
            value = [part if isinstance(part, str) else to_json(part) for part in value]
        elif type(value) in _NAMES:
            value = to_json(value)
        found[_SPELLED.get(one.name, one.name)] = value
    return found


def from_json(value: object, depth: int = 0) -> Node:
    """The node that some other process sent.

    Raises:
        ProgramError: it is none.
    """
    kind = _KINDS.get(str(value.get("k"))) if isinstance(value, dict) else None
    if kind is None or not isinstance(value, dict):
        raise ProgramError(f"the program asks for something that is no part of a text: {str(value)[:60]}")
    if depth > _DEEPEST:
        raise ProgramError(f"the program's parts stand more than {_DEEPEST} deep in one another")
    read = {}
    for one in fields(kind):
        given = value.get(_SPELLED.get(one.name, one.name))
        read[one.name] = _field(kind, one.name, given, depth + 1)
    made: Node = kind(**read)
    return made


def _field(kind: type[Any], name: str, given: object, depth: int) -> object:
    if kind is nodes.Generated or (kind is nodes.Argument and name == "name") or kind is nodes.Literal:
        return tuple(map(str, given)) if isinstance(given, list) else given
    if name in _MANY:
        expected = _MANY[name]
        found = tuple(from_json(one, depth) for one in given) if isinstance(given, list) else ()
        if expected is not None and not all(isinstance(one, expected) for one in found):
            raise ProgramError(_EXPECTED[expected])
        return found
    if name in _ONE:
        return None if given is None else from_json(given, depth)
    if name in {"type", "returns"}:
        return None if given is None else Type(str(given))
    return given
