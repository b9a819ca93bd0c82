"""From syntax to characters: a program's nodes as patterns, as a language spells them.

One way for each thing, as the language's most common formatter would. JavaScript as prettier does by default: double
quotes, a semicolon after each statement, two spaces, objects with one property a line and a comma after each. Python
as black does, dictionaries on one line. Lines are not broken by width.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import NamedTuple

from context_index.symbols import (
    ArrayType,
    InstanceType,
    Language,
    LiteralType,
    Parameter,
    PrimitiveType,
    RecordProperty,
    RecordType,
    UnknownType,
)
from context_index.symbols import Type as WrittenType
from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.nodes import Node, Role, Type, as_option, role_of, text_of, type_of
from decoder.program.pattern import (
    Alt,
    Cat,
    Chars,
    GrammarRule,
    Known,
    Limited,
    Named,
    NewName,
    OfType,
    Pattern,
    PatternFacts,
    Repeat,
    When,
    Words,
    any_of,
)
from decoder.program.place_expressions import PlaceExpressions, kind_of
from decoder.program.regex import parse
from decoder.program.stop import text_until

_MOST_STRING = 120
"""Characters of a string that a model writes: a model that has lost its way is not followed farther."""
_MOST_NAME = 40
_MOST_ELEMENTS = 8
_DEEPEST = 3
"""Literals within literals: a type may contain itself."""
_MOST_WHOLE = 12
_MOST_FRACTION = 6
_CONTROLS = (("\x00", "\x1f"), ("\x7f", "\x9f"), ("\u2028", "\u2029"))

_DIGIT = Chars((("0", "9"),))
_WHOLE = Cat((
    Repeat("-", 0, 1),
    Alt(("0", Cat((Chars((("1", "9"),)), Repeat(_DIGIT, 0, _MOST_WHOLE - 1))))),
))  # fmt: skip
_WHOLE_SAMPLE = "1048573"
"""A whole number for the checker to judge."""
_NUMBER = GrammarRule(str(Type.NUMBER), Cat((_WHOLE, Repeat(Cat((".", Repeat(_DIGIT, 1, _MOST_FRACTION))), 0, 1))))
_CONTENT = Repeat(
    Alt((Chars((*_CONTROLS, ('"', '"'), ("\\", "\\")), negated=True), Cat(("\\", any_of("\\nt"))))), 0, _MOST_STRING
)
_STRING = GrammarRule(str(Type.STRING), Cat(('"', _CONTENT, '"')))
_ANY = Chars((), negated=True)
_ROOT = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


@dataclass(frozen=True, slots=True)
class Layout:
    """What one language writes otherwise than the other."""

    declares: str
    """Before a variable's name."""
    end: str
    """After a statement."""
    constants: tuple[str, str, str]
    """False, true and nothing."""
    template: tuple[str, str, str, str]
    """What opens and closes a string with expressions, and an expression in it."""
    first: str
    """What a name may begin with, beside letters."""
    reserved: frozenset[str]
    """What no variable may be called."""

    @property
    def name(self) -> Pattern:
        """A new name, in ASCII."""
        letters = (*((one, one) for one in self.first), ("A", "Z"), ("a", "z"))
        return Cat((Chars(letters), Repeat(Chars((*letters, ("0", "9"))), 0, _MOST_NAME - 1)))


