"""What a program awaits as JSON, in which other processes and other languages send it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from decoder.program import nodes
from decoder.program.nodes import Awaited, Node, ProgramError, Type

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
_SPELLED = {"stop_at": "stopAt", "max_tokens": "maxTokens"}
_ONE = frozenset({"subject", "name", "value", "function", "node"})
_MOST_TOKENS = 1 << 20
_MANY: dict[str, type[Any] | None] = {
    "parts": None,
    "options": None,
    "arguments": None,
    "properties": nodes.Property,
    "members": nodes.Members,
}
_CHECKED: dict[str, tuple[type[Any], ...]] = {
    "text": (str,),
    "key": (int,),
    "regex": (str, type(None)),
    "stop_at": (str, type(None)),
    "max_tokens": (int, type(None)),
    "computed": (bool,),
    "alone": (bool,),
    "symbols": (bool,),
}
"""What a field holds that no other node stands in."""


def awaited_as_json(awaited: Awaited | None) -> dict[str, Any] | None:
    """What is awaited, ready for `json.dumps`."""
    if awaited is None:
        return None
    return {"node": to_json(awaited.node), "place": awaited.place, "used": awaited.used}


def awaited_of(value: object) -> Awaited | None:
    """What some other process or language says is awaited.

    Raises:
        ProgramError: it is nothing that can be.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ProgramError("the program waits for what cannot be read")
    place = value.get("place")
    return Awaited(
        from_json(value.get("node")), place if isinstance(place, str) else "", value.get("used") is not False
    )


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
    if kind is nodes.Generated and name == "options":
        return tuple(map(str, given)) if isinstance(given, list) else None
    if kind is nodes.Argument and name == "name":
        return _plain("text", given)
    if kind is nodes.Literal or name in _CHECKED:
        return _plain(name, given)
    if name in _MANY:
        expected = _MANY[name]
        found = tuple(from_json(one, depth) for one in given) if isinstance(given, list) else ()
        if expected is not None and not all(isinstance(one, expected) for one in found):
            raise ProgramError(f"a part of the program has something else than {name} as its {name}")
        return found
    if name in _ONE:
        return None if given is None else from_json(given, depth)
    if name in {"type", "returns"}:
        try:
            return None if given is None else Type(str(given))
        except ValueError as error:
            raise ProgramError(f"there is no type {given!r:.40}; there are {', '.join(Type)}") from error
    raise AssertionError(f"nobody said what {kind.__name__}.{name} holds")


def _plain(name: str, given: object) -> object:
    """What a field holds that is no node; another process has sent it, and may have sent anything."""
    if type(given) not in _CHECKED.get(name, (str, int, float, bool, type(None))):
        raise ProgramError(f"a part of the program has {given!r:.40} as its {_SPELLED.get(name, name)}")
    if name == "max_tokens" and given is not None and not 0 < given <= _MOST_TOKENS:  # type: ignore[operator]
        raise ProgramError(f"maxTokens counts from 1 to {_MOST_TOKENS:,}, not {given!r:.40}")
    return given
