"""The Python spelling of programs: functions that build syntax, and awaiting, which has it written.

    async def main():
        await many_of(variable(id_())(num()), variable(id_())(call_of("add")(num(), num())))
        await return_of(num())

    start(main)

Where JavaScript has a tagged template, Python has a call with the template's parts. The value of an awaited node is the
text that was written for it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

from context_index.symbols import SymbolContext
from decoder.program import nodes
from decoder.program.nodes import Node, ProgramError, Type

Main = Callable[..., Any]
"""An `async def` that takes nothing, or the parameters of the run."""


class Keys:
    """Numbers blanks; taken back before `main` runs again, so that the same blank has the same number."""

    def __init__(self) -> None:
        self.given = 0

    def new(self) -> int:
        """A number that no blank has."""
        self.given += 1
        return self.given

    def back_to(self, given: int) -> None:
        """Give the numbers after `given` once more."""
        self.given = given


KEYS = Keys()


@dataclass(frozen=True, slots=True)
class Part:
    """A node that can be awaited."""

    node: Node

    def __await__(self) -> Generator[Node, str, str]:
        return (yield self.node)


Value = Part | Callable[..., Part] | str | float | bool | None
Name = Part | str


def text(*parts: Name) -> Part:
    """The text as it is, with what stands in it: JavaScript's `$`."""
    return Part(_template(parts))


def one_of(*options: Value) -> Part:
    """One of the options."""
    return Part(nodes.OneOf(tuple(map(_value, options))))


def many_of(*options: Value) -> Part:
    """One or more statements, each one of the options."""
    return Part(nodes.ManyOf(tuple(map(_value, options))))


@dataclass(frozen=True, slots=True)
class PropertyOf:
    """A property; called with its value, or its type where it is a member of the context."""

    name: Node
    computed: bool

    def __call__(self, value: Value) -> Part:
        """The property with a value."""
        return Part(self.node(_value(value)))

    def node(self, value: Node | None = None) -> nodes.Property:
        """The property as syntax."""
        return nodes.Property(self.name, value, self.computed)


def property_(*name: Name) -> PropertyOf:
    """`.name`, or `name: value` in an object."""
    return PropertyOf(_template(name), computed=False)


def computed_property(*name: Name) -> PropertyOf:
    """`[name]`."""
    return PropertyOf(_template(name), computed=True)


def members_of(*subject: Name) -> Callable[..., Part]:
    """The object or one of its members; as an option of `one_of`, one of its members."""
    return lambda *properties: Part(nodes.Members(_template(subject), _members(properties)))


def member_of(*subject: Name) -> Callable[..., Part]:
    """One of the object's members."""
    return lambda *properties: Part(nodes.Members(_template(subject), _members(properties), alone=False))


def call_of(*function: Name, returns: Callable[..., Part] | None = None) -> Callable[..., Part]:
    """A call. `returns` is `num`, `str_` or `bool_`; without it, a call has the type that its arguments share."""
    kind = None if returns is None else nodes.type_of(_value(returns))
    return lambda *arguments: Part(nodes.Call(_template(function), tuple(map(_value, arguments)), kind))


def arg(value: Value, name: str = "") -> Part:
    """An argument; with a name, a keyword argument."""
    return Part(nodes.Argument(_value(value), name))


def obj(*properties: Part) -> Part:
    """An object literal; in Python, a dictionary."""
    found = [part.node if isinstance(part, Part) else None for part in properties]
    if not all(isinstance(node, nodes.Property) and node.value is not None for node in found):
        raise ProgramError('obj takes properties with a value, such as property_("name")(str_())')
    return Part(nodes.Object(cast("tuple[nodes.Property, ...]", tuple(found))))


def str_(*parts: Name) -> Part:
    """Any string; with parts, a string literal of text and blanks."""
    if not parts:
        return Part(nodes.Blank(Type.STRING, KEYS.new()))
    return Part(nodes.StringOf(tuple(map(_part, parts))))


def num(value: float | None = None) -> Part:
    """Any number, or this one."""
    return Part(nodes.Blank(Type.NUMBER, KEYS.new()) if value is None else nodes.Literal(value))


