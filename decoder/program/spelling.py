"""From syntax to characters: makes patterns of a program's nodes, as a language spells them (`Speller.step`).

Each node is spelled in one way, that of the language's most common formatter. JavaScript is spelled as prettier does by
default: double quotes, a semicolon after each statement, two spaces, objects with one property a line and a comma after
each. Python is spelled as black does, with dictionaries on one line. Lines are not broken by width.

The step `Variable(Identifier(1), Blank(STRING, 2))` becomes, in JavaScript, the text `let `, a `NewName`, ` = `, a
string or a known expression of this type, and `;`. `Program.step` calls this with each node that its program awaits,
and `lowering` with the nodes of all branches. Roles (`Role`) decide what is written between two steps.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
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
    Type,
    UnknownType,
)
from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.nodes import ProgramNode, ValueType, as_option, text_of, type_of
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
from decoder.program.roles import Role, role_of
from decoder.program.stop import text_until

_MOST_STRING = 120
"""The most characters of a string that a model writes: longer ones show that it has lost its way."""
_MOST_NAME = 40
"""The most characters of a name."""
_MOST_ELEMENTS = 8
"""The most elements of an array literal."""
_DEEPEST = 3
"""The most literals within literals: a type may contain itself."""
_MOST_WHOLE = 12
"""The most digits before the point of a number."""
_MOST_FRACTION = 6
"""The most digits after the point."""
_CONTROLS = (("\x00", "\x1f"), ("\x7f", "\x9f"), ("\u2028", "\u2029"))
"""The control characters of ASCII and Latin 1, and the two separators that end a line in JavaScript: not in strings."""

_DIGIT = Chars((("0", "9"),))
_WHOLE = Cat((
    Repeat("-", 0, 1),
    Alt(("0", Cat((Chars((("1", "9"),)), Repeat(_DIGIT, 0, _MOST_WHOLE - 1))))),
))  # fmt: skip
_WHOLE_SAMPLE = "1048573"
"""A whole number that is unlikely in code, for the checker to judge."""
_NUMBER = GrammarRule(str(ValueType.NUMBER), Cat((_WHOLE, Repeat(Cat((".", Repeat(_DIGIT, 1, _MOST_FRACTION))), 0, 1))))
_CONTENT = Repeat(
    Alt((Chars((*_CONTROLS, ('"', '"'), ("\\", "\\")), negated=True), Cat(("\\", any_of("\\nt"))))), 0, _MOST_STRING
)
"""What is between the quotes of a string."""
_STRING = GrammarRule(str(ValueType.STRING), Cat(('"', _CONTENT, '"')))
_ANY = Chars((), negated=True)
"""Any character."""
_ROOT = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
"""The name with which an expression begins."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What JavaScript and Python write differently."""

    declares: str
    """What comes before the name of a variable at its declaration."""
    end: str
    """What comes after a statement."""
    constants: tuple[str, str, str]
    """How false, true and null are written."""
    template: tuple[str, str, str, str]
    """What opens and closes a string with expressions, and what opens and closes an expression in it."""
    first: str
    """The characters with which a name may begin, besides letters."""
    reserved: frozenset[str]
    """The words that no variable may be called."""

    @property
    def name(self) -> Pattern:
        """The pattern of a name, in ASCII."""
        letters = (*((sign, sign) for sign in self.first), ("A", "Z"), ("a", "z"))
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
    """Makes patterns of nodes in one language.

    A method raises a `ProgramError` for a node that cannot be written where it is.
    """

    language: Language
    place: PlaceExpressions | None = None
    """The place at which the program's text will be inserted, if there is one."""

    @property
    def _has_blocks(self) -> bool:
        """Whether braces at the beginning of a statement open a block: in JavaScript, not in Python.

        Programs are written in these two alone, so this also tells them apart: only Python has keyword arguments, and
        keys in quotes.
        """
        return self.language.record.lexis.has_blocks

    @property
    def layout(self) -> Layout:
        """The language's layout."""
        return JAVASCRIPT if self._has_blocks else PYTHON

    def step(self, node: ProgramNode, before: Role | None) -> tuple[str, Pattern, Role | None]:
        """The pattern of one step of a program.

        In JavaScript an object at the beginning of a statement would be a block, so it is put into parentheses. A step
        that is the first one, or follows text, is not: it may be the whole output, an object in JSON. So only silent
        steps can follow it.

        Args:
            before: The role of the last step that wrote something; None at the beginning.

        Returns:
            The text between the last step and this one, the pattern of this step, and `before` for the next step.
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
            pattern, role = Cat(("(", pattern, ")")), Role.EXPRESSION
        return f"{self.layout.end if before in _EXPRESSIONS else ''}\n", pattern, role

    def literal(self, kind: ValueType) -> Pattern:
        """Any literal of a type of blanks."""
        if kind is ValueType.BOOLEAN:
            return GrammarRule(str(kind), Words(tuple(sorted(self.layout.constants[:2]))))
        return _STRING if kind is ValueType.STRING else _NUMBER

    def _of_type(self, kind: ValueType) -> Pattern:
        """Any literal of a type, or any known expression of it."""
        return Alt((self.literal(kind), OfType(kind)))

    def _outermost(self, node: ProgramNode, taken: frozenset[str], *, ended: bool) -> Pattern:
        """The pattern of a whole step, or of an option of one.

        Args:
            taken: The names that the step refers to; it must not declare them.
            ended: Whether an expression gets the end of a statement (`;`) here. At the end of a step it does not: the
                next step writes it, if there is one (`step`).
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

    def _value(self, node: ProgramNode, depth: int) -> Pattern:  # noqa: C901 - one case for each kind of node
        """The pattern of a node within others, of which `depth` are objects: so many indents do its lines have."""
        match node:
            case nodes.Text(text):
                return text
            case nodes.Sequence(parts):
                return Cat(tuple(self._value(part, depth) for part in parts))
            case nodes.OneOf(options):
                return Alt(tuple(self._value(as_option(option), depth) for option in options))
            case nodes.Members():
                subject = self._value(node.subject, depth)
                members = tuple(Cat((subject, self._member(member, depth))) for member in node.properties)
                return Alt((subject, *members) if node.alone else members)
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

    def _call(self, function: ProgramNode, arguments: tuple[ProgramNode, ...], depth: int) -> Pattern:
        """A call. If its argument is the symbols of the place, its arguments are what fits the function's signature."""
        called = self._value(function, depth)
        if not (arguments and isinstance(arguments[0], nodes.Context) and arguments[0].symbols):
            given = [self._value(argument, depth) for argument in arguments]
            return Cat((called, "(", *_joined(given, ", "), ")"))
        if (name := text_of(function)) is None:
            raise ProgramError("what is called with the symbols of the place holds no blanks")
        return Cat((called, "(", self._fitting(name), ")"))

    def _fitting(self, function: str) -> Pattern:
        """Arguments that fit a function of the place: for each parameter, a literal or an expression of its type.

        The checker judges the place's expressions, and of each kind of literal one sample (`_TypeLiteral.sample`).

        Raises:
            ProgramError: the signature is not known, or nothing fits a parameter that is not optional.
        """
        place = self._required_place()
        signature = place.signature(function)
        parameters = [
            parameter for parameter in signature.parameters if not parameter.is_rest and parameter.name != "this"
        ]
        literals = [[*self._literals(parameter.type, 0)] for parameter in parameters]
        samples = [[literal.sample for literal in by_parameter] for by_parameter in literals]
        fitting = place.fitting(function, parameters, samples)
        filled: list[tuple[Parameter, Pattern | None]] = []
        for parameter, possible, (paths, judgements) in zip(parameters, literals, fitting, strict=True):
            options: list[Pattern] = [
                literal.pattern for literal, fits in zip(possible, judgements, strict=True) if fits
            ]
            options += [Words(paths)] if paths else []
            if not options and not parameter.is_optional:
                why = f"is of type {parameter.text}, and nothing in scope is" if parameter.text else "has no type"
                raise ProgramError(f"no argument for '{function}' fits: its parameter '{parameter.name}' {why}")
            filled.append((parameter, Alt(tuple(options)) if options else None))
        return _arguments(filled)

    def _literals(self, wanted: Type, depth: int) -> Iterator[_TypeLiteral]:
        """The literals of a type, which are in `depth` others; none from `_DEEPEST` on."""
        for alternative in self._required_place().alternatives(wanted) if depth < _DEEPEST else ():
            match alternative:
                case PrimitiveType("int"):
                    yield _TypeLiteral(_WHOLE_SAMPLE, _WHOLE)
                case PrimitiveType() if (kind := kind_of(alternative)) is not None:
                    yield self._blank(kind)
                case PrimitiveType("null" | "undefined" | "None" as text) | LiteralType(text):
                    yield _TypeLiteral(text, text)
                case ArrayType(element):
                    for sample, pattern in self._literals(element, depth + 1):
                        array = Cat(("[", Repeat(pattern, 1, _MOST_ELEMENTS, ", "), "]"))
                        yield _TypeLiteral(f"[{sample}]", array)
                case RecordType(properties):
                    yield from self._record(properties, depth)
                case PrimitiveType() | InstanceType() | UnknownType():  # the checker knows what is of such a type
                    yield from map(self._blank, ValueType)
                    yield _TypeLiteral(_WHOLE_SAMPLE, _WHOLE)

    def _blank(self, kind: ValueType) -> _TypeLiteral:
        """Any value of a type of blanks."""
        samples = {
            ValueType.STRING: '"inscope"',
            ValueType.NUMBER: "0.8125",
            ValueType.BOOLEAN: self.layout.constants[1],
        }
        return _TypeLiteral(samples[kind], self._of_type(kind))

    def _record(self, properties: Mapping[str, RecordProperty], depth: int) -> Iterator[_TypeLiteral]:
        """Objects with the required properties: as many as the property with the most literals has of them.

        Each literal of each property is in one of them; not all combinations are, of which there may be thousands. Of
        `{a: 1 | 2; b: string}` they are `{a: 1, b: "..."}` and `{a: 2, b: "..."}`. None if a property has no literal.
        """
        literals = {
            name if self._is_name(name) else self._constant(name): [*self._literals(record_property.type, depth + 1)]
            for name, record_property in properties.items()
            if not record_property.is_optional
        }
        for index in range(max(map(len, literals.values()), default=1) if all(literals.values()) else 0):
            values = {key: possible[index % len(possible)] for key, possible in literals.items()}
            pairs = [Cat((f"{key}: ", pattern)) for key, (_, pattern) in values.items()]
            sample = ", ".join(f"{key}: {sample}" for key, (sample, _) in values.items())
            yield _TypeLiteral(f"{{{sample}}}", self._braced(pairs, depth))

    def _member(self, member: nodes.Property, depth: int) -> Pattern:
        """What comes after an object to name its member: `.name`, `["a-b"]` or `[name]`."""
        name = text_of(member.name)
        if member.computed:
            return Cat(("[", self._value(member.name, depth), "]"))
        if name is not None and not self._is_name(name):
            return Cat(("[", self._constant(name), "]"))
        return Cat((".", self._value(member.name, depth)))

    def _object(self, properties: tuple[nodes.Property, ...], depth: int) -> Pattern:
        """An object literal, or a dictionary; a property without a value is one that a context names only."""
        pairs = [
            Cat((self._key(pair, depth), ": ", self._value(pair.value, depth + 1)))
            for pair in properties
            if pair.value is not None
        ]
        return self._braced(pairs, depth)

    def _braced(self, pairs: Sequence[Pattern], depth: int) -> Pattern:
        """Pairs of an object literal in braces; in JavaScript one a line."""
        if not self._has_blocks or not pairs:
            return Cat(("{", *_joined(pairs, ", "), "}"))
        margin = "\n" + "  " * depth
        lines: list[Pattern] = []
        for pair in pairs:
            lines += [f"{margin}  ", pair, ","]
        return Cat(("{", *lines, f"{margin}}}"))

    def _key(self, pair: nodes.Property, depth: int) -> Pattern:
        """The key of a pair, in quotes or brackets where the language needs them."""
        name, bare = text_of(pair.name), self._value(pair.name, depth)
        if pair.computed:
            return bare if not self._has_blocks else Cat(("[", bare, "]"))
        return self._constant(name) if name is not None and (not self._has_blocks or not self._is_name(name)) else bare

    def _string(self, parts: tuple[nodes.Text | nodes.Blank, ...]) -> Pattern:
        """A string literal with blanks: all blanks are written as literals, or all as expressions in a template.

        In JavaScript "Hi " and a blank of type string are `"Hi Ann"` or, with a known expression, `Hi ${name}` between
        backticks.
        """
        opening, closing, blank_opening, blank_closing = self.layout.template
        blanks = tuple(part for part in parts if isinstance(part, nodes.Blank))
        plain: list[Pattern] = [_when(blanks, literal=True), '"']
        template: list[Pattern] = [_when(blanks, literal=False), opening]
        for part in parts:
            if isinstance(part, nodes.Blank):
                bare = part.type is ValueType.STRING  # it is within quotes already
                plain.append(Named(part.key, _CONTENT if bare else self.literal(part.type), bare=bare))
                template += [blank_opening, Named(part.key, OfType(part.type)), blank_closing]
            else:
                plain.append(_escaped(part.text))
                template.append(self._in_template(part.text))
        forms = Cat((*plain, '"')), Cat((*template, closing))
        return Alt(forms if blanks else forms[:1])

    def _in_template(self, text: str) -> str:
        """Text of a string with expressions, escaped."""
        if not self._has_blocks:
            return _escaped(text).replace("{", "{{").replace("}", "}}")
        text = text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
        return text.replace("\r", "\\r")  # else JavaScript reads a line feed

    def _is_name(self, text: str) -> bool:
        """Whether a text may be a member after a dot, or a key without quotes; in JavaScript keywords may, too."""
        if not text.isascii():
            return False
        if self._has_blocks:
            return text.replace("$", "_").isidentifier()
        return text.isidentifier() and not keyword.iskeyword(text)

    def _constant(self, value: str | float | bool | None) -> str:  # noqa: FBT001 - a constant of the program's
        """A constant as the language writes it."""
        if isinstance(value, str):
            return f'"{_escaped(value)}"'
        if value is None or isinstance(value, bool):
            return self.layout.constants[2 if value is None else value]
        if isinstance(value, float) and value - value != 0:
            raise ProgramError("a number that is not finite cannot be written")
        return repr(value)

    def _variable(self, node: nodes.Variable, taken: frozenset[str]) -> Pattern:
        """A declaration, after which the name is known; a name with blanks must be none that is visible or `taken`."""
        layout, fixed = self.layout, text_of(node.name)  # the name if it has no blanks, else None
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
        """The expressions that a context makes known."""
        of_place = self._required_place().by_type if node.symbols else ()
        of_context = chain.from_iterable(map(self._typed, node.members))
        return Known(frozenset((*of_place, *of_context)))

    def _typed(self, members: nodes.Members) -> Iterator[tuple[ValueType, str]]:
        """The members of an object that have a type of blanks: the type, and the expression."""
        subject = text_of(members.subject)
        for member in members.properties:
            name, kind = text_of(member.name), type_of(member.value)
            if subject is None or name is None:
                raise ProgramError("the members of a context are known beforehand; they hold no blanks")
            if kind is not None:
                is_dotted = not member.computed and self._is_name(name)
                inner = name if member.computed else self._constant(name)
                yield kind, f"{subject}.{name}" if is_dotted else f"{subject}[{inner}]"


