"""From syntax to characters: a program's nodes as items, in one language's layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from context_index.symbols import SymbolContext
from decoder.program import nodes
from decoder.program.expressions import expressions_of, fitting
from decoder.program.items import (
    Alt,
    Blank,
    Cat,
    Chars,
    Declare,
    Free,
    Hole,
    Item,
    Known,
    Limited,
    Named,
    NewName,
    Quoted,
    Repeat,
)
from decoder.program.layout import Layout
from decoder.program.machine import UNREPEATED
from decoder.program.nodes import Node, ProgramError, as_option, text_of, type_of
from decoder.program.regex import parse
from decoder.program.within import keys_in, roots_of

_ANY = Chars((), negated=True)


class Role(Enum):
    """What a step's text is among others."""

    RAW = auto()
    """Text: nothing is put before or behind it."""
    EXPRESSION = auto()
    STATEMENT = auto()
    SILENT = auto()
    """Nothing is written."""


def role_of(node: Node) -> Role:
    """What a node is where it stands on its own."""
    match node:
        case nodes.Generated(node=part) if part is not None:
            return role_of(part)
        case nodes.Text() | nodes.Sequence() | nodes.Generated():
            return Role.RAW
        case nodes.Variable() | nodes.Return() | nodes.ManyOf():
            return Role.STATEMENT
        case nodes.Context():
            return Role.SILENT
        case nodes.OneOf():
            roles = {role_of(option) for option in node.options}
            return roles.pop() if len(roles) == 1 else Role.RAW if Role.RAW in roles else Role.STATEMENT
    return Role.EXPRESSION


