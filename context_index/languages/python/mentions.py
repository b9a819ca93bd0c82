"""What a rename asks about the names in a Python text: their forms, classes, parameters, calls, and modules as values.

`MentionRules` documents each question; the docstrings here say only what Python adds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from doctest import DocTestParser
from enum import Enum, EnumMeta
from functools import cached_property
from inspect import signature
from pathlib import Path
from string import Formatter
from types import MappingProxyType
from typing import ClassVar
from unicodedata import normalize

from context_index.declarations import all_strings, identifiers
from context_index.languages.python.assumptions import assumptions
from context_index.languages.python.bindings import TARGET_GROUPS, captured_names
from context_index.languages.python.computed_members import patterns
from context_index.languages.python.given_values import given_values
from context_index.languages.python.parameters import arguments_for, parameter_at
from context_index.languages.python.text_parts import text_parts
from context_index.mentions import (
    Assumption,
    FunctionParameter,
    GivenValues,
    MentionForm,
    MentionRules,
    NamePattern,
    Read,
    ReadForm,
    mentions,
)
from context_index.symbols import Language
from context_index.syntax import Node, ancestors, first_part, nodes_of, parse, parts_of
from context_index.text import Document, line_starts

_FUNCTIONS = frozenset({"function_definition", "lambda"})
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_SCOPES = _FUNCTIONS | _COMPREHENSIONS | {"class_definition"}
_TARGETED = frozenset({
    "as_pattern_target", "delete_statement", "global_statement", "named_expression", "nonlocal_statement",
})  # fmt: skip
"""What gives names other values by other means than a left side, or lets other functions do so."""
_EXPORTS = "__all__"
_NAMES_OF_MEMBERS = frozenset({"__slots__", "__match_args__"})
"""What a class has to name members in strings (Language Reference, 3.3.2.4, 3.3.10)."""
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
"""Methods that get the arguments of a call of their class (Language Reference, 3.3.1)."""
_MAKERS = _CONSTRUCTORS | {"__prepare__"}
"""Methods of a metaclass that get the names of a class's members (Language Reference, 3.3.3)."""
_PROMPT, _IMPORT = ">>> ", "import "
"""What an example of a docstring begins with (Library Reference, doctest), and what a program with an import has."""
_MODULE_GETATTR = "__getattr__"
"""A module's function of this name gives it names as the program runs (PEP 562)."""


