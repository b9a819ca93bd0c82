"""The Python spelling of programs: functions that build syntax, and awaiting, which has it written.

    async def main():
        await many_of(variable(id_())(num()), variable(id_())(call_of("add")(num(), num())))
        await return_of(num())

    start(main)

Where JavaScript has a tagged template, Python has a call with the template's parts. The value of an awaited node is the
text that was written for it. What a part is made of is parsed when it is built, blanks replaced by samples of what they
may write: no part can write what does not parse. Free text (`text`, `gen`) is checked where it is a part of others.
"""

from __future__ import annotations

import ast
import dis
import inspect
import json
import warnings
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import PurePath
from types import CodeType, MappingProxyType
from typing import Any, cast

from decoder.errors import ProgramError
from decoder.program import nodes
from decoder.program.nodes import Awaited, Node, Runner, Type

__all__ = [
    "arg", "bool_", "call_of", "computed_property", "context_of", "gen", "id_", "many_of", "member_of", "members_of",
    "num", "obj", "one_of", "params", "property_", "return_of", "start", "str_", "symbols", "text", "variable",
]  # fmt: skip

Main = Callable[..., Any]
"""An `async def` that takes nothing, or the parameters of the run."""
EMPTY: Mapping[str, Any] = MappingProxyType({})
"""The parameters of a run that has none."""


class Run:
    """The program that is being loaded or run."""

    main: Main | None = None
    """The function that it has registered with `start`."""
    params: Mapping[str, Any] = EMPTY
    keys = 0
    """The last key given to a blank; set back before `main` runs again, so that the same blank has the same key."""


RUN = Run()


def _new_key() -> int:
    RUN.keys += 1
    return RUN.keys


@dataclass(frozen=True, slots=True)
class Part:
    """A node that can be awaited."""

    node: Node

    def __await__(self) -> Generator[Node, str, str]:
        return (yield self.node)


Value = Part | Callable[..., Part] | str | float | bool | None
Name = Part | Callable[..., Part] | str


def text(*parts: Name) -> Part:
    """The text as it is, and parts within it; in JavaScript `$`."""
    return Part(_template(parts))


def one_of(*options: Value) -> Part:
    """One of the options: all of them text, or all of them syntax."""
    node = nodes.OneOf(tuple(map(_node, options)))
    if nodes.role_of(node) is not nodes.Role.RAW:
        _statement("one_of", node)
    return Part(node)


def many_of(*options: Value) -> Part:
    """One or more statements, each one of the options."""
    return Part(nodes.ManyOf(tuple(_statement("many_of", _node(option)) for option in options)))


@dataclass(frozen=True, slots=True)
class PropertyOf:
    """A property; called with its value, or its type where it is a member of the context."""

    name: Node
    computed: bool

    def __call__(self, value: Value) -> Part:
        """The property with a value."""
        return Part(self.node(_value("computed_property" if self.computed else "property_", value)))

    def node(self, value: Node | None = None) -> nodes.Property:
        """The property as syntax."""
        return nodes.Property(self.name, value, self.computed)


def property_(*name: Name) -> PropertyOf:
    """`.name`, or `name: value` in an object."""
    node = _template(name)
    if nodes.text_of(node) is None:  # a fixed one is quoted where it must be
        _check("property_", node, _is_member_name, "a property's name")
    return PropertyOf(node, computed=False)


def computed_property(*name: Name) -> PropertyOf:
    """`[name]`."""
    return PropertyOf(_check("computed_property", _template(name), _is_expression, "an expression"), computed=True)


def members_of(*subject: Name) -> Callable[..., Part]:
    """The object or one of its members; as an option of `one_of`, one of its members."""
    node = _check("members_of", _template(subject), _is_reference, "an expression that can have members")
    return lambda *properties: Part(nodes.Members(node, _members("members_of", properties)))


def member_of(*subject: Name) -> Callable[..., Part]:
    """One of the object's members."""
    node = _check("member_of", _template(subject), _is_reference, "an expression that can have members")
    return lambda *properties: Part(nodes.Members(node, _members("member_of", properties), alone=False))


