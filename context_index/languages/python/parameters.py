"""Finds the parameter that a name declares, and what a call gives for it, in Python."""

from __future__ import annotations

from collections.abc import Sequence

from context_index.mentions import FunctionParameter
from context_index.syntax import Node, Syntax, ancestors, parts_of

_CLASS = "class_definition"
_SCOPES = frozenset({_CLASS, "function_definition"})
_NO_POSITION = -1
_WITH_DEFAULT = frozenset({"default_parameter", "typed_default_parameter"})
_OTHERS_BY_NAME = frozenset({"keyword_separator", "list_splat_pattern"})
"""After these, arguments are given by name."""


def parameter_at(syntax: Syntax, name: Node) -> FunctionParameter | None:
    """The parameter of a function with a name; None for a method's, a lambda's, and for `*rest` and `**rest`."""
    declaration, default = name, None
    holder = name.parent
    if holder is not None and holder.type in _WITH_DEFAULT and holder.child_by_field_name("name") == name:
        declaration, default = holder, holder.child_by_field_name("value")
    elif holder is not None and holder.type == "typed_parameter" and holder.named_child(0) == name:
        declaration = holder
    given = declaration.parent
    function = None if given is None or given.type != "parameters" else given.parent
    function_name = None if function is None else function.child_by_field_name("name")
    if given is None or function is None or function_name is None or _is_changed(function):
        return None
    before = [each for each in parts_of(given) if each.start_byte < declaration.start_byte]
    is_by_name = any(each.type in _OTHERS_BY_NAME or _is_rest(each) for each in before)
    position = sum(each.type != "positional_separator" for each in before)
    return FunctionParameter(
        syntax.start(function_name),
        syntax.text(name),
        _NO_POSITION if is_by_name else position,
        syntax.span(function),
        default,
    )


def arguments_for(syntax: Syntax, call: Node, parameter: FunctionParameter) -> Sequence[Node] | None:
    """What a call gives for a parameter, if anything; None if it gives a list or a mapping of arguments."""
    given = call.child_by_field_name("arguments")
    if given is None or given.type != "argument_list":
        return None
    arguments = parts_of(given)
    if any(argument.type in ("dictionary_splat", "list_splat") for argument in arguments):
        return None
    by_name = [argument for argument in arguments if argument.type == "keyword_argument"]
    by_position = [argument for argument in arguments if argument.type != "keyword_argument"]
    for argument in by_name:
        name, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
        if name is not None and value is not None and syntax.text(name) == parameter.name:
            return [value]
    if parameter.position == _NO_POSITION:
        return []
    return by_position[parameter.position : parameter.position + 1]


def _is_rest(parameter: Node) -> bool:
    """Whether a parameter with a type takes all arguments that are left: `*rest: int`."""
    return parameter.type == "typed_parameter" and parameter.named_children[0].type == "list_splat_pattern"


def _is_changed(function: Node) -> bool:
    """Whether a function is a method, or a decorator gets it: then others may call it."""
    holder = function.parent
    if holder is not None and holder.type == "decorated_definition":
        return True
    scopes = (node.type for node in ancestors(function) if node.type in _SCOPES)
    return next(scopes, None) == _CLASS
