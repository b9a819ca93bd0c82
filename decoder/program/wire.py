"""The parts that a program awaits, as JSON: the form in which worker processes and JavaScript send them.

A node is an object with the node's fields, and with `k`, the name of its kind. Names are in camel case.
"""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from decoder.errors import ProgramError
from decoder.program.nodes import ProgramNode, ValueType
from decoder.program.runner import Awaited

_DEEPEST = 64
"""The most nodes that may be around a node. Nobody writes more by hand, and far more would exceed Python's stack."""
_KINDS: dict[str, type[Any]] = {
    kind.__name__[0].lower() + kind.__name__[1:]: kind for kind in (*get_args(ProgramNode), Awaited)
}
"""The classes, by the name of their kind in JSON: a class's name in camel case."""
_NAMES = {kind: name for name, kind in _KINDS.items()}
"""The names of the kinds, by class."""


def awaited_of(value: object) -> Awaited | None:
    """The awaited part that another process or language sent; None where the program is over.

    Raises:
        ProgramError: it is no awaited part.
    """
    if value is None:
        return None
    awaited = from_json(value) if isinstance(value, dict) and value.get("k") == "awaited" else None
    if isinstance(awaited, Awaited):
        return awaited
    raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")


def to_json(value: object) -> Any:  # noqa: ANN401 - whatever JSON has
    """An awaited part, a node or the value of a node's field as a value for `json.dumps`."""
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if (kind := _NAMES.get(type(value))) is None:
        return value
    fields_sent = {json_name: to_json(getattr(value, name)) for name, json_name, _ in _fields(kind)}
    return {"k": kind, **fields_sent}


def from_json(value: object, depth: int = 0) -> ProgramNode | Awaited:
    """The node or awaited part that another process sent. The value may be anything, so all of it is checked.

    Args:
        depth: How many nodes are around it.

    Raises:
        ProgramError: it is no node, or nodes are nested too deep.
    """
    if not isinstance(value, dict) or (kind := str(value.get("k"))) not in _KINDS:
        raise ProgramError(f"the program asks for something that is no part of a text: {str(value)[:60]}")
    if depth > _DEEPEST:
        raise ProgramError(f"the program's parts stand more than {_DEEPEST} deep in one another")
    arguments = {
        name: _check_field(json_name, value.get(json_name), expected, depth + 1)
        for name, json_name, expected in _fields(kind)
    }
    node: ProgramNode | Awaited = _KINDS[kind](**arguments)
    return node


@cache
def _fields(kind: str) -> tuple[tuple[str, str, object], ...]:
    """The fields of a kind of node: of each its name in Python, its name in JSON, and its type."""
    camel_case = {
        field.name: re.sub("_(.)", lambda match: match[1].upper(), field.name) for field in fields(_KINDS[kind])
    }
    return tuple((name, camel_case[name], expected) for name, expected in get_type_hints(_KINDS[kind]).items())


def _check_field(name: str, given: object, expected: object, depth: int) -> Any:  # noqa: ANN401 - of the expected type
    """The value of a field, checked to be of the type that is expected.

    A tuple is a list in JSON, a `ValueType` its text, a node an object; a whole number may stand for a `float`.

    Args:
        name: The field's name in JSON, for the error.

    Raises:
        ProgramError: it is of another type.
    """
    for allowed in get_args(expected) if isinstance(expected, UnionType) else (expected,):
        if get_origin(allowed) is tuple and isinstance(given, list):
            return tuple(_check_field(name, item, get_args(allowed)[0], depth) for item in given)
        if allowed is ValueType and given in tuple(ValueType):
            return ValueType(str(given))
        if type(given) is allowed or (allowed is float and type(given) is int):
            return given
    if isinstance(given, dict):
        node = from_json(given, depth)
        if type(node) in (get_args(expected) or (expected,)):
            return node
    raise ProgramError(f"a part of the program has {given!r:.40} as its {name}")
