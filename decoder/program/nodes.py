"""What a program asks to be written: syntax as data, the same from every spelling.

Knows neither quotes nor semicolons: those are a matter of `spelling`. A blank is a place that the model fills in; it
has a key, and where a blank with the same key stands again in one text, what was written first is repeated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto


class Type(StrEnum):
    """The types that blanks, variables and expressions of the context have."""

    STRING = "string"
    NUMBER = "number"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Text:
    """Written as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another, nothing between."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several. `membersOf` as an alternative stands for its members only."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ManyOf:
    """One or more statements, each one of these."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Property:
    """`.name`, `[name]` or, in an object, `name: value`. As a member, `value` is its type."""

    name: Node
    value: Node | None = None
    computed: bool = False


@dataclass(frozen=True, slots=True)
class Members:
    """A member of an object, or, where it is not an alternative, the object itself."""

    subject: Node
    properties: tuple[Property, ...]
    alone: bool = True
    """Whether the bare object will do."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; its name is written where the language has keyword arguments."""

    value: Node
    name: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`."""

    function: Node
    arguments: tuple[Node, ...] = ()
    """A context with symbols stands for arguments that fit the function's signature there."""
    returns: Type | None = None
    """None: the type that all its arguments share, if they do."""


@dataclass(frozen=True, slots=True)
class Object:
    """An object literal, or a dictionary."""

    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant of the program's, spelled as the language does."""

    value: str | float | bool | None


@dataclass(frozen=True, slots=True)
class Blank:
    """A value of a type: a literal, or an expression of the type that is in the context or was declared before."""

    type: Type
    key: int


@dataclass(frozen=True, slots=True)
class StringOf:
    """A string literal with holes, of text and blanks."""

    parts: tuple[Text | Blank, ...]


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name. Where a variable is declared, one that is new."""

    key: int


@dataclass(frozen=True, slots=True)
class Generated:
    """Free text: what a regular expression matches as a whole, one of some texts, or all up to and with a text.

    At most one of `regex`, `options`, `stop_at` and `node` says which.
    """

    key: int
    regex: str | None = None
    options: tuple[str, ...] | None = None
    stop_at: str | None = None
    """Its first character ends the free part."""
    max_tokens: int | None = None
    """The model's tokens after which the text is brought to its end in the shortest way."""
    node: Node | None = None
    """A part of syntax instead."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Declares a name that later blanks of its type may use."""

    name: Node
    value: Node


@dataclass(frozen=True, slots=True)
class Return:
    """`return value`."""

    value: Node | None


@dataclass(frozen=True, slots=True)
class Context:
    """Writes nothing; the blanks written after it may be filled with these expressions."""

    members: tuple[Members, ...] = ()
    symbols: bool = False
    """Whether the expressions at the place are among them (`--context`)."""


Node = (
    Text | Sequence | OneOf | ManyOf | Property | Members | Argument | Call | Object | Literal | Blank | StringOf
    | Identifier | Generated | Variable | Return | Context
)  # fmt: skip


def text_of(node: Node) -> str | None:
    """The text of a node that has neither blanks nor choices; None for others."""
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Sequence):
        parts = [text_of(part) for part in node.parts]
        return None if None in parts else "".join(part for part in parts if part is not None)
    return None


def type_of(node: Node | None) -> Type | None:
    """The type that every text of a node has; None where it has none, or it is not known."""
    match node:
        case Blank():
            return node.type
        case StringOf():
            return Type.STRING
        case Literal(value):
            kinds = {bool: Type.BOOLEAN, str: Type.STRING, float: Type.NUMBER, int: Type.NUMBER}
            return kinds.get(type(value))
        case Argument() | Return():
            return type_of(node.value)
        case Call(returns=Type()):
            return node.returns
        case Call():
            return _common(node.arguments)
        case OneOf():
            return _common(node.options)
        case Members(alone=False):
            return _common([one.value for one in node.properties])
    return None


def _common(nodes: tuple[Node, ...] | list[Node | None]) -> Type | None:
    types = {type_of(node) for node in nodes}
    return types.pop() if len(types) == 1 else None


def alternatives(node: Node) -> Iterator[Node]:
    """The nodes of which one is written for a node."""
    match node:
        case OneOf(options):
            for option in options:
                yield from alternatives(option)
        case Generated(node=part) if part is not None:
            yield from alternatives(part)
        case _:
            yield node


def as_option(node: Node) -> Node:
    """The node as an alternative of others."""
    return replace(node, alone=False) if isinstance(node, Members) else node


class Role(Enum):
    """The kind of a program's step; it decides what is written between this step and the next."""

    RAW = auto()
    """Text: nothing is put before or after it."""
    EXPRESSION = auto()
    OBJECT = auto()
    """An expression that may begin with a brace, which begins a block where a statement is expected."""
    STATEMENT = auto()
    SILENT = auto()
    """Nothing is written."""


def role_of(node: Node) -> Role:
    """What a node is as a step of its own."""
    roles = {_ROLES.get(type(one), Role.EXPRESSION) for one in alternatives(node)} or {Role.RAW}
    if len(roles) == 1:
        return roles.pop()
    return next((role for role in (Role.STATEMENT, Role.OBJECT) if role in roles), Role.EXPRESSION)


_ROLES: dict[type[Node], Role] = {
    **dict.fromkeys((Text, Sequence, Generated), Role.RAW),
    **dict.fromkeys((Variable, Return, ManyOf), Role.STATEMENT),
    Context: Role.SILENT,
    Object: Role.OBJECT,
}


@dataclass(frozen=True, slots=True)
class Awaited:
    """A part that a program waits for."""

    node: Node
    place: str = ""
    """The place in the program, `program.js:3:9`; empty where it is not known."""
    used: bool = True
    """Whether the program may look at what was written."""


class Runner(ABC):
    """What runs a program."""

    @abstractmethod
    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited once these texts have been written; None where the program is over.

        Raises:
            ProgramError: the program throws, loops or waits for something else.
        """

    def watch(self) -> None:  # noqa: B027 - most know it anyway
        """From now on, `after` also reports where a part is awaited, and whether the program may look at its text."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """End it; it must not be asked afterwards."""