def call_of(*function: Name, returns: Callable[..., Part] | None = None) -> Callable[..., Part]:
    """A call. `returns` is `num`, `str_` or `bool_`; without it, a call has the type that its arguments share."""
    kind = None if returns is None else nodes.type_of(_node(returns))
    if returns is not None and kind is None:
        raise ProgramError("call_of: what it returns is num, str_ or bool_")
    node = _check("call_of", _template(function), _is_reference, "an expression that can be called")
    return lambda *arguments: Part(nodes.Call(node, _arguments(arguments), kind))


def arg(value: Value, name: str = "") -> Part:
    """An argument; with a name, a keyword argument."""
    if name and not _is_name(name):
        raise ProgramError(f"arg: '{name}' is not an argument's name")
    return Part(nodes.Argument(_value("arg", value), name))


def obj(*properties: Part) -> Part:
    """An object literal; in Python, a dictionary."""
    found = [part.node if isinstance(part, Part) else None for part in properties]
    if not all(isinstance(node, nodes.Property) and node.value is not None for node in found):
        raise ProgramError('obj takes properties with a value, such as property_("name")(str_())')
    return Part(nodes.Object(cast("tuple[nodes.Property, ...]", tuple(found))))


def str_(*parts: Name) -> Part:
    """Any string; with parts, a string literal of text and blanks."""
    if not parts:
        return Part(nodes.Blank(Type.STRING, _new_key()))
    found = [part for part in map(_part, parts) if isinstance(part, nodes.Text | nodes.Blank)]
    if len(found) < len(parts):
        raise ProgramError("a string holds text, str_(), num() and bool_(), nothing else")
    return Part(nodes.StringOf(tuple(found)))


def num(value: float | None = None) -> Part:
    """Any number, or this one."""
    return Part(nodes.Blank(Type.NUMBER, _new_key()) if value is None else nodes.Literal(value))


def bool_(value: bool | None = None) -> Part:  # noqa: FBT001 - as str_ and num
    """Either truth value, or this one."""
    return Part(nodes.Blank(Type.BOOLEAN, _new_key()) if value is None else nodes.Literal(value))


def id_() -> Part:
    """A name; where it is declared, a new one."""
    return Part(nodes.Identifier(_new_key()))


def variable(*name: Name) -> Callable[[Value], Part]:
    """A declaration; blanks written later may use the name."""
    node = _check("variable", _template(name), _is_name, "a variable's name", apart=False)
    return lambda value: Part(nodes.Variable(node, _value("variable", value)))


def return_of(*value: Value) -> Part:
    """A return statement."""
    return Part(nodes.Return(_value("return_of", value[0]) if value else None))


symbols = Part(nodes.Context(symbols=True))
"""For `context_of`: the symbol context that the program is run with."""


def context_of(*members: Part) -> Part:
    """Writes nothing; blanks written later may use these expressions, each where its type is wanted."""
    known = [one.node for one in members if isinstance(one, Part) and isinstance(one.node, nodes.Members)]
    if len(known) + members.count(symbols) != len(members):
        raise ProgramError('context_of takes members, such as members_of("user")(property_("name")(str_)), and symbols')
    return Part(nodes.Context(tuple(known), symbols in members))


def gen(
    *, regex: str | None = None, options: Iterable[str] | None = None, stop_at: str | None = None,
    node: Value = None, max_tokens: int | None = None,
) -> Part:  # fmt: skip
    """Free text: all of a match of the expression, one of the options, all up to and with a text, or a part of syntax.

    After `max_tokens` it is brought to its end in the shortest way.
    """
    given = {"regex": regex, "options": options, "stop_at": stop_at, "node": node}
    if len(said := [name for name, one in given.items() if one is not None]) > 1:
        raise ProgramError(f"gen takes one of {' and '.join(said)}")
    if max_tokens is not None and not (type(max_tokens) is int and max_tokens > 0):
        raise ProgramError(f"max_tokens must be a number of tokens, not {max_tokens!r}")
    part = None if node is None else _node(node)
    chosen = None if options is None else tuple(options)
    return Part(nodes.Generated(_new_key(), regex, chosen, stop_at, max_tokens, part))


def params() -> Mapping[str, Any]:
    """The parameters of the run: `inscope generate --params`."""
    return RUN.params