_READERS = {
    path: form
    for form, paths in {
        ReadForm.MEMBERS: (
            "builtins.vars", "builtins.dir", "dataclasses.asdict", "dataclasses.fields", "inspect.getmembers",
            "inspect.getmembers_static", "inspect.get_annotations", "typing.get_type_hints", "_asdict", "_fields",
            "__dict__", "__annotations__", "__abstractmethods__",
        ),
        ReadForm.KEYS: (
            "builtins.getattr", "builtins.setattr", "builtins.hasattr", "builtins.delattr", "inspect.getattr_static",
            "builtins.object.__getattribute__", "builtins.object.__setattr__", "builtins.object.__delattr__",
        ),
        ReadForm.ANY_KEYS: ("operator.attrgetter", "operator.methodcaller"),
        ReadForm.ITEMS: ("json.dumps", "json.dump"),
        ReadForm.MEMBER: ("enum.Enum.name", "enum.Enum._name_"),
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


class PythonMentions(MentionRules):
    """See `MentionRules`."""

    CLASSES: ClassVar[frozenset[str]] = frozenset({"class_definition"})
    NESTS_CLASSES: ClassVar[bool] = True
    LOCAL_SCOPES: ClassVar[frozenset[str]] = _FUNCTIONS
    READERS: ClassVar[Mapping[str, ReadForm]] = MappingProxyType(_READERS)
    FINDERS: ClassVar[frozenset[str]] = frozenset({
        "builtins.__import__", "builtins.eval", "builtins.exec", "builtins.globals", "builtins.vars",
        "importlib.import_module", "runpy.run_module", "sys.modules",
    })  # fmt: skip
    """Library Reference."""
    OTHER_FINDERS: ClassVar[frozenset[str]] = frozenset({_MODULE_GETATTR})

    def plain_spelling(self, identifier: str) -> str:
        """See `MentionRules` (Language Reference, 2.3)."""
        return normalize("NFKC", identifier)

    def form(self, node: Node) -> MentionForm:
        """See `MentionRules`."""
        parent = node.parent
        if parent is None:
            return MentionForm.NAME
        match parent.type:
            case "attribute" if parent.child_by_field_name("attribute") == node:
                return MentionForm.MEMBER
            case "keyword_argument" if parent.child_by_field_name("name") == node:
                return MentionForm.KEYWORD
            case "keyword_pattern" if parent.named_child(0) == node:
                return MentionForm.PATTERN
        return MentionForm.NAME if _declaring_class(node) is None else MentionForm.MEMBER

    def format_fields(self, text: str, name: str) -> Iterator[int]:
        """See `MentionRules` (Library Reference, string, Format String Syntax)."""
        offset = 0
        try:
            for literal, field, rest, conversion in Formatter().parse(text):
                offset += len(literal) + literal.count("{") + literal.count("}")
                if field is None:
                    continue
                start = offset + 1
                yield from (start + at for at, said in _accesses(field) if said == name)
                offset = start + len(field) + (len(conversion) + 1 if conversion else 0)
                if text[offset : offset + 1] == ":":
                    yield from (offset + 1 + within for within in self.format_fields(rest or "", name))
                    offset += 1 + len(rest or "")
                offset += 1
        except ValueError:  # it is no format
            return

    def fields(self, declaration: Node) -> Iterator[int]:
        """See `MentionRules`."""
        body = declaration.child_by_field_name("body")
        for statement in () if body is None else body.named_children:
            assignment = next(iter(statement.named_children), None)
            name = None if assignment is None else assignment.child_by_field_name("left")
            if name is not None and name.type == "identifier":
                yield self.syntax.start(name)

    def maker_of_field(self, offset: int) -> str:
        """See `MentionRules`."""
        assignment = self.node(offset).parent if self.is_field(offset) else None
        value = None if assignment is None else assignment.child_by_field_name("right")
        called = value.child_by_field_name("function") if value is not None and value.type == "call" else None
        return "" if called is None else self.syntax.text(called)

    def lists_names(self, content: Node) -> bool:
        """See `MentionRules`; a text for people may be among a decorator's arguments, but has no commas alone."""
        text = self.syntax.text(content)
        for around in ancestors(content):
            match around.type:
                case "decorator":
                    return all(len(part.split()) == 1 for part in text.split(","))
                case "assignment" | "augmented_assignment":
                    left = around.child_by_field_name("left")
                    said = "" if left is None else self.syntax.text(left)
                    return said == _EXPORTS or said in _NAMES_OF_MEMBERS
                case "function_definition" | "class_definition" | "lambda":
                    return False
        return False

    @cached_property
    def code_in_strings(self) -> Mapping[int, tuple[str, MentionForm]]:
        """See `MentionRules`: the examples that doctest finds, and strings that are programs with an import."""
        names: dict[int, tuple[str, MentionForm]] = {}
        text = self.syntax.document.text
        for content in nodes_of(self.syntax, "string_content") if _PROMPT in text or _IMPORT in text else ():
            written, start = self.syntax.text(content), self.syntax.start(content)
            if _PROMPT in written:
                names |= {start + at: said for at, said in _names_in_examples(written)}
            elif _IMPORT in written:
                program = parse(Document("", Language.PYTHON, written.replace("\\n", " \n")))
                imports = [*nodes_of(program, "import_statement"), *nodes_of(program, "import_from_statement")]
                if imports and not program.errors:
                    rules = PythonMentions(program)
                    names |= {
                        start + program.start(node): (program.text(node), rules.form(node))
                        for node in identifiers(program)
                    }
        return names

    def is_exported(self, content: Node) -> bool:
        """Whether a string is a part of what is assigned or added to `__all__`."""
        inner = content
        for around in ancestors(content):
            match around.type:
                case "assignment" | "augmented_assignment":
                    left = around.child_by_field_name("left")
                    return left is not None and left != inner and self.syntax.text(left) == _EXPORTS
                case "call":
                    called = around.child_by_field_name("function")
                    receiver = None if called is None else called.child_by_field_name("object")
                    if receiver is not None and self.syntax.text(receiver) == _EXPORTS:
                        return True
                case (
                    "function_definition" | "class_definition" | "subscript" | "comparison_operator" | "lambda" | "pair"
                ):
                    return False
            inner = around
        return False

    def is_key(self, offset: int) -> bool:
        """Whether it is the key of a dictionary (`{"name": 1}`) or of an assigned item (`options["name"] = 1`)."""
        inner = self.node(offset)
        for around in ancestors(inner):
            if around.type == "pair":
                return around.child_by_field_name("key") == inner
            if around.type == "subscript":
                holder = around.parent
                return holder is not None and holder.child_by_field_name("left") == around
            if "string" not in around.type:
                return False
            inner = around
        return False

    def _name_given(self, holder: Node) -> Node | None:
        return holder.child_by_field_name("left") if holder.type == "assignment" else None

    def _is_receiver(self, node: Node) -> bool:
        parent = node.parent
        return parent is not None and parent.type == "attribute" and parent.child_by_field_name("object") == node

    def enclosing_class(self, offset: int) -> Node | None:
        """See `MentionRules`; `self.name` (a first parameter's) and `super().name` belong to the method's class."""
        node = self.node(offset)
        parent = node.parent
        if parent is None or parent.type != "attribute":
            return _declaring_class(node)
        receiver = parent.child_by_field_name("object")
        called = receiver.child_by_field_name("function") if receiver is not None and receiver.type == "call" else None
        is_super = called is not None and self.syntax.text(called) == "super"
        said = "" if receiver is None or receiver.type != "identifier" else self.syntax.text(receiver)
        return next((of_class for name, of_class in self._receivers(parent) if is_super or name == said), None)

    def _receivers(self, node: Node) -> Iterator[tuple[str, Node]]:
        """The first parameters of the methods around a node, each with the method's class."""
        for function in ancestors(node):
            if function.type != "function_definition":
                continue
            holder = function.parent
            decorators: list[Node] = []
            if holder is not None and holder.type == "decorated_definition":
                decorators, holder = holder.named_children[:-1], holder.parent
            of_class = None if holder is None else holder.parent
            parameters = function.child_by_field_name("parameters")
            first = first_part(parameters)
            is_static = any(self.syntax.text(decorator) == "@staticmethod" for decorator in decorators)
            if of_class is not None and of_class.type == "class_definition" and first is not None and not is_static:
                name = next(iter(first.named_children), first)  # before an annotation
                yield self.syntax.text(name), of_class

    def bases(self, of_class: Node) -> Iterator[int]:
        """See `MentionRules`; of a base with type arguments, such as `Base[int]`, its own name."""
        bases = of_class.child_by_field_name("superclasses")
        for base in () if bases is None else bases.named_children:
            plain = (base.type == "subscript" and base.child_by_field_name("value")) or base
            name = plain.child_by_field_name("attribute") or plain
            if name.type == "identifier":
                yield self.syntax.start(name)

    def metaclasses(self, of_class: Node) -> Iterator[int]:
        """See `MentionRules`."""
        bases = of_class.child_by_field_name("superclasses")
        for argument in () if bases is None else bases.named_children:
            name, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
            if value is not None and name is not None and self.syntax.text(name) == "metaclass":
                yield self.syntax.start(value.child_by_field_name("attribute") or value)

    def makers_of_classes(self, metaclass: Node) -> Iterator[int]:
        """See `MentionRules`."""
        body = metaclass.child_by_field_name("body")
        for statement in () if body is None else body.named_children:
            definition = statement.child_by_field_name("definition") or statement
            name = definition.child_by_field_name("name")
            if name is not None and definition.type == "function_definition" and self.syntax.text(name) in _MAKERS:
                yield self.syntax.start(name)

    def asked_by_class(self, declared: Path, line: int) -> Sequence[NamePattern]:
        """See `MentionRules`."""
        return patterns(declared, line)

    def may_be_enumerated(self, name: str) -> bool:
        """See `MentionRules`; an enumeration of the standard library is made with it."""
        try:
            return name in EnumMeta.__call__(Enum, "Probe", [(name, 1)]).__members__
        except ValueError:  # the class refuses it, as it does with `_name_`
            return False

    def class_of_receiver(self, offset: int) -> Node | None:
        """See `MentionRules`; also for `cls`."""
        said = self.syntax.text(self.node(offset))
        return next((of_class for name, of_class in self._receivers(self.node(offset)) if name == said), None)

    def is_field(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        is_assigned = node.parent is not None and node.parent.type == "assignment"
        return is_assigned and self.enclosing_class(offset) is not None

    def is_protocol(self, of_class: Node) -> bool:
        """See `MentionRules` (PEP 544)."""
        bases = of_class.child_by_field_name("superclasses")
        names = () if bases is None else identifiers(self.syntax, self.syntax.span(bases))
        return any(self.syntax.text(name) == "Protocol" for name in names)

    def is_mangled(self, name: str) -> bool:
        """See `MentionRules` (Language Reference, 6.2.1)."""
        return name.startswith("__") and not name.endswith("__")

    def mangled(self, of_class: str) -> Iterator[tuple[int, str]]:
        """See `MentionRules`."""
        stem = of_class.lstrip("_")
        if not stem:
            return
        for node in (*identifiers(self.syntax), *all_strings(self.syntax)):
            mangled = self.syntax.text(node).rpartition(".")[2]
            private = mangled[1 + len(stem) :]
            if mangled.startswith(f"_{stem}__") and self.is_mangled(private):
                yield self.syntax.end(node) - len(mangled) + 1, private

    def assigned_name(self, offset: int) -> int:
        """See `MentionRules`."""
        attributes = (around for around in ancestors(self.node(offset)) if around.type == "attribute")
        attribute = next((node for node in attributes if self.syntax.start(node) == offset), None)
        name = None if attribute is None else attribute.child_by_field_name("attribute")
        return offset if name is None else self.syntax.start(name)

    def pattern_class(self, offset: int) -> str:
        """See `MentionRules`."""
        pattern = next((around for around in ancestors(self.node(offset)) if around.type == "class_pattern"), None)
        name = None if pattern is None else pattern.named_child(0)
        return "" if name is None else self.syntax.text(name)

    def is_of_module(self, offset: int) -> bool:
        """See `MentionRules`."""
        node = self.node(offset)
        return self.form(node) is MentionForm.NAME and _scope(node) is None

    def imported_from(self, name: str, offset: int) -> Iterator[int]:
        """See `MentionRules`."""
        statements = list(nodes_of(self.syntax, "import_from_statement"))
        around = [node for node in statements if self.syntax.start(node) <= offset < self.syntax.end(node)]
        for statement in around or statements:
            module = statement.child_by_field_name("module_name")
            for imported in statement.children_by_field_name("name"):
                names = (imported.child_by_field_name("alias"), imported.child_by_field_name("name"), imported)
                if module is not None and any(node is not None and self.syntax.text(node) == name for node in names):
                    # the last character is in `cart` of `shop.cart`, the first one in the package
                    yield self.syntax.end(module) - 1

    def module_of_import(self, offset: int) -> int | None:
        """See `MentionRules`; a module that is imported as a whole is its own."""
        node = self.node(offset)
        name = node.parent  # a dotted name
        holder = None if name is None else name.parent
        if name is not None and holder is not None and holder.type == "aliased_import":
            name, holder = (holder, holder.parent) if holder.child_by_field_name("name") == name else (None, None)
        if name is None or holder is None or name not in holder.children_by_field_name("name"):
            return None
        if holder.type == "import_statement":
            return offset
        module = holder.child_by_field_name("module_name") if holder.type == "import_from_statement" else None
        return None if module is None or module.type == "relative_import" else self.syntax.end(module) - 1

    def parameter_function(self, offset: int) -> tuple[int, str] | None:
        """See `MentionRules`."""
        node = self.node(offset)
        inner = node
        for around in ancestors(node):
            if around.type in ("parameters", "lambda_parameters"):
                function = around.parent
                name = None if function is None else function.child_by_field_name("name")
                if name is None:  # a lambda
                    return self.syntax.start(node), ""
                return self.syntax.start(name), self.syntax.text(name)
            if around.child_by_field_name("type") == inner or around.child_by_field_name("value") == inner:
                return None
            inner = around
        return None

    def class_made_with(self, offset: int) -> Node | None:
        """See `MentionRules`."""
        if self.is_field(offset):
            return self.enclosing_class(offset)
        function = self.parameter_function(offset)
        if function is None or function[1] not in _CONSTRUCTORS:
            return None
        return self.enclosing_class(function[0])

    def parameters_named(self, function: int, name: str) -> Iterator[int]:
        """See `MentionRules`."""
        definition = self.node(function).parent
        parameters = None if definition is None else definition.child_by_field_name("parameters")
        if parameters is None:
            return
        for mention in mentions(self.syntax, name):
            is_within = self.syntax.start(parameters) <= mention.start < self.syntax.end(parameters)
            if is_within and (declared := self.parameter_function(mention.start)) and declared[0] == function:
                yield mention.start

    def parameter(self, offset: int) -> FunctionParameter | None:
        """See `MentionRules`."""
        return parameter_at(self.syntax, self.node(offset))

    def arguments_for(self, call: Node, parameter: FunctionParameter) -> Sequence[Node] | None:
        """See `MentionRules`."""
        return arguments_for(self.syntax, call, parameter)

    def is_only_passed_on(self, offset: int) -> bool:
        """See `MentionRules`."""
        return _is_in_import(self.node(offset))

    def is_target(self, node: Node) -> bool:
        """See `MentionRules`; also in `for`, `with`, `del`, `:=` and the like, and in a pattern of a `case`."""
        case = next((around for around in ancestors(node) if around.type == "case_clause"), None)
        if case is not None and node in captured_names(case):
            return True
        inner = node
        for around in ancestors(node):
            if any(around.child_by_field_name(field) == inner for field in ("left", "alias")):
                return around.type not in ("binary_operator", "boolean_operator")
            if around.type in _TARGETED:
                return around.type != "named_expression" or around.child_by_field_name("name") == inner
            if around.type not in TARGET_GROUPS:
                return False
            inner = around
        return False

    def calls_with_mapping(self, function: str) -> Iterator[int]:
        """See `MentionRules`."""
        for node in nodes_of(self.syntax, "dictionary_splat"):
            call = None if node.parent is None or node.parent.type != "argument_list" else node.parent.parent
            called = _called(call)
            if called is not None and self.syntax.text(called) == function:
                yield self.syntax.start(node)

    def is_passed_on(self, function: str) -> bool:
        """See `MentionRules`."""
        for node in identifiers(self.syntax):
            if self.syntax.text(node) != function:
                continue
            value, parent = node, node.parent
            if parent is not None and parent.type == "attribute":
                if parent.child_by_field_name("attribute") != node:
                    return True  # `total.apply`: a decorator's members may call it
                value, parent = parent, parent.parent  # `shop.total` is what is called or passed on
            is_called_or_defined = parent is not None and value in (
                parent.child_by_field_name("function"),
                parent.child_by_field_name("name"),
            )
            if not is_called_or_defined and not _is_in_import(node) and not _is_base_or_type(value):
                return True
        return False

    def decorators(self, offset: int) -> Iterator[int]:
        """See `MentionRules`."""
        definition = self.node(offset).parent
        holder = None if definition is None else definition.parent
        if holder is not None and holder.type == "decorated_definition":
            for decorator in holder.named_children[:-1]:
                yield from map(self.syntax.start, identifiers(self.syntax, self.syntax.span(decorator)))

    def decorated(self, offset: int) -> int | None:
        """See `MentionRules`."""
        decorator = next((around for around in ancestors(self.node(offset)) if around.type == "decorator"), None)
        holder = None if decorator is None else decorator.parent
        definition = None if holder is None else holder.child_by_field_name("definition")
        name = None if definition is None else definition.child_by_field_name("name")
        return None if name is None else self.syntax.start(name)

    def keyword_call(self, offset: int) -> tuple[int, frozenset[str]] | None:
        """See `MentionRules`."""
        call = next((around for around in ancestors(self.node(offset)) if around.type == "call"), None)
        called = _called(call)
        arguments = None if call is None else call.child_by_field_name("arguments")
        if called is None or arguments is None:
            return None
        names = identifiers(self.syntax, self.syntax.span(arguments))
        return self.syntax.start(called), frozenset(map(self.syntax.text, names))

    def library_probe(self, path: str) -> tuple[str, str]:
        """See `MentionRules`; the module is imported where it is said."""
        module, _, rest = path.partition(".")
        receiver, dot, name = rest.rpartition(".")
        return f'__import__("{module}").{receiver}{dot}', name

    def _spelled_path(self, node: Node, path: str) -> str | None:
        """See `MentionRules`; a built-in function is said alone, and a value's member after a dot."""
        is_member = _is_member(node)
        if _is_of_value(path):
            return path if is_member else None
        return "" if path.startswith("builtins.") and is_member else path

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """See `MentionRules`."""
        imports = (*nodes_of(self.syntax, "import_statement"), *nodes_of(self.syntax, "import_from_statement"))
        names = [name for statement in imports for name in statement.children_by_field_name("name")]
        return frozenset(
            self.syntax.text(name.child_by_field_name("alias") or name).partition(".")[0] for name in names
        )

    @cached_property
    def called(self) -> Mapping[int, Node]:
        """See `MentionRules`."""
        calls = ((call, _called(call)) for call in nodes_of(self.syntax, "call"))
        return {self.syntax.start(name): call for call, name in calls if name is not None}

    def reads(self, library: Mapping[int, str]) -> Iterator[Read]:
        """See `MentionRules`."""
        for node in nodes_of(self.syntax, "subscript"):
            value, key = node.child_by_field_name("value"), node.child_by_field_name("subscript")
            if value is not None and value.type == "identifier" and key is not None:
                member = self._read(node, ReadForm.MEMBER, value)
                yield replace(member, keys=(self._written(key),)) if _is_plain(key) else replace(member, key=key)
        for node in nodes_of(self.syntax, "dictionary_splat"):
            value, holder = first_part(node), node.parent
            if value is not None and holder is not None and holder.type == "argument_list":
                yield self._read(node, ReadForm.ARGUMENTS, value)
        for offset, path in library.items():
            call, name = self.called.get(offset), self.node(offset)
            read = self._read_by_name(name, path) if call is None else self._read_by_call(call, path)
            if read is not None:
                yield read

    def _read_by_call(self, call: Node, path: str) -> Read | None:
        """What a call of one of `READERS` reads of names; None if it reads none."""
        given = call.child_by_field_name("arguments")
        arguments = [] if given is None else parts_of(given)
        form = _READERS[path]
        if not arguments and path in _WITHOUT_VALUE:
            form = ReadForm.SCOPE
        if form is ReadForm.KEYS:
            return self._read_by_key(call, path, arguments)
        if path == _METHODCALLER and arguments:  # the others are the arguments of the method
            name, *_ = arguments
            read = Read(self.syntax.start(call), form)
            return replace(read, keys=(self._written(name),)) if _is_plain(name) else replace(read, key=name)
        if form is ReadForm.ANY_KEYS:
            keys = tuple(key for argument in arguments for key in self._written(argument).split("."))
            return Read(self.syntax.start(call), form, keys=keys if all(map(_is_plain, arguments)) else ())
        if form is ReadForm.FRAME:
            names = (around.child_by_field_name("name") for around in ancestors(call) if around.type in _FUNCTIONS)
            return Read(self.syntax.start(call), form, tuple(self.syntax.start(name) for name in names if name))
        if form is ReadForm.CODE and path not in _TAKES_CODE and not any(nodes_of(self.syntax, "string", within=given)):
            return None
        if form in (ReadForm.SCOPE, ReadForm.CODE):
            return Read(self.syntax.start(call), form)
        return self._read_with_key(call, form, arguments[0] if arguments else call)

    def _read_with_key(self, mapping: Node, form: ReadForm, value: Node) -> Read:
        """The read of all names of a value, or of one that is written as a key: `vars(cart)["total"]`."""
        read, key = self._read(mapping, form, value), _string_key(mapping)
        return read if key is None else replace(read, form=ReadForm.KEYS, keys=(self._written(key),))

    def _read_by_key(self, call: Node, path: str, arguments: Sequence[Node]) -> Read | None:
        """What a call of a function that takes a key reads of names; None if the key is only handed on."""
        if path in _UNBOUND and len(arguments) != _UNBOUND[path]:
            access = call.child_by_field_name("function")
            value = None if access is None else access.child_by_field_name("object")
            key = next(iter(arguments), None)
        else:
            value, key = (*arguments, None, None)[:_WITH_KEY]
        if value is None or key is None:
            return None
        if _is_plain(key):
            name = value.child_by_field_name("attribute") or value
            untyped = self.syntax.start(name) if name.type == "identifier" else None
            return replace(self._read(call, ReadForm.KEYS, value), untyped=untyped, keys=(self._written(key),))
        if path in _UNBOUND and self._is_asked_by_language(key):
            return None
        return replace(self._read(call, ReadForm.KEYS, value), key=key)

    def given_values(self) -> Iterator[GivenValues]:
        """See `MentionRules`."""
        yield from given_values(self.syntax)

    def assumptions(self) -> Iterator[Assumption]:
        """See `MentionRules`."""
        yield from assumptions(self.syntax)

    def choices(self, value: Node) -> Sequence[Node]:
        """See `MentionRules`."""
        return parts_of(value)[::2] if value.type == "conditional_expression" else ()  # the condition is between them

    def text_parts(self, value: Node) -> Sequence[str | None]:
        """See `MentionRules`."""
        return text_parts(self.syntax, value)

    def values_of(self, variable: Node) -> Sequence[Node]:
        """See `MentionRules`; the names of the function around it, or of the module, that are written so."""
        name, values = self.syntax.text(variable), list[Node]()
        function = next((around for around in ancestors(variable) if around.type in _FUNCTIONS), None)
        for node in identifiers(self.syntax, None if function is None else self.syntax.span(function)):
            if self.syntax.text(node) != name or _is_member(node):
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
            or _is_in_import(node)
            or _is_declared(node)
        )

    def _written(self, key: Node) -> str:
        """The content of a string."""
        return "".join(self.syntax.text(part) for part in key.children if part.type == "string_content")

    def _is_asked_by_language(self, key: Node) -> bool:
        """Whether a key is a parameter of a method that the language calls with the names of members as code says them.

        Such a method is one of `_UNBOUND` that a class has in place of `object`'s.
        """
        function = next((around for around in ancestors(key) if around.type in _FUNCTIONS), None)
        name, parameters = (function and function.child_by_field_name(field) for field in ("name", "parameters"))
        if not name or not parameters or f"{_OF_OBJECT}{self.syntax.text(name)}" not in _UNBOUND:
            return False
        names = identifiers(self.syntax, self.syntax.span(parameters))
        return key.type == "identifier" and self.syntax.text(key) in map(self.syntax.text, names)

    def _read_by_name(self, name: Node, path: str) -> Read | None:
        """What a member that is one of `READERS` reads of names, or a function that is an argument of a call."""
        holder = name.parent
        access = holder if holder is not None and _is_member(name) else None
        value = None if access is None else access.child_by_field_name("object")
        if access is not None and value is not None and _is_of_value(path):
            return self._read_with_key(access, _READERS[path], value)
        getter = self.getter_of(access or name)
        return None if getter is None else self._read(getter, ReadForm.MEMBERS, getter)

    def _read(self, at: Node, form: ReadForm, value: Node) -> Read:
        names = identifiers(self.syntax, self.syntax.span(value))
        is_name = value.type == "identifier" and form is not ReadForm.MEMBER
        return Read(
            self.syntax.start(at),
            form,
            tuple(map(self.syntax.start, names)),
            untyped=self.syntax.start(value) if is_name else None,
        )

    def is_written_out(self, offset: int) -> bool:
        """See `MentionRules` (Language Reference, 2.4.3)."""
        holders = (around for around in ancestors(self.node(offset)) if around.type == "interpolation")
        return any(child.type == "=" for holder in holders for child in holder.children)

    def _finds_modules(self) -> bool:
        functions = (node for node in self.syntax.top_level if node.type == "function_definition")
        defined = (function.child_by_field_name("name") for function in functions)
        return any(name is not None and self.syntax.text(name) == _MODULE_GETATTR for name in defined)

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """See `MentionRules`: names that imports bind to the modules, and the last names of the modules as `a.b`."""
        bound, dotted = set[str](), set[str]()
        imports = ("import_statement", "import_from_statement")
        for statement in (node for kind in imports for node in nodes_of(self.syntax, kind)):
            for name in statement.children_by_field_name("name"):
                alias = name.child_by_field_name("alias")
                parts = self.syntax.text(name.child_by_field_name("name") or name).split(".")
                if parts[-1] not in modules:
                    continue
                if alias is not None:
                    bound.add(self.syntax.text(alias))
                elif len(parts) > 1:
                    dotted.add(parts[-1])  # `import shop.cart` binds `shop`; the module is then written `shop.cart`
                else:
                    bound.add(parts[-1])
        for node in identifiers(self.syntax):
            is_member = node.parent is not None and node.parent.child_by_field_name("attribute") == node
            if not _is_in_import(node) and self.syntax.text(node) in (dotted if is_member else bound):
                yield node

    def _asks_member(self, node: Node) -> bool:
        """See `MentionRules`; for `cart` of `shop.cart`, the whole dotted name counts."""
        parent = node.parent
        is_last = parent is not None and parent.type == "attribute" and parent.child_by_field_name("attribute") == node
        return self._is_receiver(parent if is_last and parent is not None else node)


RULES = PythonMentions


def _names_in_examples(text: str) -> Iterator[tuple[int, tuple[str, MentionForm]]]:
    """The names in the examples of a docstring as doctest finds them: offset, name and form; not the examples' own."""
    try:
        examples = DocTestParser().get_examples(text)
    except ValueError:  # no blank is after a prompt: doctest would not run them
        return
    lines, found, own = line_starts(text), list[tuple[int, str, MentionForm]](), set[str]()
    for example in examples:
        program = parse(Document("", Language.PYTHON, example.source))
        rules = PythonMentions(program)
        for node in identifiers(program):
            place, said = program.document.position(program.start(node)), program.text(node)
            offset = lines[example.lineno + place.line] + example.indent + len(_PROMPT) + place.column
            if text[offset : offset + len(said)] == said:  # doctest has read tabs as blanks
                found.append((offset, said, rules.form(node)))
            own |= {said} if _is_declared(node) else set()
    yield from ((at, (said, form)) for at, said, form in found if form is not MentionForm.NAME or said not in own)


def _is_in_import(node: Node) -> bool:
    return any("import" in around.type for around in ancestors(node))


def _declaring_class(node: Node) -> Node | None:
    """The class whose body defines or assigns a name; None for any other name."""
    scope = _scope(node)
    return scope if scope is not None and scope.type == "class_definition" and _is_declared(node) else None


def _scope(node: Node) -> Node | None:
    """The function, class or comprehension to whose names a name belongs; None for the module."""
    inner = node
    for around in ancestors(node):
        is_own_name = around.child_by_field_name("name") == inner
        if around.type in _SCOPES and not is_own_name:
            is_in_header = around.type == "class_definition" and around.child_by_field_name("body") != inner
            is_returned_type = around.type == "function_definition" and inner.type == "type"
            if not is_in_header and not is_returned_type:  # these belong to the scope around
                return around
        inner = around
    return None


def _is_declared(node: Node) -> bool:
    """Whether a name is what its statement defines or assigns, also as one of several targets."""
    inner = node
    for around in ancestors(node):
        if around.type in ("function_definition", "class_definition"):
            return around.child_by_field_name("name") == inner
        if around.type == "assignment":
            return around.child_by_field_name("left") == inner
        if around.type not in TARGET_GROUPS:
            return False
        inner = around
    return False


def _called(call: Node | None) -> Node | None:
    """The name of the function that a call names: `total` of `shop.total()`; None if it names none."""
    called = None if call is None or call.type != "call" else call.child_by_field_name("function")
    if called is not None and called.type == "attribute":
        called = called.child_by_field_name("attribute")
    return called if called is not None and called.type == "identifier" else None


def _is_base_or_type(value: Node) -> bool:
    """Whether a class is said as a base of another one, or as the type of something: there nobody calls it."""
    holder = value.parent
    is_base = holder is not None and holder.parent is not None and holder.parent.type == "class_definition"
    around = next((each.type for each in ancestors(value) if each.type in ("type", "call")), "")
    return is_base or around == "type"


def _is_member(name: Node) -> bool:
    """Whether a name is after the dot of a value."""
    return name.parent is not None and name.parent.child_by_field_name("attribute") == name


def _is_of_value(path: str) -> bool:
    """Whether one of `READERS` is a member of values, and not a function of a module."""
    return path.count(".") != 1


def _string_key(mapping: Node) -> Node | None:
    """The key for which a mapping is asked, if it is written as a string: of `vars(cart)["total"]`."""
    holder = mapping.parent
    if holder is None or holder.type != "subscript" or holder.child_by_field_name("value") != mapping:
        return None
    key = holder.child_by_field_name("subscript")
    return key if key is not None and key.type == "string" else None


def _is_plain(argument: Node) -> bool:
    """Whether an argument is a string without expressions in it."""
    return argument.type == "string" and all(child.type != "interpolation" for child in argument.children)


def _accesses(field: str) -> Iterator[tuple[int, str]]:
    """The members and the keys in the name of a format's field, with their offsets: `a` and `b` of `0.a[b]`.

    Raises:
        ValueError: a bracket is not closed.
    """
    offset = len(field.partition(".")[0].partition("[")[0])
    while offset < len(field):
        start = offset + 1
        is_key = field[offset] == "["
        said = field[start : field.index("]", start)] if is_key else field[start:].partition(".")[0].partition("[")[0]
        yield start, said
        offset = start + len(said) + is_key