@dataclass(frozen=True, slots=True)
class Compiler:
    """Writes nodes in a layout."""

    layout: Layout
    symbols: SymbolContext | None = None
    """What the program is run with, if with any."""

    def step(self, node: Node, before: Role | None) -> tuple[str, Item]:
        """One step of a program: what parts it from the last, and itself.

        Args:
            before: What the last step was that wrote something; None at the beginning.
        """
        role = role_of(node)
        item = self._alone(node, roots_of(node), ended=role is Role.STATEMENT)
        if role in (Role.RAW, Role.SILENT) or before in (None, Role.RAW):
            return "", item
        return f"{self.layout.end if before is Role.EXPRESSION else ''}\n", item

    def _alone(self, node: Node, taken: frozenset[str], *, ended: bool) -> Item:
        """A node that stands in no other.

        Args:
            ended: Whether an expression is a statement here.
        """
        match node:
            case nodes.OneOf(options):
                return Alt(tuple(self._alone(as_option(option), taken, ended=ended) for option in options))
            case nodes.ManyOf(options):
                each = Alt(tuple(self._alone(as_option(option), taken, ended=True) for option in options))
                return Repeat(each, 1, None, "\n", frozenset(keys_in(node)))
            case nodes.Variable():
                return self._variable(node, taken)
            case nodes.Return(value):
                said: tuple[Item, ...] = ("return",) if value is None else ("return ", self._any(value, 0))
                return Cat((*said, self.layout.end))
            case nodes.Context():
                return Known(self._expressions(node))
            case nodes.Generated(node=part) if part is not None:
                inner = self._alone(part, taken, ended=ended)
                return Named(node.key, _limited(node, inner))
        item = self._any(node, 0)
        return Cat((item, self.layout.end)) if ended and role_of(node) is Role.EXPRESSION else item

    def _any(self, node: Node, depth: int) -> Item:  # noqa: C901, PLR0912 - one case for each kind of node
        """A node within others; `depth` objects are open around it."""
        layout = self.layout
        match node:
            case nodes.Text(text):
                return text
            case nodes.Sequence(parts):
                return Cat(tuple(self._any(part, depth) for part in parts))
            case nodes.OneOf(options):
                return Alt(tuple(self._any(as_option(option), depth) for option in options))
            case nodes.Members():
                subject = self._any(node.subject, depth)
                known = tuple(Cat((subject, self._member(one, depth))) for one in node.properties)
                return Alt(((subject,) if node.alone or not known else ()) + known)
            case nodes.Call(function, (nodes.Context(symbols=live), *_)) if live:
                return self._fitting(function, depth)
            case nodes.Call(function, arguments):
                given = [self._any(argument, depth) for argument in arguments]
                return Cat((self._any(function, depth), "(", *_joined(given, ", "), ")"))
            case nodes.Argument(value, name):
                inner = self._any(value, depth)
                return Cat((f"{name}=", inner)) if name and layout.python else inner
            case nodes.Object(properties):
                return self._object(properties, depth)
            case nodes.Literal(value):
                return layout.constant(value)
            case nodes.Blank(kind, key):
                return Blank(key, kind, layout.literal(kind))
            case nodes.StringOf(parts):
                return self._string(parts)
            case nodes.Identifier(key):
                return Named(key, NewName(layout.name, layout.reserved, new=False))
            case nodes.Generated(node=None):
                return Named(node.key, _limited(node, _generated(node)))
            case nodes.Generated(node=part):
                assert part is not None  # noqa: S101 - the case before
                return Named(node.key, _limited(node, self._any(part, depth)))
            case nodes.Property():
                raise ProgramError("a property stands in obj or in membersOf, nowhere else")
            case nodes.Context():
                raise ProgramError("contextOf stands on its own: await it before what uses it")
        raise ProgramError("variable, returnOf and manyOf write statements; they cannot stand within an expression")

    def _member(self, one: nodes.Property, depth: int) -> Item:
        name = text_of(one.name)
        if one.computed:
            return Cat(("[", self._any(one.name, depth), "]"))
        if name is not None and not self.layout.is_name(name):
            return Cat(("[", self.layout.constant(name), "]"))
        return Cat((".", self._any(one.name, depth)))

    def _object(self, properties: tuple[nodes.Property, ...], depth: int) -> Item:
        pairs = [
            Cat((self._key(one, depth), ": ", self._any(one.value, depth + 1)))
            for one in properties
            if one.value is not None
        ]
        if self.layout.python or not pairs:
            return Cat(("{", *_joined(pairs, ", "), "}"))
        margin = "\n" + "  " * depth
        lines: list[Item] = []
        for pair in pairs:
            lines += [f"{margin}  ", pair, ","]
        return Cat(("{", *lines, f"{margin}}}"))

    def _key(self, one: nodes.Property, depth: int) -> Item:
        name = text_of(one.name)
        if one.computed:
            bare = self._any(one.name, depth)
            return bare if self.layout.python else Cat(("[", bare, "]"))
        if name is not None and (self.layout.python or not self.layout.is_name(name)):
            return self.layout.constant(name)
        return self._any(one.name, depth)

    def _string(self, parts: tuple[Node, ...]) -> Item:
        opening, closing, hole_opening, hole_closing = self.layout.interpolation
        plain: list[str | Hole] = ['"']
        interpolated: list[str | Hole] = [opening]
        for part in parts:
            if isinstance(part, nodes.Blank):
                hole = Hole(part.key, part.type, self.layout.content(part.type))
                plain.append(hole)
                interpolated += [hole_opening, hole, hole_closing]
            elif (text := _fixed(part)) is not None:
                plain.append(self.layout.escaped(text))
                interpolated.append(self.layout.interpolating(text))
            else:
                raise ProgramError("a string holds text, str(), num() and bool(), nothing else")
        return Quoted((*plain, '"'), (*interpolated, closing))

    def _variable(self, node: nodes.Variable, taken: frozenset[str]) -> Item:
        layout, fixed = self.layout, text_of(node.name)
        value = self._any(node.value, 0)
        if fixed is not None:
            if not layout.is_name(fixed) or fixed in layout.reserved:
                raise ProgramError(f"'{fixed}' cannot be the name of a variable")
            name: tuple[Item, ...] = (Free(fixed), layout.declares, NewName(fixed, layout.reserved))
        else:
            parts = node.name.parts if isinstance(node.name, nodes.Sequence) else (node.name,)
            spelled = tuple(
                Named(part.key, layout.name, fresh=True) if isinstance(part, nodes.Identifier) else self._any(part, 0)
                for part in parts
            )
            name = (layout.declares, NewName(Cat(spelled), layout.reserved | taken))
        return Cat((*name, " = ", value, layout.end, Declare(type_of(node.value))))

    def _fitting(self, function: Node, depth: int) -> Item:
        """A call with arguments that fit the signature."""
        symbols, name = self._live(), text_of(function)
        given: list[Item] = [
            Blank(UNREPEATED, kind, self.layout.literal(kind)) if isinstance(kind, nodes.Type) else Alt(kind)
            for kind in fitting(symbols, name or "")
        ]
        called = self._any(function, depth)
        return Cat((Known(expressions_of(symbols)), called, "(", *_joined(given, ", "), ")"))

    def _live(self) -> SymbolContext:
        if self.symbols is None:
            raise ProgramError("the program wants the symbols of a place: name one with --context FILE:LINE:COLUMN")
        return self.symbols

    def _expressions(self, node: nodes.Context) -> tuple[tuple[nodes.Type, str], ...]:
        live = self._live() if node.symbols is True else node.symbols
        told = expressions_of(live) if isinstance(live, SymbolContext) else ()
        return (*told, *(one for members in node.members for one in self._typed(members)))

    def _typed(self, members: nodes.Members) -> Iterator[tuple[nodes.Type, str]]:
        subject = text_of(members.subject)
        for one in members.properties:
            name = text_of(one.name)
            if subject is None or name is None:
                raise ProgramError("the members of a context are known beforehand; they hold no blanks")
            kind = type_of(one.value)
            if kind is not None:
                bare = not one.computed and self.layout.is_name(name)
                inner = name if one.computed else self.layout.constant(name)
                yield kind, f"{subject}.{name}" if bare else f"{subject}[{inner}]"


def _fixed(node: Node) -> str | None:
    if isinstance(node, nodes.Literal) and node.value is not None:
        return str(node.value)
    return text_of(node)


def _generated(node: nodes.Generated) -> Item:
    if node.regex is not None:
        return parse(node.regex)
    if node.options is not None:
        return Alt(node.options)
    if node.stop_at:
        return Cat((Repeat(Chars(((node.stop_at[0], node.stop_at[0]),), negated=True)), node.stop_at))
    return Repeat(_ANY)


def _limited(node: nodes.Generated, item: Item) -> Item:
    return item if node.max_tokens is None else Limited(item, node.max_tokens)


def _joined(parts: Sequence[Item], joint: str) -> Iterator[Item]:
    for index, part in enumerate(parts):
        if index:
            yield joint
        yield part