def start(main: Main) -> None:
    """Register the program's main function; only the first call counts."""
    RUN.main = RUN.main or main


class PythonFunction(Runner):
    """A program that is an `async def` of this process: a worker, where the program came from a file.

    It is run from its beginning for each step, as a coroutine of Python cannot be rolled back; so it must do the same
    each time.
    """

    def __init__(self, main: Main, params: Mapping[str, Any] = EMPTY) -> None:
        self._main, self._params = main, params
        self._keys = RUN.keys

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        """The part that is awaited once these texts have been written; None where the program is over."""
        RUN.keys = self._keys
        running = _begun(self._main, self._params)
        try:
            asked = running.send(None)
            for written in history:
                asked = running.send(written)
            place, used = _waiting(running)
        except StopIteration:
            return None
        finally:
            running.close()
        if not isinstance(asked, Node):
            raise ProgramError("the program waits for what never comes: only parts of the text can be awaited")
        return Awaited(asked, place, used)


def _begun(main: Main, params: Mapping[str, Any]) -> Coroutine[Any, Any, object]:
    wanted = main.__code__.co_argcount if hasattr(main, "__code__") else 0
    begun = main(params) if wanted else main()
    if not inspect.iscoroutine(begun):
        raise ProgramError("the program's main function must be an 'async def'")
    return begun


def _waiting(running: Any) -> tuple[str, bool]:  # noqa: ANN401 - a coroutine, of whose fields typeshed knows too little
    """Where a coroutine waits, and whether it uses the value that it waits for."""
    while inspect.iscoroutine(inner := running.cr_await):
        running = inner
    frame = running.cr_frame
    is_part = getattr(inner, "gi_code", None) is Part.__await__.__code__
    used = not (is_part and _drops(frame.f_code, frame.f_lasti))
    return f"{PurePath(frame.f_code.co_filename).name}:{frame.f_lineno}", used