_EXPRESSIONS = (Role.EXPRESSION, Role.OBJECT)


def _when(blanks: tuple[nodes.Blank, ...], *, literal: bool) -> When:
    """Passes if each blank of a string can be written as a literal, or, unless `literal` is set, as an expression."""

    def can_be_written(facts: PatternFacts) -> bool:
        return all(facts.fits(blank.key, blank.type, literal=literal) for blank in blanks)

    return When(can_be_written)


def _escaped(text: str) -> str:
    """A text as it is spelled within double quotes, the same in both languages."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _generated(node: nodes.Generated) -> Pattern:
    """The pattern of free text."""
    if node.regex is not None:
        return parse(node.regex)
    if node.options is not None:
        return Words(tuple(sorted(set(node.options)))) if node.options else Alt(())
    if node.stop_at:
        return text_until(node.stop_at)
    return Repeat(_ANY)


def _limited(node: nodes.Generated, pattern: Pattern) -> Pattern:
    """The pattern with the node's limit of tokens, if it has one."""
    return pattern if node.max_tokens is None else Limited(pattern, node.max_tokens)


class _TypeLiteral(NamedTuple):
    """A literal of a type of the place."""

    sample: str
    """A text that the pattern matches, for the checker to judge."""
    pattern: Pattern


class _Rest(NamedTuple):
    """The last arguments of a call, such as `b, c`; both are empty where there are none."""

    first: Pattern
    """If no argument comes before them: `b, c`."""
    joined: Pattern
    """If another argument comes before them: `, b, c`."""


