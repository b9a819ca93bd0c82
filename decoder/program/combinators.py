"""How programs are written in Python: functions build parts of syntax, and awaiting a part has the model write it.

    async def main():
        await many_of(variable(id_())(num()), variable(id_())(call_of("add")(num(), num())))
        await return_of(num())

    start(main)

The value of an awaited part is the text that was written for it. A part is checked when it is built (`part_checks`),
and what is wrong with it is a `ProgramError`. `inscope.js` is the same for JavaScript: its tagged templates are calls
here, with the template's parts as arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.nodes import ProgramNode, ValueType
from decoder.program.part_checks import (
    check,
    check_expression,
    check_statement,
    is_expression,
    is_member_name,
    is_name,
    is_reference,
)
from decoder.program.roles import Role, role_of

__all__ = [
    "arg", "bool_", "call_of", "computed_property", "context_of", "gen", "id_", "many_of", "member_of", "members_of",
    "num", "obj", "one_of", "params", "property_", "return_of", "start", "str_", "symbols", "text", "variable",
]  # fmt: skip

Main = Callable[..., Any]
"""A program's main function: an `async def` that takes nothing, or the parameters of the run."""
EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The parameters of a run that has none."""


class Run:
    """The state of the program that is being loaded or run in this process."""

    main: Main | None = None
    """The function that the program has registered with `start`."""
    params: Mapping[str, Any] = EMPTY
    """The parameters of the run."""
    keys = 0
    """The last key given to a blank; set back before `main` runs again, so that the same blank has the same key."""


RUN = Run()


def _new_key() -> int:
    """The key of a new blank; see `nodes`."""
    RUN.keys += 1
    return RUN.keys


@dataclass(frozen=True, slots=True)
class Part:
    """A part of syntax that can be awaited."""

    node: ProgramNode

    def __await__(self) -> Generator[ProgramNode, str, str]:
        return (yield self.node)


Value = Part | Callable[..., Part] | str | float | bool | None
"""What is written as a value: a part, `str_`, `num`, `bool_` or `id_` without a call, or a constant."""
Piece = Part | Callable[..., Part] | str
"""A piece of a template: a part, `str_`, `num`, `bool_` or `id_` without a call, or text that is written as it is."""


def text(*parts: Piece) -> Part:
    """Text as it is, with parts within it; `$` in JavaScript."""
    return Part(_template(parts))


def one_of(*options: Value) -> Part:
    """One of the options, which must be all text or all syntax."""
    node = nodes.OneOf(tuple(map(_node, options)))
    if role_of(node) is not Role.RAW:
        check_statement("one_of", node)
    return Part(node)


def many_of(*options: Value) -> Part:
    """One or more statements, each one of the options."""
    return Part(nodes.ManyOf(tuple(check_statement("many_of", _node(option)) for option in options)))


@dataclass(frozen=True, slots=True)
class PropertyOf:
    """A property's name; it is called with the property's value, or with its type in a member of the context."""

    name: ProgramNode
    computed: bool
    """Whether it is written `[name]`."""

    def __call__(self, value: Value) -> Part:
        """The property with a value."""
        return Part(self.node(_value("computed_property" if self.computed else "property_", value)))

    def node(self, value: ProgramNode | None = None) -> nodes.Property:
        """The property's node; a member of an object may be without a value."""
        return nodes.Property(self.name, value, self.computed)


def property_(*name: Piece) -> PropertyOf:
    """A property: `.name`, or `name: value` in an object."""
    node = _template(name)
    if nodes.text_of(node) is None:  # a name without blanks is quoted where it must be
        check("property_", node, is_member_name, "a property's name")
    return PropertyOf(node, computed=False)


def computed_property(*name: Piece) -> PropertyOf:
    """A property whose name is an expression: `[name]`."""
    return PropertyOf(check("computed_property", _template(name), is_expression, "an expression"), computed=True)


