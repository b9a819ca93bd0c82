"""Where a text of Python says of which type a value is: in annotations, in `return`, and in what calls give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from context_index.declarations import identifiers
from context_index.languages.python.name_nodes import FUNCTIONS
from context_index.languages.python.value_parts import value_parts
from context_index.mentions import Assumption
from context_index.syntax import Node, Syntax, ancestors, first_part, nodes_of, parts_of

_ANNOTATED = ("assignment", "typed_default_parameter")
_GIVEN_BACK = ("return_statement", "yield")
_MADE_OF_PARTS = frozenset({"boolean_operator", "dictionary", "expression_list", "list", "set", "tuple"})
"""The types of nodes that are made of all their parts."""
_VALUE_FIELDS: Mapping[str, str] = MappingProxyType({
    "attribute": "attribute", "await": "", "call": "function", "dictionary_comprehension": "body",
    "dictionary_splat": "", "generator_expression": "body", "list_comprehension": "body", "list_splat": "",
    "pair": "value", "parenthesized_expression": "", "set_comprehension": "body", "subscript": "value",
})  # fmt: skip
"""By type of a node whose type that of another one says: the field with that one; empty if that is the first part."""


def assumptions(syntax: Syntax) -> Iterator[Assumption]:
    """See `MentionRules.assumptions`; a checker believes it of a value without a type."""
    for node in nodes_of(syntax, *_ANNOTATED):
        value = node.child_by_field_name("right") or node.child_by_field_name("value")
        yield from _assumed(syntax, value, _names(syntax, node.child_by_field_name("type")))
    for node in nodes_of(syntax, *_GIVEN_BACK):
        function = next((around for around in ancestors(node) if around.type in FUNCTIONS), None)
        of_type = None if function is None else function.child_by_field_name("return_type")
        yield from _assumed(syntax, first_part(node), _names(syntax, of_type))
    for call in nodes_of(syntax, "call"):
        yield from _of_arguments(syntax, call)


def _of_arguments(syntax: Syntax, call: Node) -> Iterator[Assumption]:
    """What a call says of its arguments: by the function's parameters, or by a type beside, as in `cast(Row, data)`."""
    given = call.child_by_field_name("arguments")
    if given is None or given.type != "argument_list":
        return
    arguments = parts_of(given)
    types = {argument.id: _types_named(syntax, argument) for argument in arguments}
    for argument in arguments:
        beside = tuple(start for other in arguments if other != argument for start in types[other.id])
        value = argument.child_by_field_name("value") if argument.type == "keyword_argument" else argument
        if value is not None:
            yield from _assumed(syntax, value, beside, argument=syntax.end(argument))


def _assumed(
    syntax: Syntax, value: Node | None, types: Sequence[int], *, argument: int | None = None
) -> Iterator[Assumption]:
    if value is None or not (types or argument is not None):
        return
    for name in _last_names(value):
        start = syntax.start(name)
        yield Assumption(tuple(types), start, is_variable=name == value, is_told=False, argument=argument)


def _last_names(value: Node) -> Iterator[Node]:
    """The names by which a checker knows the values of which a value is made: `loads` of `[json.loads(text)]`."""
    pending = [value]
    while pending:
        node = pending.pop()
        if (parts := value_parts(node, _MADE_OF_PARTS, _VALUE_FIELDS)) is not None:
            pending += parts
        elif node.type == "identifier":
            yield node


def _types_named(syntax: Syntax, argument: Node) -> Sequence[int]:
    """The names in an argument that may be a type: `Row`, `list[Row]`, `"Row"`."""
    if argument.type == "string":
        return [syntax.start(part) for part in argument.children if part.type == "string_content"]
    return _names(syntax, argument) if argument.type in ("attribute", "identifier", "subscript") else ()


def _names(syntax: Syntax, node: Node | None) -> Sequence[int]:
    return () if node is None else [syntax.start(name) for name in identifiers(syntax, syntax.span(node))]