def bool_(value: bool | None = None) -> Part:  # noqa: FBT001 - as str_ and num
    """Either truth value, or this one."""
    return Part(nodes.Blank(Type.BOOLEAN, KEYS.new()) if value is None else nodes.Literal(value))


def id_() -> Part:
    """A name; where it is declared, a new one."""
    return Part(nodes.Identifier(KEYS.new()))


def variable(*name: Name) -> Callable[[Value], Part]:
    """A declaration; blanks written later may use the name."""
    return lambda value: Part(nodes.Variable(_template(name), _value(value)))


def return_of(*value: Value) -> Part:
    """A return statement."""
    return Part(nodes.Return(_value(value[0]) if value else None))


symbols = Part(nodes.Context(symbols=True))
"""For `context_of`: the symbol context that the program is run with."""


def context_of(*members: Part | SymbolContext) -> Part:
    """Writes nothing; blanks written later may use these expressions, each where its type is wanted."""
    known: tuple[nodes.Members, ...] = ()
    live: bool | SymbolContext = False
    for one in members:
        if isinstance(one, SymbolContext):
            live = one
        elif one is symbols:
            live = True
        elif isinstance(one.node, nodes.Members):
            known = (*known, one.node)
        else:
            raise ProgramError('context_of takes members, such as members_of("user")(property_("name")(str_))')
    return Part(nodes.Context(known, live))


def gen(
    *, regex: str | None = None, options: Iterable[str] | None = None, stop_at: str | None = None,
    node: Value = None, max_tokens: int | None = None,
) -> Part:  # fmt: skip
    """Free text: all of a match of the expression, one of the options, all up to and with a text, or a part of syntax.

    After so many tokens it is brought to its end in the shortest way.
    """
    given = {"regex": regex, "options": options, "stop_at": stop_at, "node": node}
    if len(said := [name for name, one in given.items() if one is not None]) > 1:
        raise ProgramError(f"gen takes one of {' and '.join(said)}")
    if max_tokens is not None and not (type(max_tokens) is int and max_tokens > 0):
        raise ProgramError(f"max_tokens must be a number of tokens, not {max_tokens!r}")
    part = None if node is None else _value(node)
    chosen = None if options is None else tuple(options)
    return Part(nodes.Generated(KEYS.new(), regex, chosen, stop_at, max_tokens, part))


class Registry:
    """What the program file that is being read has said."""

    def __init__(self) -> None:
        self.main: Main | None = None
        self.params: Mapping[str, Any] = MappingProxyType({})


REGISTRY = Registry()


def params() -> Mapping[str, Any]:
    """What the program was run with: `inscope generate --params`."""
    return REGISTRY.params


def start(main: Main) -> None:
    """Say which function is the program."""
    REGISTRY.main = REGISTRY.main or main


def awaited(main: Main, params: Mapping[str, Any]) -> Awaitable[object]:
    """The program, not yet begun."""
    wanted = main.__code__.co_argcount if hasattr(main, "__code__") else 0
    begun = main(params) if wanted else main()
    if not hasattr(begun, "send"):
        raise ProgramError("the program's main function must be an 'async def'")
    return cast("Awaitable[object]", begun)


def _value(value: Value) -> Node:
    if isinstance(value, Part):
        return value.node
    if value is None or isinstance(value, str | int | float):
        return nodes.Literal(value)
    if value in (str_, num, bool_, id_):
        return value().node
    raise ProgramError(f"expected a part of a program, such as str_(), not {value!r}")


def _part(value: object) -> Node:
    if isinstance(value, str):
        return nodes.Text(value)
    if isinstance(value, Part):
        return value.node
    if value in (str_, num, bool_, id_):
        return value().node
    raise ProgramError(f"expected text or a part of a program, not {value!r}")


def _template(parts: tuple[Name, ...]) -> nodes.Sequence:
    return nodes.Sequence(tuple(map(_part, parts)))


def _members(properties: tuple[object, ...]) -> tuple[nodes.Property, ...]:
    found: list[nodes.Property] = []
    for one in properties:
        node = one.node() if isinstance(one, PropertyOf) else one.node if isinstance(one, Part) else None
        if not isinstance(node, nodes.Property):
            raise ProgramError('members_of takes properties, such as property_("name")')
        found.append(node)
    return tuple(found)