def members_of(*subject: Piece) -> Callable[..., Part]:
    """An object, or one of its members; as an option of `one_of`, only the members. Called with the properties."""
    node = check("members_of", _template(subject), is_reference, "an expression that can have members")
    return lambda *properties: Part(nodes.Members(node, _members("members_of", properties)))


def member_of(*subject: Piece) -> Callable[..., Part]:
    """One of an object's members. Called with the properties."""
    node = check("member_of", _template(subject), is_reference, "an expression that can have members")
    return lambda *properties: Part(nodes.Members(node, _members("member_of", properties), alone=False))


def call_of(*function: Piece, returns: Callable[..., Part] | None = None) -> Callable[..., Part]:
    """A call of a function. What this returns is called with the arguments.

    Args:
        returns: `num`, `str_` or `bool_`: the type of the call. Without it, the type is that of all arguments.
    """
    kind = None if returns is None else nodes.type_of(_node(returns))
    if returns is not None and kind is None:
        raise ProgramError("call_of: what it returns is num, str_ or bool_")
    node = check("call_of", _template(function), is_reference, "an expression that can be called")
    return lambda *arguments: Part(nodes.Call(node, _arguments(arguments), kind))


def arg(value: Value, name: str = "") -> Part:
    """An argument of a call; with a name, a keyword argument."""
    if name and not (isinstance(name, str) and is_name(name)):
        raise ProgramError(f"arg: '{name}' is not an argument's name")
    return Part(nodes.Argument(_value("arg", value), name))


def obj(*properties: Part) -> Part:
    """An object literal; in Python, a dictionary."""
    property_nodes = [part.node if isinstance(part, Part) else None for part in properties]
    if not all(isinstance(node, nodes.Property) and node.value is not None for node in property_nodes):
        raise ProgramError('obj takes properties with a value, such as property_("name")(str_())')
    return Part(nodes.Object(cast("tuple[nodes.Property, ...]", tuple(property_nodes))))


def str_(*parts: Piece) -> Part:
    """Any string; with parts, a string literal of text and blanks."""
    if not parts:
        return Part(nodes.Blank(ValueType.STRING, _new_key()))
    pieces = [piece for piece in map(_piece, parts) if isinstance(piece, nodes.Text | nodes.Blank)]
    if len(pieces) < len(parts):
        raise ProgramError("a string holds text, str_(), num() and bool_(), nothing else")
    return Part(nodes.StringOf(tuple(pieces)))


def num(value: float | None = None) -> Part:
    """Any number; with a value, this number."""
    if value is None:
        return Part(nodes.Blank(ValueType.NUMBER, _new_key()))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ProgramError(f"num: {value!r} is not a number")
    return Part(nodes.Literal(value))


def bool_(value: bool | None = None) -> Part:  # noqa: FBT001 - as str_ and num
    """Either truth value; with a value, this one."""
    if value is None:
        return Part(nodes.Blank(ValueType.BOOLEAN, _new_key()))
    if not isinstance(value, bool):
        raise ProgramError(f"bool_: {value!r} is neither True nor False")
    return Part(nodes.Literal(value))


def id_() -> Part:
    """Any name; in the name of a `variable`, a new one."""
    return Part(nodes.Identifier(_new_key()))


def variable(*name: Piece) -> Callable[[Value], Part]:
    """A declaration of a variable, called with its value. Blanks written later may use the name."""
    node = check("variable", _template(name), is_name, "a variable's name", apart=False)
    return lambda value: Part(nodes.Variable(node, _value("variable", value)))


def return_of(*value: Value) -> Part:
    """A return statement."""
    return Part(nodes.Return(_value("return_of", value[0]) if value else None))


symbols = Part(nodes.Context(symbols=True))
"""For `context_of`: the names in scope where the program's text will be inserted."""


def context_of(*members: Part) -> Part:
    """Writes nothing, but blanks written later may use these expressions, each where its type is wanted."""
    known = [part.node for part in members if isinstance(part, Part) and isinstance(part.node, nodes.Members)]
    if len(known) + members.count(symbols) != len(members):
        raise ProgramError('context_of takes members, such as members_of("user")(property_("name")(str_)), and symbols')
    return Part(nodes.Context(tuple(known), symbols in members))