JAVASCRIPT = Layout(
    "let ", ";", ("false", "true", "null"), ("`", "`", "${", "}"), "$_", frozenset(
        """
        arguments async await break case catch class const continue debugger default delete do else enum eval export
        extends false finally for function if implements import in instanceof interface Infinity let NaN new null of
        package private protected public return static super switch this throw true try typeof undefined var void while
        with yield
        """.split()  # noqa: SIM905 - a list of words reads best as such
    ),
)  # fmt: skip
PYTHON = Layout(
    "", "", ("False", "True", "None"), ('f"', '"', "{", "}"), "_",
    frozenset((*keyword.kwlist, *keyword.softkwlist, "__debug__")),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Speller:
    """Writes nodes in one language."""

    language: Language
    place: PlaceExpressions | None = None
    """The place at which the program's text will be inserted, if there is one."""

    @property
    def _has_blocks(self) -> bool:
        """Whether braces at the beginning of a statement open a block."""
        return self.language.record.lexis.has_blocks

    @property
    def layout(self) -> Layout:
        """The language's."""
        return JAVASCRIPT if self._has_blocks else PYTHON

    def step(self, node: Node, before: Role | None) -> tuple[str, Pattern, Role | None]:
        """One step of a program: what is written before it, its own pattern, and `before` for the next step.

        Args:
            before: The role of the last step that wrote something; None at the beginning.
        """
        role = role_of(node)
        if before is Role.OBJECT and role is not Role.SILENT and self._has_blocks:
            raise ProgramError("an object at the beginning of a statement would be a block: nothing can follow obj")
        pattern = self._outermost(node, _roots_of(node), ended=role is Role.STATEMENT)
        if role is Role.SILENT:
            return "", pattern, before
        if role is Role.RAW or before in (None, Role.RAW):
            return "", pattern, role
        if role is Role.OBJECT and self._has_blocks:
            pattern = Cat(("(", pattern, ")"))
        return f"{self.layout.end if before in _EXPRESSIONS else ''}\n", pattern, role

    def literal(self, kind: Type) -> Pattern:
        """Any literal of a type."""
        if kind is Type.BOOLEAN:
            return GrammarRule(str(kind), Words(tuple(sorted(self.layout.constants[:2]))))
        return _STRING if kind is Type.STRING else _NUMBER

    def _of_type(self, kind: Type) -> Pattern:
        """Any value of a type."""
        return Alt((self.literal(kind), OfType(kind)))

    def _outermost(self, node: Node, taken: frozenset[str], *, ended: bool) -> Pattern:
        """A whole step, or an option of one.

        Args:
            taken: Names that the program refers to.
            ended: Whether an expression is a statement here.
        """
        match node:
            case nodes.OneOf(options):
                return Alt(tuple(self._outermost(as_option(option), taken, ended=ended) for option in options))
            case nodes.ManyOf(options):
                each = self._outermost(nodes.OneOf(options), taken, ended=True)
                return Repeat(each, 1, None, "\n", frozenset(_keys_in(node)))
            case nodes.Variable():
                return self._variable(node, taken)
            case nodes.Return(value):
                written: tuple[Pattern, ...] = ("return",) if value is None else ("return ", self._value(value, 0))
                return Cat((*written, self.layout.end))
            case nodes.Context():
                return self._known(node)
            case nodes.Generated(node=part) if part is not None:
                return Named(node.key, _limited(node, self._outermost(part, taken, ended=ended)))
        expression = self._value(node, 0)
        if not ended:
            return expression
        is_block = role_of(node) is Role.OBJECT and self._has_blocks
        return Cat(("(", expression, ");") if is_block else (expression, self.layout.end))

    def _value(self, node: Node, depth: int) -> Pattern:  # noqa: C901 - one case for each kind of node
        """A node within others; `depth` objects are open around it."""
        match node:
            case nodes.Text(text):
                return text
            case nodes.Sequence(parts):
                return Cat(tuple(self._value(part, depth) for part in parts))
            case nodes.OneOf(options):
                return Alt(tuple(self._value(as_option(option), depth) for option in options))
            case nodes.Members():
                subject = self._value(node.subject, depth)
                known = tuple(Cat((subject, self._member(one, depth))) for one in node.properties)
                return Alt((subject, *known) if node.alone else known)
            case nodes.Call(function, arguments):
                return self._call(function, arguments, depth)
            case nodes.Argument(value, name):
                inner = self._value(value, depth)
                return Cat((f"{name}=", inner)) if name and not self._has_blocks else inner
            case nodes.Object(properties):
                return self._object(properties, depth)
            case nodes.Literal(value):
                return self._constant(value)
            case nodes.Blank(kind, key):
                return Named(key, self._of_type(kind))
            case nodes.StringOf(parts):
                return self._string(parts)
            case nodes.Identifier(key):
                return Named(key, NewName(self.layout.name, self.layout.reserved, declared=False))
            case nodes.Generated(node=part):
                return Named(node.key, _limited(node, _generated(node) if part is None else self._value(part, depth)))
        raise ProgramError("a property, a context or a statement cannot stand within an expression")

    def _call(self, function: Node, arguments: tuple[Node, ...], depth: int) -> Pattern:
        """A call; with the symbols of the place as its argument, one whose arguments fit the function's signature."""
        called = self._value(function, depth)
        if not (arguments and isinstance(arguments[0], nodes.Context) and arguments[0].symbols):
            given = [self._value(argument, depth) for argument in arguments]
            return Cat((called, "(", *_joined(given, ", "), ")"))
        if (name := text_of(function)) is None:
            raise ProgramError("what is called with the symbols of the place holds no blanks")
        return Cat((called, "(", self._fitting(name), ")"))

    def _fitting(self, function: str) -> Pattern:
        """Arguments that fit a function of the place: of each parameter a literal, or an expression of its type."""
        place = self._required_place()
        parameters = [one for one in place.signature(function).parameters if not one.is_rest and one.name != "this"]
        literals = [[*self._literals(one.type, 0)] for one in parameters]
        fitting = place.fitting(function, parameters, [[sample for sample, _ in each] for each in literals])
        filled: list[tuple[Parameter, Pattern | None]] = []
        for parameter, each, (paths, right) in zip(parameters, literals, fitting, strict=True):
            options: list[Pattern] = [pattern for (_, pattern), is_right in zip(each, right, strict=True) if is_right]
            options += [Words(paths)] if paths else []
            if not options and not parameter.is_optional:
                why = f"is of type {parameter.text}, and nothing in scope is" if parameter.text else "has no type"
                raise ProgramError(f"no argument for '{function}' fits: its parameter '{parameter.name}' {why}")
            filled.append((parameter, Alt(tuple(options)) if options else None))
        return _arguments(filled)

    def _literals(self, wanted: WrittenType, depth: int) -> Iterator[tuple[str, Pattern]]:
        """The literals of a type, each with a sample for the checker to judge."""
        for one in self._required_place().alternatives(wanted) if depth < _DEEPEST else ():
            match one:
                case PrimitiveType("int"):
                    yield _WHOLE_SAMPLE, _WHOLE
                case PrimitiveType() if (kind := kind_of(one)) is not None:
                    yield self._blank(kind)
                case PrimitiveType("null" | "undefined" | "None" as text) | LiteralType(text):
                    yield text, text
                case ArrayType(element):
                    for sample, pattern in self._literals(element, depth + 1):
                        yield f"[{sample}]", Cat(("[", Repeat(pattern, 1, _MOST_ELEMENTS, ", "), "]"))
                case RecordType(properties):
                    yield from self._record(properties, depth)
                case PrimitiveType() | InstanceType() | UnknownType():  # the checker knows what is of such a type
                    yield from map(self._blank, Type)
                    yield _WHOLE_SAMPLE, _WHOLE

    def _blank(self, kind: Type) -> tuple[str, Pattern]:
        samples = {Type.STRING: '"inscope"', Type.NUMBER: "0.8125", Type.BOOLEAN: self.layout.constants[1]}
        return samples[kind], self._of_type(kind)

    def _record(self, properties: Mapping[str, RecordProperty], depth: int) -> Iterator[tuple[str, Pattern]]:
        """Objects of the required properties: as many as the property with the most literals has of them."""
        needed = {
            name if self._is_name(name) else self._constant(name): [*self._literals(one.type, depth + 1)]
            for name, one in properties.items()
            if not one.is_optional
        }
        for at in range(max(map(len, needed.values()), default=1) if all(needed.values()) else 0):
            values = {key: each[at % len(each)] for key, each in needed.items()}
            pairs = [Cat((f"{key}: ", pattern)) for key, (_, pattern) in values.items()]
            sample = ", ".join(f"{key}: {sample}" for key, (sample, _) in values.items())
            yield f"{{{sample}}}", self._braced(pairs, depth)

    def _member(self, one: nodes.Property, depth: int) -> Pattern:
        name = text_of(one.name)
        if one.computed:
            return Cat(("[", self._value(one.name, depth), "]"))
        if name is not None and not self._is_name(name):
            return Cat(("[", self._constant(name), "]"))
        return Cat((".", self._value(one.name, depth)))

    def _object(self, properties: tuple[nodes.Property, ...], depth: int) -> Pattern:
        pairs = [
            Cat((self._key(one, depth), ": ", self._value(one.value, depth + 1)))
            for one in properties
            if one.value is not None
        ]
        return self._braced(pairs, depth)

    def _braced(self, pairs: Sequence[Pattern], depth: int) -> Pattern:
        if not self._has_blocks or not pairs:
            return Cat(("{", *_joined(pairs, ", "), "}"))
        margin = "\n" + "  " * depth
        lines: list[Pattern] = []
        for pair in pairs:
            lines += [f"{margin}  ", pair, ","]
        return Cat(("{", *lines, f"{margin}}}"))

    def _key(self, one: nodes.Property, depth: int) -> Pattern:
        name, bare = text_of(one.name), self._value(one.name, depth)
        if one.computed:
            return bare if not self._has_blocks else Cat(("[", bare, "]"))
        return self._constant(name) if name is not None and (not self._has_blocks or not self._is_name(name)) else bare

    def _string(self, parts: tuple[nodes.Text | nodes.Blank, ...]) -> Pattern:
        """A string literal with blanks: as it is, or with expressions in it."""
        opening, closing, hole_opening, hole_closing = self.layout.template
        blanks = tuple(part for part in parts if isinstance(part, nodes.Blank))
        plain: list[Pattern] = [_when(blanks, literal=True), '"']
        template: list[Pattern] = [_when(blanks, literal=False), opening]
        for part in parts:
            if isinstance(part, nodes.Blank):
                bare = part.type is Type.STRING
                plain.append(Named(part.key, _CONTENT if bare else self.literal(part.type), bare=bare))
                template += [hole_opening, Named(part.key, OfType(part.type)), hole_closing]
            else:
                plain.append(_escaped(part.text))
                template.append(self._in_template(part.text))
        forms = Cat((*plain, '"')), Cat((*template, closing))
        return Alt(forms if blanks else forms[:1])

    def _in_template(self, text: str) -> str:
        if not self._has_blocks:
            return _escaped(text).replace("{", "{{").replace("}", "}}")
        text = text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
        return text.replace("\r", "\\r")  # else JavaScript reads a line feed

    def _is_name(self, text: str) -> bool:
        """Whether a key may stand without quotes."""
        name = text if not self._has_blocks else text.replace("$", "_")
        return text.isascii() and name.isidentifier() and not (not self._has_blocks and keyword.iskeyword(text))

    def _constant(self, value: str | float | bool | None) -> str:  # noqa: FBT001 - a constant of the program's
        if isinstance(value, str):
            return f'"{_escaped(value)}"'
        if value is None or isinstance(value, bool):
            return self.layout.constants[2 if value is None else value]
        if isinstance(value, float) and value - value != 0:
            raise ProgramError("a number that is not finite cannot be written")
        return repr(value)

    def _variable(self, node: nodes.Variable, taken: frozenset[str]) -> Pattern:
        layout, fixed = self.layout, text_of(node.name)
        value = self._value(node.value, 0)
        name: tuple[Pattern, ...]
        if fixed is not None:
            if not self._is_name(fixed) or fixed in layout.reserved:
                raise ProgramError(f"'{fixed}' cannot be the name of a variable")
            is_free = When(lambda facts: facts.is_free(fixed))
            name = (is_free, layout.declares, NewName(fixed, layout.reserved))
        else:
            parts = node.name.parts if isinstance(node.name, nodes.Sequence) else (node.name,)
            spelled = tuple(
                Named(part.key, layout.name, fresh=True) if isinstance(part, nodes.Identifier) else self._value(part, 0)
                for part in parts
            )
            visible = frozenset(self.place.names if self.place is not None else ())
            name = (layout.declares, NewName(Cat(spelled), layout.reserved | taken | visible))
        return Cat((*name, " = ", value, layout.end, Known(frozenset({(type_of(node.value), "")}))))

    def _required_place(self) -> PlaceExpressions:
        if self.place is None:
            raise ProgramError("the program wants the symbols of a place: name one with --context FILE:LINE:COLUMN")
        return self.place

    def _known(self, node: nodes.Context) -> Known:
        of_place = self._required_place().by_type if node.symbols else ()
        return Known(frozenset((*of_place, *(one for members in node.members for one in self._typed(members)))))

    def _typed(self, members: nodes.Members) -> Iterator[tuple[Type, str]]:
        subject = text_of(members.subject)
        for one in members.properties:
            name, kind = text_of(one.name), type_of(one.value)
            if subject is None or name is None:
                raise ProgramError("the members of a context are known beforehand; they hold no blanks")
            if kind is not None:
                bare = not one.computed and self._is_name(name)
                inner = name if one.computed else self._constant(name)
                yield kind, f"{subject}.{name}" if bare else f"{subject}[{inner}]"


_EXPRESSIONS = (Role.EXPRESSION, Role.OBJECT)


def _when(blanks: tuple[nodes.Blank, ...], *, literal: bool) -> When:
    """Passes where each of a string's blanks can be filled in."""

    def fit(facts: PatternFacts) -> bool:
        return all(facts.fits(one.key, one.type, literal=literal) for one in blanks)

    return When(fit)


def _escaped(text: str) -> str:
    """A text as it is spelled within double quotes, the same in both languages."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _generated(node: nodes.Generated) -> Pattern:
    if node.regex is not None:
        return parse(node.regex)
    if node.options is not None:
        return Words(tuple(sorted(set(node.options)))) if node.options else Alt(())
    if node.stop_at:
        return text_until(node.stop_at)
    return Repeat(_ANY)


def _limited(node: nodes.Generated, pattern: Pattern) -> Pattern:
    return pattern if node.max_tokens is None else Limited(pattern, node.max_tokens)


class _Rest(NamedTuple):
    """The arguments that are left, as the first ones of a call and as those after another."""

    first: Pattern
    joined: Pattern


def _arguments(filled: Sequence[tuple[Parameter, Pattern | None]]) -> Pattern:
    """The arguments of a call. An optional one may be left out, together with those after it that have no names."""
    rest = named = _Rest("", "")
    for parameter, pattern in reversed(filled):
        without = rest if parameter.by_name else named
        if pattern is None:
            rest = without
        else:
            written = (f"{parameter.name}=" if parameter.by_name else "", pattern, rest.joined)
            rest = _Rest(Cat(written), Cat((", ", *written)))
            if parameter.is_optional:
                rest = _Rest(Alt((rest.first, without.first)), Alt((rest.joined, without.joined)))
        named = rest if parameter.by_name else named
    return rest.first


def _joined(parts: Sequence[Pattern], joint: str) -> Iterator[Pattern]:
    for index, part in enumerate(parts):
        if index:
            yield joint
        yield part


def _descendants(value: object) -> Iterator[object]:
    """A node and all nodes within it."""
    if isinstance(value, tuple):
        for part in value:
            yield from _descendants(part)
    elif is_dataclass(value):
        yield value
        for one in fields(value):
            yield from _descendants(getattr(value, one.name))


def _keys_in(node: Node) -> Iterator[int]:
    """The keys of all blanks, identifiers and generated texts."""
    for one in _descendants(node):
        if isinstance(one, nodes.Blank | nodes.Identifier | nodes.Generated):
            yield one.key


def _roots_of(node: Node) -> frozenset[str]:
    """The names that a node refers to: nothing that hides them may be declared."""
    found = set()
    for one in _descendants(node):
        match one:
            case nodes.Members(subject=head) | nodes.Call(function=head) | nodes.Property(name=head):
                if root := _ROOT.match(text_of(head) or ""):
                    found.add(root.group())
    return frozenset(found)
