"""The parts that a program awaits, as JSON: so they come from other processes and from JavaScript.

A node is an object with its fields and `k`, the name of its kind; names are in camel case.
"""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from decoder.errors import ProgramError
from decoder.program.nodes import Awaited, Node, Type

_DEEPEST = 64
"""Nodes within nodes; nobody writes more by hand."""
_KINDS: dict[str, type[Any]] = {
    kind.__name__[0].lower() + kind.__name__[1:]: kind for kind in (*get_args(Node), Awaited)
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def awaited_of(value: object) -> Awaited | None:
    """The awaited part that another process or language sent; None where the program is over.

    Raises:
        ProgramError: it is none that can be awaited.
    """
    if value is None:
        return None
    found = from_json(value) if isinstance(value, dict) and value.get("k") == "awaited" else None
    if isinstance(found, Awaited):
        return found
    raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")


def to_json(value: object) -> Any:  # noqa: ANN401 - whatever JSON has
    """What is awaited, a node, or what stands in one, ready for `json.dumps`."""
    if isinstance(value, tuple):
        return [to_json(one) for one in value]
    if (kind := _NAMES.get(type(value))) is None:
        return value
    sent = {spelled: to_json(getattr(value, name)) for name, spelled, _ in _fields(kind)}
    return {"k": kind, **sent}


def from_json(value: object, depth: int = 0) -> Node | Awaited:
    """The node, or what is awaited, that some other process sent, which may have sent anything.

    Raises:
        ProgramError: it is no node.
    """
    if not isinstance(value, dict) or (kind := str(value.get("k"))) not in _KINDS:
        raise ProgramError(f"the program asks for something that is no part of a text: {str(value)[:60]}")
    if depth > _DEEPEST:
        raise ProgramError(f"the program's parts stand more than {_DEEPEST} deep in one another")
    found = {name: _field(spelled, value.get(spelled), held, depth + 1) for name, spelled, held in _fields(kind)}
    node: Node | Awaited = _KINDS[kind](**found)
    return node


@cache
def _fields(kind: str) -> tuple[tuple[str, str, object], ...]:
    """The fields of a kind of node: each name in Python, its name in JSON, and its type."""
    camel = {one.name: re.sub("_(.)", lambda found: found[1].upper(), one.name) for one in fields(_KINDS[kind])}
    return tuple((name, camel[name], held) for name, held in get_type_hints(_KINDS[kind]).items())


def _field(name: str, given: object, held: object, depth: int) -> Any:  # noqa: ANN401 - of the type that is held
    for one in get_args(held) if isinstance(held, UnionType) else (held,):
        if get_origin(one) is tuple and isinstance(given, list):
            return tuple(_field(name, each, get_args(one)[0], depth) for each in given)
        if one is Type and given in tuple(Type):
            return Type(str(given))
        if type(given) is one or (one is float and type(given) is int):
            return given
    if isinstance(given, dict):
        node = from_json(given, depth)
        if type(node) in (get_args(held) or (held,)):
            return node
    raise ProgramError(f"a part of the program has {given!r:.40} as its {name}")