def gen(
    *, regex: str | None = None, options: Iterable[str] | None = None, stop_at: str | None = None,
    node: Value = None, max_tokens: int | None = None,
) -> Part:  # fmt: skip
    """Free text, or what at most one of the first four arguments allows.

    Args:
        regex: The text matches this regular expression as a whole.
        options: The text is one of these.
        stop_at: The text goes up to the first occurrence of this, which ends it.
        node: The text is this part of syntax.
        max_tokens: After so many tokens the text is brought to its end in the shortest way.
    """
    given = {"regex": regex, "options": options, "stop_at": stop_at, "node": node}
    if len(names := [name for name, value in given.items() if value is not None]) > 1:
        raise ProgramError(f"gen takes one of {' and '.join(names)}")
    if max_tokens is not None and not (type(max_tokens) is int and max_tokens > 0):
        raise ProgramError(f"max_tokens must be a number of tokens, not {max_tokens!r}")
    for name, value in (("regex", regex), ("stop_at", stop_at)):
        if not isinstance(value, str | None):
            raise ProgramError(f"gen: {name} is a text, not {value!r}")
    syntax = None if node is None else _node(node)
    if isinstance(options, str):
        raise ProgramError(f"gen: options is a list of texts, not {options!r}")
    texts = None if options is None else tuple(options)
    return Part(nodes.Generated(_new_key(), regex, texts, stop_at, max_tokens, syntax))


def params() -> Mapping[str, Any]:
    """The parameters of the run, as given by `inscope generate --params`."""
    return RUN.params


def start(main: Main) -> None:
    """Register the program's main function; only the first call counts."""
    RUN.main = RUN.main or main


def _node(value: object) -> ProgramNode:
    """The node of a `Value`; text is a string literal."""
    if isinstance(value, Part):
        return value.node
    if value is None or isinstance(value, str | int | float):
        return nodes.Literal(value)
    if value in (str_, num, bool_, id_):
        return value().node
    raise ProgramError(f"expected a part of a program, such as str_(), not {value!r}")


def _piece(value: object) -> ProgramNode:
    """The node of a `Piece`; text is written as it is."""
    if isinstance(value, str):
        return nodes.Text(value)
    if value is None or isinstance(value, int | float):
        raise ProgramError(f"expected text or a part of a program, not {value!r}")
    return _node(value)


def _template(parts: tuple[Piece, ...]) -> nodes.Sequence:
    """The pieces of a template, one after the other."""
    return nodes.Sequence(tuple(map(_piece, parts)))


def _members(who: str, properties: tuple[object, ...]) -> tuple[nodes.Property, ...]:
    """The nodes of properties, with or without a value; `who` is the combinator that takes them."""
    members: list[nodes.Property] = []
    for given in properties:
        node = given.node() if isinstance(given, PropertyOf) else given.node if isinstance(given, Part) else None
        if not isinstance(node, nodes.Property):
            raise ProgramError(f'{who} takes properties, such as property_("name")')
        members.append(node)
    return tuple(members)


def _arguments(arguments: tuple[Value, ...]) -> tuple[ProgramNode, ...]:
    """The nodes of a call's arguments, which are checked: named ones come last, and each is an expression."""
    argument_nodes = tuple(map(_node, arguments))
    names = [node.name if isinstance(node, nodes.Argument) else "" for node in argument_nodes]
    if names != sorted(names, key=bool) or len({*names} - {""}) != len([*filter(None, names)]):
        raise ProgramError("call_of: arguments with a name come last, each name once")
    for node in argument_nodes:
        if not isinstance(node, nodes.Argument) and node != symbols.node:
            check_expression("call_of", node)
    return argument_nodes


def _value(who: str, value: Value) -> ProgramNode:
    """The node of a value, which is checked to be an expression; `who` is the combinator that takes it."""
    return check_expression(who, _node(value))
