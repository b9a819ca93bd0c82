"""A function that calls itself with its own parameters, or gives itself back: it type-checks, and nobody means it.

Here are the places that may be such; whether a name there is the function's own the checker says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import ancestors
from lsp_server.engine.verification.candidate import tokens, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Node, Syntax
    from lsp_server.engine.verification.candidate import Applied

_MEMBER = ("attribute", "property")
"""Fields of a member's name."""
_CALL, _RETURN = "call", "return_statement"
"""What the types of nodes that call something begin with, and the type of those that give a value back."""


@dataclass(frozen=True, slots=True)
class OwnCalls:
    """What of a text may be the function that the text is in."""

    function: int
    """Where that function's name is."""
    places: tuple[int, ...]
    """Where names of the text are that may be it."""


NO_OWN_CALLS = OwnCalls(-1, ())


def own_calls(applied: Applied) -> OwnCalls:
    """Names of a text, spelled as the innermost function around it, that are called with its parameters or returned."""
    syntax, (start, end) = applied.syntax, applied.inserted
    function = _function_around(syntax, start)
    name = None if function is None else function.child_by_field_name("name")
    if function is None or name is None or syntax.text(name) not in applied.candidate.text:
        return NO_OWN_CALLS
    parameters = _parameters(syntax, function)
    places = tuple(
        syntax.start(node)
        for node in within(syntax, start, end)
        if not node.child_count and syntax.text(node) == syntax.text(name) and _is_own(syntax, node, parameters)
    )
    return OwnCalls(syntax.start(name), places)


def _function_around(syntax: Syntax, place: int) -> Node | None:
    node = syntax.node_at(place)
    around = (one for one in (node, *ancestors(node)) if one.child_by_field_name("parameters") is not None)
    return next((one for one in around if one.child_by_field_name("body") is not None), None)


def _parameters(syntax: Syntax, function: Node) -> Sequence[str]:
    """The names of its parameters."""
    parameters = function.child_by_field_name("parameters")
    children = [] if parameters is None else parameters.named_children
    spans = (next(tokens(syntax, *syntax.span(one)), (0, 0)) for one in children)
    return [syntax.document.text[slice(*one)] for one in spans]


def _is_own(syntax: Syntax, name: Node, parameters: Sequence[str]) -> bool:
    """Whether a name is called with these parameters, the receiver aside, or is all that is returned."""
    receiver = name.parent
    is_member = receiver is not None and name in map(receiver.child_by_field_name, _MEMBER)
    value = receiver if is_member and receiver is not None else name
    around = value.parent
    if around is None:
        return False
    if around.type == _RETURN:
        return True
    arguments = around.child_by_field_name("arguments")
    if not around.type.startswith(_CALL) or arguments is None:
        return False
    given = [syntax.text(argument) for argument in arguments.named_children]
    is_method_call = is_member and bool(parameters)  # its receiver stands for the first parameter
    return given == list(parameters) or (is_method_call and given == list(parameters[1:]))
