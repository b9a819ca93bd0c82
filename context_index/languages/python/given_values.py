"""What the calls of a text of Python give to functions, and by which names a checker knows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from context_index.languages.python.value_parts import value_parts
from context_index.mentions import GivenValues
from context_index.syntax import Node, Syntax, nodes_of

_MADE_OF_PARTS = frozenset({"argument_list", "dictionary", "list", "set", "tuple"})
"""The types of nodes that are made of all their parts."""
_VALUE_FIELDS: Mapping[str, str] = MappingProxyType({
    "await": "", "keyword_argument": "value", "list_splat": "", "pair": "value", "parenthesized_expression": "",
})  # fmt: skip
"""By type of a node that has a value in it, the field with it; empty if that is the first part."""


def given_values(syntax: Syntax) -> Iterator[GivenValues]:
    """See `MentionRules.given_values`; keys are those of dictionaries that are written as strings."""
    for call in nodes_of(syntax, "call"):
        function, given = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if function is None or given is None or given.type != "argument_list":
            continue
        values = list(_values_in(given))
        names = tuple(syntax.start(node) for node in values if node.type == "identifier")
        keys = tuple(syntax.start(node) for node in values if node.type == "string_content")
        if names or keys:
            called = function.child_by_field_name("attribute") or function
            yield GivenValues(syntax.start(call), syntax.start(called), names, keys)


def _values_in(given: Node) -> Iterator[Node]:
    """The last names of the values that arguments and literals in them consist of, and the contents of string keys."""
    pending = [given]
    while pending:
        node = pending.pop()
        if (parts := value_parts(node, _MADE_OF_PARTS, _VALUE_FIELDS)) is not None:
            pending += parts
        elif node.type == "call":
            pending += filter(None, [node.child_by_field_name("function")])  # a class, whose instance it makes
        elif (name := node.child_by_field_name("attribute") or node).type == "identifier":
            yield name
        key = node.child_by_field_name("key") if node.type == "pair" else None
        yield from () if key is None else (part for part in key.children if part.type == "string_content")
