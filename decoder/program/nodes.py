"""What a program asks to be written: syntax as data, the same for programs in Python and in JavaScript.

Knows neither quotes nor semicolons: `spelling` adds those. A blank is a place that the model fills in. It has a key.
If a blank with the same key occurs again in one text, what was written for the first is repeated there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum


class ValueType(StrEnum):
    """The types that blanks, variables and expressions of the context have."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is written as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after another, with nothing between them."""

    parts: tuple[ProgramNode, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several nodes. `Members` as an option is one of the members, never the object itself."""

    options: tuple[ProgramNode, ...]


@dataclass(frozen=True, slots=True)
class ManyOf:
    """One or more statements, each of them one of the options."""

    options: tuple[ProgramNode, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """`.name`, `[name]` or, in an object, `name: value`."""

    name: ProgramNode
    value: ProgramNode | None = None
    """In an object, the value. In a member of a context, a node of the member's type."""
    computed: bool = False
    """Whether the name is an expression: `[name]`."""


@dataclass(frozen=True, slots=True)
class Members:
    """An object or one of its members."""

    subject: ProgramNode
    """The object."""
    properties: tuple[Property, ...]
    alone: bool = True
    """Whether it may be the object itself, without a member."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; its name is written where the language has keyword arguments."""

    value: ProgramNode
    name: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`."""

    function: ProgramNode
    arguments: tuple[ProgramNode, ...] = ()
    """If the first one is a `Context` with symbols, the arguments are what fits the function's signature there."""
    returns: ValueType | None = None
    """The type of the call. None for the type that all its arguments have, if there is one."""


@dataclass(frozen=True, slots=True)
class Object:
    """An object literal, or a dictionary."""

    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant of the program, as the language writes it."""

    value: str | float | bool | None


@dataclass(frozen=True, slots=True)
class Blank:
    """A value of a type: a literal, or an expression of the type that the context has or that was declared before."""

    type: ValueType
    key: int


@dataclass(frozen=True, slots=True)
class StringOf:
    """A string literal that consists of text and blanks."""

    parts: tuple[Text | Blank, ...]


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name. In the name of a `Variable`, a new one."""

    key: int


@dataclass(frozen=True, slots=True)
class Generated:
    """Free text, or what one of `regex`, `options`, `stop_at` and `node` allows; at most one of them is set."""

    key: int
    regex: str | None = None
    """The text matches this regular expression as a whole."""
    options: tuple[str, ...] | None = None
    """The text is one of these."""
    stop_at: str | None = None
    """The text goes up to the first occurrence of this, which ends it."""
    max_tokens: int | None = None
    """After so many of the model's tokens the text is brought to its end in the shortest way."""
    node: ProgramNode | None = None
    """The text is this part of syntax."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Declares a name that later blanks of its type may use."""

    name: ProgramNode
    value: ProgramNode


@dataclass(frozen=True, slots=True)
class Return:
    """`return value`."""

    value: ProgramNode | None


@dataclass(frozen=True, slots=True)
class Context:
    """Writes nothing, but blanks written after it may be filled with these expressions."""

    members: tuple[Members, ...] = ()
    symbols: bool = False
    """Whether the expressions in scope at the program's place (`--context`) are among them."""


ProgramNode = (
    Text | Sequence | OneOf | ManyOf | Property | Members | Argument | Call | Object | Literal | Blank | StringOf
    | Identifier | Generated | Variable | Return | Context
)  # fmt: skip


def text_of(node: ProgramNode) -> str | None:
    """The text of a node that has neither blanks nor choices; None for others."""
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Sequence):
        texts = [text_of(part) for part in node.parts]
        return None if None in texts else "".join(text for text in texts if text is not None)
    return None


def type_of(node: ProgramNode | None) -> ValueType | None:
    """The type that every text of a node has; None where they have several, or it is not known."""
    match node:
        case Blank():
            return node.type
        case StringOf():
            return ValueType.STRING
        case Literal(value):
            kinds = {bool: ValueType.BOOLEAN, str: ValueType.STRING, float: ValueType.NUMBER, int: ValueType.NUMBER}
            return kinds.get(type(value))
        case Argument() | Return():
            return type_of(node.value)
        case Call(returns=ValueType()):
            return node.returns
        case Call():
            return _common(node.arguments)
        case OneOf():
            return _common(node.options)
        case Members(alone=False):
            return _common([member.value for member in node.properties])
    return None


def _common(nodes: tuple[ProgramNode, ...] | list[ProgramNode | None]) -> ValueType | None:
    """The type that all nodes have; None where they differ."""
    types = {type_of(node) for node in nodes}
    return types.pop() if len(types) == 1 else None


def alternatives(node: ProgramNode) -> Iterator[ProgramNode]:
    """The nodes one of which is written for a node: its options, and theirs; the node itself if it is no choice."""
    match node:
        case OneOf(options):
            for option in options:
                yield from alternatives(option)
        case Generated(node=part) if part is not None:
            yield from alternatives(part)
        case _:
            yield node


def as_option(node: ProgramNode) -> ProgramNode:
    """The node as an option of `OneOf` or `ManyOf`."""
    return replace(node, alone=False) if isinstance(node, Members) else node