def _arguments(filled: Sequence[tuple[Parameter, Pattern | None]]) -> Pattern:
    """The arguments of a call. An optional one may be left out, together with those after it that have no names.

    Of Python's `f(a, b=1, *, c)` they are `a, b, c=c` or `a, c=c`. The patterns are made from the last to the first.

    Args:
        filled: The parameters, each with the pattern of its argument; None for one that is left out.
    """
    rest = named = _Rest("", "")  # the arguments after a parameter: all of them, and those with names only
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
    """The parts with a text between each two."""
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
        for field in fields(value):
            yield from _descendants(getattr(value, field.name))


def _keys_in(node: ProgramNode) -> Iterator[int]:
    """The keys of all blanks, identifiers and generated texts in a node."""
    for inner in _descendants(node):
        if isinstance(inner, nodes.Blank | nodes.Identifier | nodes.Generated):
            yield inner.key


def _roots_of(node: ProgramNode) -> frozenset[str]:
    """The names that a node refers to: a declaration of one of them would hide what is meant."""
    roots = set()
    for inner in _descendants(node):
        match inner:
            case nodes.Members(subject=head) | nodes.Call(function=head) | nodes.Property(name=head):
                if root := _ROOT.match(text_of(head) or ""):
                    roots.add(root.group())
    return frozenset(roots)