_AWAITING = frozenset({"RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "END_SEND"})
"""CPython's instructions between the `yield` of an awaited part and the use of its value."""


@lru_cache(maxsize=256)
def _drops(code: CodeType, place: int) -> bool:
    """Whether the value of the `await` at a place of the code is not used."""
    following = (one.opname for one in dis.get_instructions(code) if one.offset > place)
    return next((name for name in following if name not in _AWAITING), "") == "POP_TOP"


def _node(value: object) -> Node:
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
    if value is None or isinstance(value, int | float):
        raise ProgramError(f"expected text or a part of a program, not {value!r}")
    return _node(value)


def _template(parts: tuple[Name, ...]) -> nodes.Sequence:
    return nodes.Sequence(tuple(map(_part, parts)))


def _members(who: str, properties: tuple[object, ...]) -> tuple[nodes.Property, ...]:
    found: list[nodes.Property] = []
    for one in properties:
        node = one.node() if isinstance(one, PropertyOf) else one.node if isinstance(one, Part) else None
        if not isinstance(node, nodes.Property):
            raise ProgramError(f'{who} takes properties, such as property_("name")')
        found.append(node)
    return tuple(found)


def _arguments(arguments: tuple[Value, ...]) -> tuple[Node, ...]:
    found = tuple(map(_node, arguments))
    names = [node.name if isinstance(node, nodes.Argument) else "" for node in found]
    if names != sorted(names, key=bool) or len({*names} - {""}) != len([*filter(None, names)]):
        raise ProgramError("call_of: arguments with a name come last, each name once")
    for node in found:
        if not isinstance(node, nodes.Argument) and node != symbols.node:
            _expression("call_of", node)
    return found


def _value(who: str, value: Value) -> Node:
    return _expression(who, _node(value))


def _expression(who: str, node: Node) -> Node:
    """The node, which must be an expression wherever it stands."""
    for one in nodes.alternatives(node):
        match one:
            case nodes.Sequence() | nodes.Generated(options=tuple()):
                _check(who, one, _is_expression, "an expression")
            case nodes.Generated():
                raise ProgramError(f"{who}: free text need not be an expression; gen takes options or a node there")
            case nodes.Property() | nodes.Argument() | nodes.Context():
                raise ProgramError(f"{who} takes values, such as str_(), not a part of one")
            case nodes.Variable() | nodes.Return() | nodes.ManyOf():
                raise ProgramError(f"{who}: a statement cannot stand within an expression")
    return node


def _statement(who: str, node: Node) -> Node:
    """The node, which must be a statement, or an expression that can be one."""
    for one in nodes.alternatives(node):
        if nodes.role_of(one) is not nodes.Role.STATEMENT:  # others were checked when they were built
            _expression(who, one)
    return node


def _check(who: str, node: Node, is_right: Callable[[str], bool], what: str, *, apart: bool = True) -> Node:
    """The node, if all its samples are of a syntactic category; an error with the first that is not.

    Args:
        apart: Whether samples of blanks are also tried with spaces around them. Not in a variable's name, where other
            letters may touch a blank.
    """
    for sample in _samples(node, apart=apart):
        if not is_right(sample):
            raise ProgramError(f"{who}: '{sample.strip()}' is not {what}")
    return node


_ENDS = "\"'''{}]\""
"""A string literal that holds whatever could end a string, a bracket or a replacement field around it."""
_SAMPLES: dict[Type, tuple[str, ...]] = {
    Type.STRING: ('"s"', _ENDS, "a.b"),
    Type.NUMBER: ("1", "-1.5", "a.b"),
    Type.BOOLEAN: ("True", "a.b"),
}
_FIXED: dict[type[Node], tuple[str, ...]] = {
    nodes.StringOf: ('"s"', _ENDS, "f\"'''{a}\""),
    nodes.Identifier: ("a",),
    nodes.Members: ("a.b", f"a[{_ENDS}]"),
    nodes.Call: ("a.b()", f"a.b({_ENDS})"),
    nodes.Object: ("{}", f'{{"a": {_ENDS}}}'),
}
_MOST_SAMPLES = 256


def _samples(node: Node, *, apart: bool) -> list[str]:
    """A text for each kind of text that a node may write; those of blanks alone, and with spaces around them."""
    return [sample for one in nodes.alternatives(node) for sample in _samples_of(one, apart=apart)]


def _samples_of(node: Node, *, apart: bool) -> list[str]:
    match node:
        case nodes.Text(text):
            return [text]
        case nodes.Sequence(parts):
            each = [_samples(part, apart=apart) for part in parts]
            most = max(map(len, each), default=1)
            is_short = most ** len(each) <= _MOST_SAMPLES
            rows = product(*each) if is_short else ([one[i % len(one)] for one in each] for i in range(most))
            joined = ["".join(row) for row in rows]
            if parts and isinstance(parts[0], nodes.Text):
                return joined
            return [sample.lstrip() for sample in joined]  # before it, `ast.parse` takes a space for indentation
        case nodes.Generated(options=tuple(options)):
            return [*options] or [""]
        case nodes.Generated():
            raise ProgramError("free text cannot be a part of syntax; gen takes options or a node there")
        case nodes.Blank(kind):
            found = _SAMPLES[kind]
        case nodes.Literal(value):
            found = (json.dumps(value) if isinstance(value, str) else repr(value),)
        case _:
            found = _FIXED.get(type(node), ())
    if not found:
        raise ProgramError("a template holds text and expressions, nothing else")
    return [*found, *(f" {one} " for one in found if apart)]


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr | None:
    """An expression's tree; None for what is none. Kept, as a program is run again for each step."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(f"lambda: ({text})", "<part>", "eval")  # which also knows where `await` may stand
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_reference(text: str) -> bool:
    return _parsed(text) is not None and isinstance(_parsed(f"{text}.a"), ast.Attribute)


def _is_expression(text: str) -> bool:
    call = _parsed(f"f(0, {text}, 0)")
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 3 or _parsed(text) is None:  # noqa: PLR2004 - those of the call
        return False
    return not isinstance(call.args[1], ast.Starred)


def _is_member_name(text: str) -> bool:
    member = _parsed(f"a.{text}")
    return isinstance(member, ast.Attribute) and isinstance(member.value, ast.Name)


def _is_name(text: str) -> bool:
    return isinstance(_parsed(text), ast.Name) and text.isidentifier()
