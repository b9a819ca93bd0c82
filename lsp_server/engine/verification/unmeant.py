"""Finds what nobody means in a text that type-checks: a function that only calls itself, what is declared already.

The tree shows that a name in the text is spelled like that of the function around, or of another declaration.
`ClosedJudge` asks the checker whether it is the function, and `Appraisal` asks the index whether an imported module
exports the other (`Verified.unmeant`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import STATEMENTS, ancestors
from lsp_server.engine.verification.spans import tokens, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Node, Syntax
    from lsp_server.engine.verification.applied import Applied

_MEMBER = ("attribute", "property")
"""The fields that hold a member's name, in Python and in ECMAScript."""
_CALL = "call"
"""Begins the types of nodes that call something."""
_RETURN = "return_statement"
_EXPORT, _DECORATED = "export_statement", "decorated_definition"
"""What may be around a declaration in ECMAScript and in Python."""


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


@dataclass(frozen=True, slots=True)
class Declared:
    """A function, a class or another body with a name that a text declares."""

    name: str
    is_in_block: bool
    """Whether the block or the class that it is in has another declaration of the name."""
    is_of_module: bool
    """Whether it is at the outermost level of the file."""


def declarations(applied: Applied) -> Iterator[Declared]:
    """What a text declares with a name and a body.

    Decorated declarations do not count, nor do those without a body: both are declared twice in overloads. A getter and
    a setter are two members, as their tokens before the name differ.
    """
    syntax, (start, end) = applied.syntax, applied.inserted
    around = ancestors(syntax.node_at(start, end))  # the text may be a name, or the end of one
    for node in (*within(syntax, start, end), *around):
        name = _name_of(node)
        holder = node.parent
        if holder is not None and holder.type == _EXPORT:
            holder = holder.parent
        if name is None or holder is None or not (syntax.start(name) < end and start < syntax.end(name)):
            continue
        others = (_unwrapped(other) for other in holder.named_children)
        is_in_block = any(other != node and _is_again(node, other) for other in others)
        yield Declared(syntax.text(name), is_in_block, is_of_module=holder == syntax.root)


def _unwrapped(node: Node) -> Node:
    """What an `export` exports; any other node itself."""
    return (node.child_by_field_name("declaration") or node) if node.type == _EXPORT else node


def _name_of(node: Node) -> Node | None:
    """The name of a declaration that counts for `declarations`; None of any other node."""
    is_decorated = node.parent is not None and node.parent.type == _DECORATED
    counts = node.type.endswith(STATEMENTS) and not is_decorated and node.child_by_field_name("body") is not None
    return node.child_by_field_name("name") if counts else None


def _is_again(node: Node, other: Node) -> bool:
    """Whether two declarations of one block declare one name."""
    names = _name_of(node), _name_of(other)
    first, second = (None if name is None else name.text for name in names)
    return first == second and (node.type != other.type or _words_before(node) == _words_before(other))


def _words_before(declaration: Node) -> Sequence[str]:
    """The types of the tokens before a declaration's name: `static`, `get`."""
    name = declaration.child_by_field_name("name")
    end = declaration.start_byte if name is None else name.start_byte
    return [child.type for child in declaration.children if child.end_byte <= end]


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
