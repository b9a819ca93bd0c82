"""`await`, `yield` and `arguments` where they mean something else, or nothing: parameters, fields, static blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index import ancestors
from lsp_server.checks.refusals.rule import FUNCTIONS, Rules, joined, words

if TYPE_CHECKING:
    from context_index import Node, Syntax

_FIELDS: Final = frozenset({"field_definition", "public_field_definition"})
_OWN: Final = FUNCTIONS | _FIELDS | {"class_static_block", "class_body", "program"}
"""What decides whether one may wait or yield in it."""
_NAMED_OUTSIDE: Final = frozenset({"function_declaration", "generator_function_declaration"})
"""Functions whose name is one of what is around."""
_HAVE_ARGUMENTS: Final = (FUNCTIONS - {"arrow_function"}) | {"program"}


def _is_in_field(node: Node) -> bool:
    """Whether the innermost of these around is what a field is by default, or a static block."""
    below = node
    for around in ancestors(node):
        if around.type in _OWN:
            value = around.child_by_field_name("value") if around.type in _FIELDS else None
            return around.type == "class_static_block" or value == below
        below = around
    return False


def _waits_in_field(_: Syntax, node: Node) -> bool:
    """`a = await b` in a class."""
    return _is_in_field(node)


def _waits_in_parameter(_: Syntax, node: Node) -> bool:
    """`async (a = await b) => c`."""
    for around in ancestors(node):
        if around.type == "formal_parameters":
            return around.parent is not None and around.parent.type in FUNCTIONS - {"ERROR"}
        if around.type in _OWN:
            return False
    return False


def _is_word_of_function(syntax: Syntax, node: Node) -> bool:
    """`await` as a name in an `async` function, or among its parameters; `yield` so in a generator."""
    word = syntax.text(node)
    if word == "arguments":
        return _takes_arguments(node)
    if word not in ("await", "yield"):
        return False
    is_call = node.parent is not None and node.parent.type == "call_expression"
    for around in ancestors(node):
        if around.type == "class_static_block":
            return word == "await" and not is_call
        if around.type in FUNCTIONS:
            is_own = around.child_by_field_name("name") == node and around.type in _NAMED_OUTSIDE
            is_known = around.type != "ERROR" and not is_call and not is_own
            return is_known and ("async" if word == "await" else "*") in words(around)
        if around.type == "class_body":
            return False
    return False


def _takes_arguments(node: Node) -> bool:
    """`a = arguments` in a class."""
    below = node
    for around in ancestors(node):
        if around.type in _HAVE_ARGUMENTS:
            return False
        if around.type == "class_static_block" or (
            around.type in _FIELDS and around.child_by_field_name("value") == below
        ):
            return True
        below = around
    return False


RULES: Final[Rules] = joined(
    dict.fromkeys(("await_expression", "yield_expression"), _waits_in_field),
    dict.fromkeys(("await_expression", "yield_expression"), _waits_in_parameter),
    dict.fromkeys(("identifier", "shorthand_property_identifier"), _is_word_of_function),
)
