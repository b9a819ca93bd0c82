"""Finds where a text may make its function call itself with its own parameters, or return itself.

Nobody means such a text, but it type-checks. The tree only shows that a name is spelled like the function's. `Baseline`
asks the checker whether it is the function (`Verified.is_circular`).
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
"""The fields that hold a member's name, in Python and in ECMAScript."""
_CALL = "call"
"""Begins the types of nodes that call something."""
_RETURN = "return_statement"


@dataclass(frozen=True, slots=True)
class OwnCalls:
    """The places in a text where the function around it may call or return itself."""

    function: int
    """The offset of that function's name."""
    places: tuple[int, ...]
    """The offsets of the names in the text that may be this function."""


NO_OWN_CALLS = OwnCalls(-1, ())
"""No function is around the text, or its name is not in the text."""


def own_calls(applied: Applied) -> OwnCalls:
    """The names in a text that are spelled like the innermost function around it and used in one of two ways.

    They are called with the function's own parameters, or they are all that a `return` returns.
    """
    syntax, (start, end) = applied.syntax, applied.inserted
    function = _function_around(syntax, start)
    name = None if function is None else function.child_by_field_name("name")
    if function is None or name is None or syntax.text(name) not in applied.candidate.text:
        return NO_OWN_CALLS
    parameters = _parameters(syntax, function)
    places = tuple(
        syntax.start(node)
        for node in within(syntax, start, end)
        if not node.child_count and syntax.text(node) == syntax.text(name) and _is_circular(syntax, node, parameters)
    )
    return OwnCalls(syntax.start(name), places)


def _function_around(syntax: Syntax, place: int) -> Node | None:
    """The innermost node around a place that has parameters and a body."""
    node = syntax.node_at(place)
    functions = (around for around in (node, *ancestors(node)) if around.child_by_field_name("parameters") is not None)
    return next((function for function in functions if function.child_by_field_name("body") is not None), None)


def _parameters(syntax: Syntax, function: Node) -> Sequence[str]:
    """The first token of each parameter of a function, which is its name unless it is starred or taken apart."""
    parameters = function.child_by_field_name("parameters")
    children = [] if parameters is None else parameters.named_children
    spans = (next(tokens(syntax, *syntax.span(parameter)), (0, 0)) for parameter in children)
    return [syntax.document.text[slice(*span)] for span in spans]


def _is_circular(syntax: Syntax, name: Node, parameters: Sequence[str]) -> bool:
    """Whether a name is called with exactly these parameters, or is all that is returned.

    A member may be called with all but the first: in Python its receiver is the first parameter, `self`.
    """
    access = name.parent
    is_member = access is not None and name in map(access.child_by_field_name, _MEMBER)
    value = access if is_member and access is not None else name
    around = value.parent
    if around is None:
        return False
    if around.type == _RETURN:
        return True
    arguments = around.child_by_field_name("arguments")
    if not around.type.startswith(_CALL) or arguments is None:
        return False
    given = [syntax.text(argument) for argument in arguments.named_children]
    may_have_receiver = is_member and bool(parameters)
    return given == list(parameters) or (may_have_receiver and given == list(parameters[1:]))
