"""Finds the parameter that a name declares, and what a call gives for it, in JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Sequence

from context_index.mentions import FunctionParameter
from context_index.syntax import Node, Syntax, parts_of

_LISTS = frozenset({"formal_parameters"})
_TYPED = frozenset({"optional_parameter", "required_parameter"})
_HELD = frozenset({"arrow_function", "function_expression"})


def parameter_at(syntax: Syntax, name: Node) -> FunctionParameter | None:
    """The parameter of a function or a method with a name; None for one that takes all that is left."""
    declaration, default = name, None
    holder = name.parent
    if holder is not None and holder.type == "assignment_pattern" and holder.child_by_field_name("left") == name:
        declaration, default = holder, holder.child_by_field_name("right")
    elif holder is not None and holder.type in _TYPED and holder.child_by_field_name("pattern") == name:
        declaration, default = holder, holder.child_by_field_name("value")
    given = declaration.parent
    if given is None or (given.type not in _LISTS and given.child_by_field_name("parameter") != declaration):
        return None
    function = given.parent if given.type in _LISTS else given
    position = parts_of(given).index(declaration) if given.type in _LISTS else 0
    function_name = None if function is None else name_of(function)
    if function is None or function_name is None:
        return None
    body = syntax.span(function)
    is_of_method = function.type == "method_definition"
    return FunctionParameter(syntax.start(function_name), syntax.text(name), position, body, default, is_of_method)


def arguments_for(call: Node, parameter: FunctionParameter) -> Sequence[Node] | None:
    """What a call gives for a parameter, if anything; None if a list is spread there."""
    given = call.child_by_field_name("arguments")
    arguments = [] if given is None else parts_of(given)
    if given is not None and given.type != "arguments":  # a template
        return None
    if any(argument.type == "spread_element" for argument in arguments):
        return None
    return arguments[parameter.position : parameter.position + 1]


def name_of(function: Node) -> Node | None:
    """The name by which a function is called: its own, or that of the `const` that it is the value of.

    Of a constructor it is the class's.
    """
    if function.type == "method_definition":
        name, body = function.child_by_field_name("name"), function.parent
        of_class = None if body is None or body.type != "class_body" else body.parent
        is_constructor = of_class is not None and name is not None and name.text == b"constructor"
        return of_class.child_by_field_name("name") if of_class is not None and is_constructor else name
    if function.type == "function_declaration":
        return function.child_by_field_name("name")
    holder = function.parent if function.type in _HELD else None
    statement = None if holder is None else holder.parent
    if holder is None or holder.type != "variable_declarator" or statement is None or holder.children[-1] != function:
        return None
    kind = statement.child_by_field_name("kind")
    name = holder.child_by_field_name("name")
    is_constant = kind is not None and kind.type == "const"
    return name if is_constant and name is not None and name.type == "identifier" else None
