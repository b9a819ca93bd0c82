"""Where a Python text reads names as the program runs, by its library or by itself, and what values it gives.

`mentions` inherits the answers. The base class says what each question is for: `context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import signature
from types import MappingProxyType
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.languages.python.assumptions import assumptions
from context_index.languages.python.given_values import given_values
from context_index.languages.python.name_nodes import FUNCTIONS, called_name, is_declared, is_in_import, is_member
from context_index.languages.python.text_parts import text_parts
from context_index.languages.python.value_reads import (
    FILLING,
    are_keys_said,
    entries,
    filled_argument,
    is_plain,
    text_of,
    texts,
    unpacked,
)
from context_index.mentions import Assumption, GivenValues, MentionRules, Read, ReadForm
from context_index.syntax import Node, ancestors, first_part, nodes_of, parts_of

_REPLACING = frozenset({"copy.replace", "dataclasses.replace", "_replace"})
"""Functions that copy a value with other members, which are named by their arguments (Library Reference)."""
_READERS = {
    path: form
    for form, paths in {
        ReadForm.MEMBERS: (
            "builtins.vars", "builtins.dir", "dataclasses.asdict", "dataclasses.fields", "inspect.getmembers",
            "inspect.getmembers_static", "inspect.get_annotations", "typing.get_type_hints", "_asdict", "_fields",
            "__dict__", "__annotations__", "__abstractmethods__", "__members__",
        ),
        ReadForm.KEYS: (
            "builtins.getattr", "builtins.setattr", "builtins.hasattr", "builtins.delattr", "inspect.getattr_static",
            "builtins.object.__getattribute__", "builtins.object.__setattr__", "builtins.object.__delattr__",
            *_REPLACING, *FILLING,
        ),
        ReadForm.ANY_KEYS: ("operator.attrgetter", "operator.methodcaller"),
        ReadForm.ITEMS: ("json.dumps", "json.dump"),
        ReadForm.MEMBER: ("enum.Enum.name", "enum.Enum._name_", "enum.Flag.name", "enum.Flag._name_"),
        ReadForm.STRING: ("builtins.str", "builtins.format", "builtins.str.format"),
        ReadForm.NAME: ("__name__", "__qualname__", "types.CodeType.co_name"),
        ReadForm.PARAMETERS: ("inspect.signature", "inspect.getfullargspec", "types.CodeType.co_varnames"),
        ReadForm.SOURCE: ("inspect.getsource", "inspect.getsourcelines"),
        ReadForm.FRAME: ("sys._getframe", "inspect.currentframe", "inspect.stack"),
        ReadForm.SCOPE: ("builtins.locals", "builtins.globals"),
        ReadForm.CODE: ("builtins.eval", "builtins.exec", "timeit.timeit", "timeit.repeat"),
    }.items()
    for path in paths
}  # fmt: skip
"""See `MentionRules.READERS` (Language Reference, 3.2; Library Reference)."""
_TAKES_CODE = frozenset({"builtins.eval", "builtins.exec"})
"""Functions whose argument is code; others take a function as well, and then make no code."""
_METHODCALLER = "operator.methodcaller"
_WITH_KEY = 2
"""The arguments of a function that takes a value and a key."""
_OF_OBJECT = "builtins.object."
_UNBOUND = {
    path: len(signature(getattr(object, path.removeprefix(_OF_OBJECT))).parameters)
    for path in _READERS
    if path.startswith(_OF_OBJECT)
}
"""The arguments of methods that take a key, if they are asked of a class and get the value first; a value has one fewer
(Language Reference, 3.3.2)."""
_WITHOUT_VALUE = frozenset({"builtins.vars", "builtins.dir"})
"""Functions that read the local names if they are given no value (Library Reference, Built-in Functions)."""


class PythonReads(MentionRules):
    """The questions about run time, and about what code says of types."""

    READERS: ClassVar[Mapping[str, ReadForm]] = MappingProxyType(_READERS)
    TYPE_OF_CLASSES: ClassVar[str] = "builtins.type"
    ENUM_TEXT: ClassVar[str] = "enum.Enum.__str__"
    ENUM_OF_VALUES: ClassVar[str] = "enum.ReprEnum"

    def library_probe(self, path: str) -> tuple[str, str]:
        """The module is imported where it is said: `__import__("dataclasses").` and `fields`."""
        module, dot, rest = path.partition(".")
        if not dot:  # a member that many values have
            return "", path
        receiver, dot, name = rest.rpartition(".")
        return f'__import__("{module}").{receiver}{dot}', name

    def _spelled_path(self, node: Node, path: str) -> str | None:
        """The path of `vars` where it is said alone, as `shop.vars` is another one; that of `__dict__` after a dot."""
        if _is_of_value(path):
            return path if is_member(node) else None
        return "" if path.startswith("builtins.") and is_member(node) else path

    @cached_property
    def called(self) -> Mapping[int, Node]:
        """The calls of names and members: `shop.total()` by the offset of `total`."""
        calls = ((call, called_name(call)) for call in nodes_of(self.syntax, "call"))
        return {self.syntax.start(name): call for call, name in calls if name is not None}

    def reads(self, library: Mapping[int, str]) -> Iterator[Read]:
        """The items, splats and calls that read names: `cart["total"]`, `f(**options)`, `getattr(cart, key)`."""
        for node in nodes_of(self.syntax, "subscript"):
            value, key = node.child_by_field_name("value"), node.child_by_field_name("subscript")
            if value is not None and value.type == "identifier" and key is not None:
                member = self._read(node, ReadForm.MEMBER, value)
                yield replace(member, keys=(self._written(key),)) if is_plain(key) else replace(member, key=key)
        for node in nodes_of(self.syntax, "dictionary_splat"):
            value, holder = first_part(node), node.parent
            if value is not None and holder is not None and holder.type == "argument_list":
                yield self._read(node, ReadForm.ARGUMENTS, value)
                yield from unpacked(self.syntax, node)
        yield from texts(self.syntax)
        yield from entries(self.syntax)
        for offset, path in library.items():
            call, name = self.called.get(offset), self.node(offset)
            read = self._read_by_name(name, path) if call is None else self._read_by_call(call, path)
            if read is not None:
                yield read

    def _read_by_call(self, call: Node, path: str) -> Read | None:
        """What a call of one of `READERS` reads of names; None if it reads none.

        Its form decides: a key, several keys, the functions around, all names visible, or all members of a value.
        """
        given = call.child_by_field_name("arguments")
        arguments = [] if given is None else parts_of(given)
        form = _READERS[path]
        if form is ReadForm.STRING:
            return text_of(self.syntax, call, arguments)
        if not arguments and path in _WITHOUT_VALUE:
            form = ReadForm.SCOPE
        if form is ReadForm.KEYS:
            return self._read_by_key(call, path, arguments)
        if path == _METHODCALLER and arguments:  # the others are the arguments of the method
            name, *_ = arguments
            read = Read(self.syntax.start(call), form)
            return replace(read, keys=(self._written(name),)) if is_plain(name) else replace(read, key=name)
        if form is ReadForm.ANY_KEYS:
            keys = tuple(key for argument in arguments for key in self._written(argument).split("."))
            return Read(self.syntax.start(call), form, keys=keys if all(map(is_plain, arguments)) else ())
        if form is ReadForm.FRAME:
            names = (around.child_by_field_name("name") for around in ancestors(call) if around.type in FUNCTIONS)
            return Read(self.syntax.start(call), form, tuple(self.syntax.start(name) for name in names if name))
        if form is ReadForm.CODE and path not in _TAKES_CODE and not any(nodes_of(self.syntax, "string", within=given)):
            return None
        if form in (ReadForm.SCOPE, ReadForm.CODE):
            return Read(self.syntax.start(call), form)
        return self._read_with_key(call, form, arguments[0] if arguments else call)

    def _read_by_key(self, call: Node, path: str, arguments: Sequence[Node]) -> Read | None:
        """What a call of a function that takes a key reads of names; None if the key is only handed on."""
        if path in FILLING:
            filled = filled_argument(self.syntax, arguments)
            return None if filled is None else self._read(call, ReadForm.KEYS, filled)
        if path in _REPLACING:
            return self._read_by_replacing(call, path, arguments)
        if arguments and arguments[0].type == "list_splat":  # `getattr(*pair)`
            return Read(self.syntax.start(call), ReadForm.ANY_KEYS)
        if path in _UNBOUND and len(arguments) != _UNBOUND[path]:
            access = call.child_by_field_name("function")
            value = None if access is None else access.child_by_field_name("object")
            key = next(iter(arguments), None)
        else:
            value, key = (*arguments, None, None)[:_WITH_KEY]
        if value is None or key is None:
            return None
        if is_plain(key):
            name = value.child_by_field_name("attribute") or value
            untyped = self.syntax.start(name) if name.type == "identifier" else None
            return replace(self._read(call, ReadForm.KEYS, value), untyped=untyped, keys=(self._written(key),))
        if path in _UNBOUND and self._is_asked_by_language(key):
            return None
        return replace(self._read(call, ReadForm.KEYS, value), key=key)

    def _read_by_replacing(self, call: Node, path: str, arguments: Sequence[Node]) -> Read | None:
        """What a call that copies a value reads, if keys that nobody can see name the members of the copy."""
        access = call.child_by_field_name("function") if _is_of_value(path) else None
        value = next(iter(arguments), None) if access is None else access.child_by_field_name("object")
        mappings = (first_part(argument) for argument in arguments if argument.type == "dictionary_splat")
        is_read = any(mapping is not None and not are_keys_said(self.syntax, mapping) for mapping in mappings)
        return self._read(call, ReadForm.KEYS, value) if value is not None and is_read else None

    def _is_asked_by_language(self, key: Node) -> bool:
        """Whether a key is a parameter of a method that the language calls with the names of members as code says them.

        Such a method is one of `_UNBOUND` that a class has in place of `object`'s.
        """
        function = next((around for around in ancestors(key) if around.type in FUNCTIONS), None)
        name, parameters = (function and function.child_by_field_name(field) for field in ("name", "parameters"))
        if not name or not parameters or f"{_OF_OBJECT}{self.syntax.text(name)}" not in _UNBOUND:
            return False
        names = identifiers(self.syntax, self.syntax.span(parameters))
        return key.type == "identifier" and self.syntax.text(key) in map(self.syntax.text, names)

    def _read_by_name(self, name: Node, path: str) -> Read | None:
        """What a member that is one of `READERS` reads of names, or a function that is an argument of a call."""
        if _READERS[path] is ReadForm.STRING:  # `str` is most often said as a type: `isinstance(value, str)`
            return None
        holder = name.parent
        access = holder if holder is not None and is_member(name) else None
        value = None if access is None else access.child_by_field_name("object")
        if access is not None and value is not None and _is_of_value(path):
            return self._read_with_key(access, _READERS[path], value)
        getter = self.getter_of(access or name)
        return None if getter is None else self._read(getter, ReadForm.MEMBERS, getter)

    def _read_with_key(self, mapping: Node, form: ReadForm, value: Node) -> Read:
        """The read of all names of a value, or of one that is written as a key: `vars(cart)["total"]`."""
        read, key = self._read(mapping, form, value), _string_key(mapping)
        return read if key is None else replace(read, form=ReadForm.KEYS, keys=(self._written(key),))

    def _read(self, at: Node, form: ReadForm, value: Node) -> Read:
        """The read of a form at a node, with all names in the value that is read."""
        names = identifiers(self.syntax, self.syntax.span(value))
        is_name = value.type == "identifier" and form is not ReadForm.MEMBER
        return Read(
            self.syntax.start(at),
            form,
            tuple(map(self.syntax.start, names)),
            untyped=self.syntax.start(value) if is_name else None,
        )

    def _written(self, key: Node) -> str:
        """The content of a string that is a key: `total` of `"total"`."""
        return "".join(self.syntax.text(part) for part in key.children if part.type == "string_content")

    def given_values(self) -> Iterator[GivenValues]:
        """Those of all calls: the name `cart` and the key `total` of `show(cart, {"total": 1})`."""
        yield from given_values(self.syntax)

    def assumptions(self) -> Iterator[Assumption]:
        """What annotations, `return` and calls say: of `row` in `x: Cart = row` and in `cast(Cart, row)`."""
        yield from assumptions(self.syntax)

    def choices(self, value: Node) -> Sequence[Node]:
        """`a` and `b` of `a if c else b`."""
        return parts_of(value)[::2] if value.type == "conditional_expression" else ()  # the condition is between them

    def text_parts(self, value: Node) -> Sequence[str | None]:
        """`"on"` and None of `"on" + event`, also of formats and f-strings."""
        return text_parts(self.syntax, value)

    def values_of(self, variable: Node) -> Sequence[Node]:
        """Those that assignments give to names that are written so in the function around it, or in the module."""
        name, values = self.syntax.text(variable), list[Node]()
        function = next((around for around in ancestors(variable) if around.type in FUNCTIONS), None)
        for node in identifiers(self.syntax, None if function is None else self.syntax.span(function)):
            if self.syntax.text(node) != name or is_member(node):
                continue
            holder = node.parent
            value = None if holder is None or self._name_given(holder) != node else holder.child_by_field_name("right")
            if value is not None:
                values.append(value)
            elif self._is_bound(node):
                return ()
        return values

    def _is_bound(self, node: Node) -> bool:
        """Whether a name gets a value where it is said: as a target, a parameter, an import or a definition."""
        return (
            self.is_target(node)
            or self.parameter_function(self.syntax.start(node)) is not None
            or is_in_import(node)
            or is_declared(node)
        )

    def is_written_out(self, offset: int) -> bool:
        """Whether `=` follows in an expression of an f-string: `f"{total=}"` (Language Reference, 2.4.3)."""
        holders = (around for around in ancestors(self.node(offset)) if around.type == "interpolation")
        return any(child.type == "=" for holder in holders for child in holder.children)


def _is_of_value(path: str) -> bool:
    """Whether one of `READERS` is a member of values, such as `__dict__` or `enum.Enum.name`.

    Others are functions, whose paths are the module and the function.
    """
    return path.count(".") != 1


def _string_key(mapping: Node) -> Node | None:
    """The key for which a mapping is asked, if it is written as a string: of `vars(cart)["total"]`."""
    holder = mapping.parent
    if holder is None or holder.type != "subscript" or holder.child_by_field_name("value") != mapping:
        return None
    key = holder.child_by_field_name("subscript")
    return key if key is not None and key.type == "string" else None
