"""What a node has within it, and which names it refers to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from context_index.symbols import SymbolContext
from decoder.program import nodes
from decoder.program.nodes import Node, text_of

_ROOT = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


def _below(value: object) -> Iterator[object]:
    """A node and all nodes within it."""
    if isinstance(value, tuple):
        for part in value:
            yield from _below(part)
    elif is_dataclass(value) and not isinstance(value, SymbolContext):
        yield value
        for one in fields(value):
            yield from _below(getattr(value, one.name))


def keys_in(node: Node) -> Iterator[int]:
    """The keys of all blanks, identifiers and generated texts."""
    yield from (one.key for one in _below(node) if isinstance(one, nodes.Blank | nodes.Identifier | nodes.Generated))


def roots_of(node: Node) -> frozenset[str]:
    """The names that a node refers to: nothing that hides them may be declared."""
    heads = [
        head
        for one in _below(node)
        if isinstance(one, nodes.Members | nodes.Call | nodes.Property)
        for head in [
            one.subject if isinstance(one, nodes.Members) else one.function if isinstance(one, nodes.Call) else one.name
        ]
    ]
    found = (_ROOT.match(text_of(head) or "") for head in heads)
    return frozenset(one.group() for one in found if one)
