"""Where a text of JavaScript or TypeScript reads or copies names as the program runs, or says of which type a value is.

`mentions` inherits the answers. The base class says what each question is for: `context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.languages.ecmascript.declarations import FUNCTIONS, VALUE_FUNCTIONS
from context_index.languages.ecmascript.given_values import given_values, last_name
from context_index.languages.ecmascript.text_parts import text_parts
from context_index.languages.ecmascript.value_flow import sources_of, value_parts
from context_index.mentions import (
    Assumption,
    GivenValues,
    MentionRules,
    Read,
    ReadForm,
    TypeArguments,
    ValueParts,
    ValueSource,
)
from context_index.scopes import scopes_at
from context_index.symbols import Language, NameKind, Origin
from context_index.syntax import Node, ancestors, first_part, nodes_of, parts_of

_READERS = {
    path: form
    for form, paths in {
        ReadForm.MEMBERS: ("JSON.stringify",),
        ReadForm.LISTED: (
            "Object.keys", "Object.entries", "Object.getOwnPropertyNames", "Object.getOwnPropertyDescriptors",
            "Reflect.ownKeys", "URLSearchParams",
        ),
        ReadForm.KEYS: (
            "Object.hasOwn", "Object.defineProperty", "Object.getOwnPropertyDescriptor", "Reflect.get", "Reflect.set",
            "Reflect.has", "Reflect.defineProperty", "Reflect.deleteProperty", "Reflect.getOwnPropertyDescriptor",
            "Object.prototype.hasOwnProperty", "Object.prototype.propertyIsEnumerable",
        ),
        ReadForm.SOURCE: ("Function.prototype.toString",),
        ReadForm.CODE: (
            "eval", "Function", "vm.runInContext", "vm.runInNewContext", "vm.runInThisContext", "vm.Script",
        ),
    }.items()
    for path in paths
}  # fmt: skip
"""By path of a function of the library, what it reads of names (ECMA-262, 19, 20, 25, 28; Node's `vm`)."""
_OF_VALUES = ".prototype."
"""Is in the paths of functions that are called as members of the value that they read: `cart.hasOwnProperty(key)`."""
_LITERAL_KEYS = frozenset({"string", "number", "private_property_identifier"})
"""The types of keys that are written out: `"total"`, `1`, and `#total` before `in`."""
_ESCAPE = "escape_sequence"
_SOURCES = {"assignment_expression": "right", "variable_declarator": "value"}
"""By type of a node with a pattern, the field with the value that is taken apart."""
_READING = ("subscript_expression", "for_in_statement", "member_expression", "binary_expression")
"""The types of nodes that may read names; `_read_by` says whether one does."""
_VARIABLES = frozenset({NameKind.VARIABLE, NameKind.CONSTANT})
_UNPACKED = frozenset({"array_pattern", "catch_clause", "object_assignment_pattern", "pair_pattern", "rest_pattern"})
"""The types of nodes that bind a name in them to a part of a value."""
_CASTS = frozenset({"as_expression", "type_assertion", "type_predicate"})
"""The types of nodes that say of which type a value is: `cart as Cart`, `<Cart>cart` and `cart is Cart`."""
_WITH_TYPE = (
    "arrow_function", "optional_parameter", "public_field_definition", "required_parameter", "return_statement",
    "variable_declarator",
)  # fmt: skip
"""The types of other nodes that may have a value and say its type."""


class EcmascriptReads(MentionRules):
    """The questions about run time, and about what code says of types."""

    READERS: ClassVar[Mapping[str, ReadForm]] = MappingProxyType(_READERS)
    COPIERS: ClassVar[frozenset[str]] = frozenset({"Object.assign", "Object.defineProperties"})
    """ECMA-262, 20.1.2."""

    def library_probe(self, path: str) -> tuple[str, str]:
        """The global one, whatever the file calls `JSON`: `;globalThis.JSON.` and `stringify`."""
        receiver, dot, name = path.rpartition(".")
        return f";globalThis.{receiver}{dot}", name

    def _spelled_path(self, node: Node, path: str) -> str | None:
        """The path of `JSON.stringify` where the text says both; that of `cart.hasOwnProperty` after any value."""
        is_spelled_out = self.syntax.text(self._access(node)) == path
        return path if _OF_VALUES in path or is_spelled_out else ""

    @cached_property
    def called(self) -> Mapping[int, Node]:
        """The calls without `new`: `shop.total()` by the offset of `total`."""
        return self._named_calls("call_expression", "function")

    @cached_property
    def made(self) -> Mapping[int, Node]:
        """The calls with `new`: `new vm.Script(code)` by the offset of `Script`."""
        return self._named_calls("new_expression", "constructor")

    def _named_calls(self, kind: str, field: str) -> Mapping[int, Node]:
        """The nodes of a type, by the offsets of the last names of what is in a field: of `Script` in `vm.Script`."""
        calls = ((call, call.child_by_field_name(field)) for call in nodes_of(self.syntax, kind))
        called = ((call, value) for call, value in calls if value is not None)
        named = ((call, value.child_by_field_name("property") or value) for call, value in called)
        return {self.syntax.start(name): call for call, name in named if name.type.endswith("identifier")}

    def reads(self, library: Mapping[int, str]) -> Iterator[Read]:
        """The loops, operators, patterns and calls that read names: `key in cart`, `cart[key]`, `Object.keys(cart)`."""
        for node in nodes_of(self.syntax, *_READING):
            value, form, key = _read_by(node)
            if value is None:
                continue
            if key is not None and _is_written_out(key):
                at_run_time = ReadForm.ANY_KEYS if node.type == "binary_expression" else form
                yield self._read_of_key(node, at_run_time, value, key)
            else:
                yield replace(self._read(node, form, value), key=key)
        for node in nodes_of(self.syntax, "template_substitution"):
            value = first_part(node)
            if value is not None and value.type == "identifier" and self.syntax.text(value) in self._perhaps_functions:
                yield Read(self.syntax.start(value), ReadForm.SOURCE, (self.syntax.start(value),))
        yield from filter(None, map(self._read_by_pattern, nodes_of(self.syntax, "computed_property_name")))
        yield from filter(None, (self._read_by_library(*said) for said in library.items()))

    def _read_by_library(self, offset: int, path: str) -> Read | None:
        """What one of `READERS` at an offset reads of names; None for a copier, and if nothing calls or gets it."""
        if path in self.COPIERS:
            return None
        call = self.called.get(offset) or self.made.get(offset)
        if call is not None:
            return self._read_by_call(call, path)
        getter = self.getter_of(self._access(self.node(offset)))
        return None if getter is None else self._read_by_getter(getter)

    def _read_by_pattern(self, computed: Node) -> Read | None:
        """What a pattern's key reads: `[key]` of `const { [key]: x } = cart`; None for a key of a literal or a class.

        A pattern within another one, or of a parameter or a loop, may ask any value.
        """
        pair, key = computed.parent, first_part(computed)
        pattern = None if pair is None or pair.type != "pair_pattern" else pair.parent
        if key is None or pattern is None or pattern.parent is None:
            return None
        value = pattern.parent.child_by_field_name(_SOURCES.get(pattern.parent.type, ""))
        if _is_written_out(key):
            form = ReadForm.ANY_KEYS if value is None else ReadForm.KEYS
            return self._read_of_key(computed, form, value or pattern, key)
        if value is None:
            return Read(self.syntax.start(computed), ReadForm.ANY_KEYS, key=key)
        return replace(self._read(computed, ReadForm.KEYS, value), key=key)

    def _read_by_getter(self, call: Node) -> Read:
        """The read of what a call gives to a function of the library that it gets: `carts.map(JSON.stringify)`."""
        function = call.child_by_field_name("function")
        receiver = None if function is None else function.child_by_field_name("object")
        return replace(self._read(call, ReadForm.MEMBERS, call), value=receiver)

    @cached_property
    def _perhaps_functions(self) -> frozenset[str]:
        """The names of functions that the text declares, and those that it imports."""
        declared = (node.child_by_field_name("name") for node in nodes_of(self.syntax, *FUNCTIONS))
        variables = nodes_of(self.syntax, "variable_declarator")
        named = ((node.child_by_field_name("name"), node.child_by_field_name("value")) for node in variables)
        of_variables = (name for name, value in named if value is not None and value.type in FUNCTIONS)
        names = (name for name in (*declared, *of_variables) if name is not None)
        return self.imported_names.union(map(self.syntax.text, names))

    def _read_by_call(self, call: Node, path: str) -> Read | None:
        """What a call of one of `READERS` reads of names; None if it reads none."""
        form = _READERS[path]
        if form is ReadForm.CODE:
            return Read(self.syntax.start(call), form)
        function, given = call.child_by_field_name("function") or call, call.child_by_field_name("arguments")
        if given is None:
            return None
        is_of_value = _OF_VALUES in path
        value = function.child_by_field_name("object") if is_of_value else given
        arguments = parts_of(given)
        key = next(iter(arguments if is_of_value else arguments[1:]), None)  # after the object that is read
        if value is None:
            return None
        if not is_of_value and arguments and arguments[0].type == "spread_element":  # `Reflect.get(...pair)`
            if form is ReadForm.KEYS:
                return Read(self.syntax.start(call), ReadForm.ANY_KEYS)
            return self._read(call, ReadForm.MEMBERS, given)  # the value is in what is spread
        if form is not ReadForm.KEYS:
            return self._read(call, form, value)
        if key is not None and _is_written_out(key):
            return self._read_of_key(call, ReadForm.ANY_KEYS, value, key)
        return replace(self._read(call, form, value), key=key)

    def choices(self, value: Node) -> Sequence[Node]:
        """`a` and `b` of `c ? a : b`."""
        branches = map(value.child_by_field_name, ("consequence", "alternative"))
        return [branch for branch in branches if branch is not None] if value.type == "ternary_expression" else ()

    def text_parts(self, value: Node) -> Sequence[str | None]:
        """`"on"` and None of `"on" + event`, also of templates."""
        return text_parts(self.syntax, value)

    def values_of(self, variable: Node) -> Sequence[Node]:
        """Those of all variables of the file that are written so, if it is one that a declaration of its own has."""
        name, values = self.syntax.text(variable), list[Node]()
        scopes = scopes_at(self.syntax, self.syntax.start(variable))
        placed = next((scope.bindings[name] for scope in scopes if name in scope.bindings), None)
        if placed is None or placed.binding.origin is not Origin.LOCAL or placed.binding.kind not in _VARIABLES:
            return ()
        for node in identifiers(self.syntax):
            holder = node.parent
            if self.syntax.text(node) != name or holder is None or node.type.startswith("property"):
                continue
            if holder.type == "variable_declarator" and holder.child_by_field_name("name") == node:
                values += filter(None, [holder.child_by_field_name("value")])
            elif holder.type == "assignment_expression" and holder.child_by_field_name("left") == node:
                values += filter(None, [holder.child_by_field_name("right")])
            elif holder.type in _UNPACKED or node.type.endswith("pattern") or self.is_target(node):
                return ()
        return values

    def value_parts(self, value: Node, *, is_deep: bool) -> ValueParts:
        """Those of what `value` is one of, and of spread objects; the argument of a call is no part."""
        return value_parts(self.syntax, value, is_deep=is_deep)

    def sources_of(self, offset: int) -> Iterator[ValueSource]:
        """What declarations, assignments, loops and receivers of callbacks give."""
        name = self.node(offset)
        yield from sources_of(name)
        for node in identifiers(self.syntax, self.function_around(offset)):
            holder = node.parent
            if holder is None or holder.type != "assignment_expression" or holder.child_by_field_name("left") != node:
                continue
            value = holder.child_by_field_name("right")
            if value is not None and self.syntax.text(node) == self.syntax.text(name):
                yield ValueSource(value, is_part=False)

    def given_values(self) -> Iterator[GivenValues]:
        """Those of calls with and without `new`; what a function says that is given is left out."""
        yield from given_values(self.syntax)

    def _read_of_key(self, at: Node, form: ReadForm, value: Node, key: Node) -> Read:
        """The read of the member of a value that a literal names; of a number or a private name it has no name.

        A rename changes a private name as the name that it is, not as a key.

        Args:
            form: `ANY_KEYS` where any value may be asked, as each of TypeScript's types lets a value have more members.
        """
        last = None if form is ReadForm.ANY_KEYS else last_name(value)
        names = () if last is None else (self.syntax.start(last),)
        written = "".join(self.syntax.text(part) for part in parts_of(key))
        return Read(self.syntax.start(at), form, names, untyped=next(iter(names), None), keys=(written,))

    def _read(self, at: Node, form: ReadForm, value: Node) -> Read:
        """The read of a form at an expression, with the names by which the checker knows the value that is read.

        Of a value's members each name in it may be the value's: both of `JSON.stringify([cart, order])`.
        """
        start, read = self.syntax.start(at), first_part(value) if value.type == "arguments" else value
        if form is ReadForm.SOURCE and value.type not in ("identifier", "member_expression"):
            return Read(start, form)
        if form in (ReadForm.KEYS, ReadForm.LISTED, ReadForm.SOURCE):
            last = last_name(value)
            said = () if last is None else (self.syntax.start(last),)
            return Read(start, form, said, value=None if form is ReadForm.SOURCE else read)
        nodes = [*identifiers(self.syntax, self.syntax.span(value)), *nodes_of(self.syntax, "this", within=value)]
        metas = nodes_of(self.syntax, "meta_property", within=value)
        names = (*map(self.syntax.start, nodes), *(self.syntax.end(node) - len("target") for node in metas))
        if form is ReadForm.NAME:
            return Read(start, form, names, member=self.syntax.end(at) - len("name"))
        given = first_part(value)
        is_name = given is not None and given.type == "identifier"
        untyped = self.syntax.start(given) if given is not None and is_name else None
        return Read(start, form, names, untyped=untyped, value=read)

    def names_beside(self, offset: int) -> Iterator[int]:
        """The names in the outermost call around, outside of the argument with the literal.

        For `total` of `expect(cart).toEqual({ total: 1 })` they are `expect`, `cart` and `toEqual`.
        """
        argument = call = None
        inner = self.node(offset)
        for around in ancestors(inner):
            if around.type in self.LOCAL_SCOPES or around.type.endswith(("statement", "declaration")):
                break
            if around.type == "arguments":
                argument, call = argument or inner, around.parent
            inner = around
        if argument is None or call is None:
            return
        for node in identifiers(self.syntax, self.syntax.span(call)):
            if not argument.start_byte <= node.start_byte < argument.end_byte:
                yield self.syntax.start(node)

    def assumptions(self) -> Iterator[Assumption]:
        """What `x as T`, `x is T`, `one: T = x` and what a function with a type returns say of `x`."""
        for node in nodes_of(self.syntax, *_CASTS, *_WITH_TYPE):
            value, of_type = _value_and_type(node)
            name = None if value is None else last_name(value)
            if value is None or name is None or of_type is None:
                continue
            types = map(self.syntax.start, identifiers(self.syntax, self.syntax.span(of_type)))
            yield Assumption(
                tuple(types),
                self.syntax.start(name),
                is_variable=value.type in ("identifier", "member_expression"),
                is_told=value.type == "as_expression",  # `x as unknown as T`
                cast_to=self.syntax.text(of_type) if node.type in _CASTS else "",
            )

        if self.syntax.language is Language.TYPESCRIPT:
            yield from self._assumed_by_calls()
            yield from self._assumed_by_callbacks()
            for node in nodes_of(self.syntax, "assignment_expression"):
                target, value = map(node.child_by_field_name, ("left", "right"))
                typed, name = (None if each is None else last_name(each) for each in (target, value))
                if typed is not None and name is not None:
                    start = self.syntax.start(typed)
                    yield Assumption((), self.syntax.start(name), is_variable=False, is_told=False, target=start)

    def _assumed_by_calls(self) -> Iterator[Assumption]:
        """What a called function says of its arguments."""
        for node in nodes_of(self.syntax, "arguments"):
            for value in parts_of(node):
                if (name := last_name(value)) is not None:
                    end = self.syntax.end(value)
                    yield Assumption((), self.syntax.start(name), is_variable=False, is_told=False, argument=end)

    def _assumed_by_callbacks(self) -> Iterator[Assumption]:
        """What a function that is an argument says of its parameters."""
        for function in nodes_of(self.syntax, *VALUE_FUNCTIONS):
            given = function.child_by_field_name("parameters")
            if given is None or function.parent is None or function.parent.type != "arguments":
                continue
            for position, parameter in enumerate(parts_of(given)):
                name, of_type = map(parameter.child_by_field_name, ("pattern", "type"))
                if name is not None and of_type is not None:
                    types = tuple(map(self.syntax.start, identifiers(self.syntax, self.syntax.span(of_type))))
                    at = (self.syntax.start(function), position)
                    yield Assumption(types, self.syntax.start(name), is_variable=False, is_told=False, callback=at)

    def type_arguments(self) -> Iterator[TypeArguments]:
        """Those of calls, with and without `new`, and of types."""
        for node in nodes_of(self.syntax, "type_arguments"):
            holder = node.parent
            fields = ("function", "constructor", "name")
            said = None if holder is None else next(filter(None, map(holder.child_by_field_name, fields)), None)
            name = None if said is None else last_name(said)
            if name is not None:
                types = tuple(map(self.syntax.start, identifiers(self.syntax, self.syntax.span(node))))
                yield TypeArguments(self.syntax.start(name), types)

    def copies_members(self, library: Mapping[int, str]) -> bool:
        """Whether a copier may change an object that there was: `Object.assign(this, given)`, `copy = Object.assign`.

        An assignment to `this[key]` counts, a copy to a literal does not: `Object.assign({}, given)`.
        """
        calls = (self.called.get(offset) for offset, path in library.items() if path in self.COPIERS)
        items = nodes_of(self.syntax, "subscript_expression")
        return any(call is None or not _is_to_literal(call) for call in calls) or any(
            map(_is_computed_member_of_this, items)
        )

    def _access(self, name: Node) -> Node:
        """The expression whose last name a node is: `cart.total` for `total`; else the node."""
        holder = name.parent
        return name if holder is None or holder.child_by_field_name("property") != name else holder


def _read_by(node: Node) -> tuple[Node | None, ReadForm, Node | None]:
    """What an expression or a loop reads by other means than calls: of which value, what, and by which key.

    There is no value if it reads nothing. `name` is a function's own name (ECMA-262, 10.2.9).
    """
    value = node.child_by_field_name("right" if node.type == "for_in_statement" else "object")
    operator, key, member = map(node.child_by_field_name, ("operator", "index", "property"))
    match node.type:
        case "for_in_statement" if operator is not None and operator.type == "in":
            return value, ReadForm.LISTED, None
        case "subscript_expression" if key is not None:
            return value, ReadForm.KEYS, key
        case "binary_expression" if operator is not None and operator.type == "in":
            return node.child_by_field_name("right"), ReadForm.KEYS, node.child_by_field_name("left")
        case "member_expression" if member is not None and member.text == b"name":
            return value, ReadForm.NAME, None
    return None, ReadForm.NAME, None


def _is_written_out(key: Node) -> bool:
    """Whether a key is a literal that is spelled as it is; one with an escape counts as computed."""
    return key.type in _LITERAL_KEYS and all(part.type != _ESCAPE for part in parts_of(key))


def _value_and_type(node: Node) -> tuple[Node | None, Node | None]:
    """The value in a cast, a declaration or a `return`, and the type that the code says it has; None for what lacks."""
    match node.type:
        case "as_expression" | "type_predicate":
            value, of_type, *_ = *parts_of(node), None, None
            return value, of_type
        case "type_assertion":
            parts = parts_of(node)  # the type is in brackets
            return (parts[-1], first_part(parts[0])) if parts else (None, None)
        case "arrow_function":
            return node.child_by_field_name("body"), node.child_by_field_name("return_type")
        case "return_statement":
            function = next((around for around in ancestors(node) if around.type in FUNCTIONS), None)
            return first_part(node), None if function is None else function.child_by_field_name("return_type")
        case _:
            return node.child_by_field_name("value"), node.child_by_field_name("type")


def _is_to_literal(call: Node) -> bool:
    """Whether the first argument of a call is a literal: `Object.assign({}, cart)` changes no object that there was."""
    arguments = call.child_by_field_name("arguments")
    target = first_part(arguments)
    return target is not None and target.type == "object"


def _is_computed_member_of_this(item: Node) -> bool:
    """Whether an item is assigned as `this[key] = ...` with a key that is no literal."""
    holder, index, receiver = item.parent, item.child_by_field_name("index"), item.child_by_field_name("object")
    if holder is None or holder.child_by_field_name("left") != item or index is None:
        return False
    return not _is_written_out(index) and receiver is not None and receiver.type == "this"
