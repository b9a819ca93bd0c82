"""What a rename asks about the names in a Python text: their forms, classes, parameters and calls.

`loaded_modules` answers about imports, `names_in_strings` about strings, `name_reads` about run time. The base class
says what each question is for: `context_index/mentions/rules.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, EnumMeta
from pathlib import Path
from typing import ClassVar
from unicodedata import normalize

from context_index.declarations import all_strings, identifiers
from context_index.languages.python.bindings import TARGET_GROUPS, captured_names
from context_index.languages.python.computed_members import patterns
from context_index.languages.python.loaded_modules import PythonImports
from context_index.languages.python.name_nodes import (
    FUNCTIONS,
    called_name,
    declaring_class,
    first_parameter,
    is_in_import,
    last_name,
    scope_around,
)
from context_index.languages.python.name_reads import PythonReads
from context_index.languages.python.names_in_strings import PythonStrings
from context_index.languages.python.parameters import arguments_for, parameter_at
from context_index.mentions import FunctionParameter, MentionForm, NamePattern, mentions
from context_index.syntax import Node, ancestors, nodes_of, parts_of

_TARGETED = frozenset({
    "as_pattern_target", "delete_statement", "global_statement", "named_expression", "nonlocal_statement",
})  # fmt: skip
"""What gives names other values by other means than a left side, or lets other functions do so."""
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
"""Methods that get the arguments of a call of their class (Language Reference, 3.3.1)."""
_MAKERS = _CONSTRUCTORS | {"__prepare__"}
"""Methods of a metaclass that get the names of a class's members (Language Reference, 3.3.3)."""


class PythonMentions(PythonImports, PythonStrings, PythonReads):
    """The questions about forms, classes, parameters and calls; the bases answer the others."""

    CLASSES: ClassVar[frozenset[str]] = frozenset({"class_definition"})
    NESTS_CLASSES: ClassVar[bool] = True
    LOCAL_SCOPES: ClassVar[frozenset[str]] = FUNCTIONS

    # Forms

    def plain_spelling(self, identifier: str) -> str:
        """Its Unicode form NFKC: `fi` of the ligature `ﬁ` (Language Reference, 2.3)."""
        return normalize("NFKC", identifier)

    def form(self, node: Node) -> MentionForm:
        """A member after a dot and in a class's body; a keyword in a call; a pattern in `case Box(name=1)`."""
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
        return MentionForm.NAME if declaring_class(node) is None else MentionForm.MEMBER

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

    def told_name(self, offset: int) -> int | None:
        """`Point` of `Point = namedtuple("Point", fields)`: what is made has the string as its own name."""
        string = next((around for around in ancestors(self.node(offset)) if around.type == "string"), None)
        given = None if string is None else string.parent
        call = None if given is None or given.type != "argument_list" else given.parent
        holder = None if call is None else call.parent
        if given is None or holder is None or holder.type != "assignment" or parts_of(given)[0] != string:
            return None
        name = self._name_given(holder)
        is_name = name is not None and name.type == "identifier" and holder.child_by_field_name("right") == call
        return self.syntax.start(name) if name is not None and is_name else None

    def is_unpacked_key(self, offset: int) -> bool:
        """Of `**{"name": 1}`."""
        pair = next((around for around in ancestors(self.node(offset)) if around.type == "pair"), None)
        mapping = None if pair is None or not self.is_key(offset) else pair.parent
        return mapping is not None and mapping.parent is not None and mapping.parent.type == "dictionary_splat"

    def _name_given(self, holder: Node) -> Node | None:
        """The left side of an assignment."""
        return holder.child_by_field_name("left") if holder.type == "assignment" else None

    def _is_receiver(self, node: Node) -> bool:
        """Whether a node is before the dot: `cart` of `cart.total`."""
        parent = node.parent
        return parent is not None and parent.type == "attribute" and parent.child_by_field_name("object") == node

    def is_of_module(self, offset: int) -> bool:
        """Whether it is a name outside of all functions, classes and comprehensions."""
        node = self.node(offset)
        return self.form(node) is MentionForm.NAME and scope_around(node) is None

    def is_target(self, node: Node) -> bool:
        """Whether it is on the left of `=` or a loop, or `with`, `del`, `:=`, `global` or a `case` gives it a value."""
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

    # Classes

    def enclosing_class(self, offset: int) -> Node | None:
        """The class whose body declares the name, or whose method says it of its instance.

        That is `self.total`, with whatever name the first parameter has, and `super().total`.
        """
        node = self.node(offset)
        parent = node.parent
        if parent is None or parent.type != "attribute":
            return declaring_class(node)
        receiver = parent.child_by_field_name("object")
        called = receiver.child_by_field_name("function") if receiver is not None and receiver.type == "call" else None
        is_super = called is not None and self.syntax.text(called) == "super"
        said = "" if receiver is None or receiver.type != "identifier" else self.syntax.text(receiver)
        return next((of_class for name, of_class in self._receivers(parent) if is_super or name == said), None)

    def class_of_receiver(self, offset: int) -> Node | None:
        """The class of the method whose first parameter the name is: `self`, also `cls`."""
        said = self.syntax.text(self.node(offset))
        return next((of_class for name, of_class in self._receivers(self.node(offset)) if name == said), None)

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
            first = first_parameter(function)
            is_static = any(self.syntax.text(decorator) == "@staticmethod" for decorator in decorators)
            if of_class is not None and of_class.type == "class_definition" and first is not None and not is_static:
                yield self.syntax.text(first), of_class

    def is_field(self, offset: int) -> bool:
        """Whether the body of a class assigns it, or says its type: `total` of `total: int`; not `self.total = 1`."""
        node = self.node(offset)
        is_assigned = node.parent is not None and node.parent.type == "assignment"
        return is_assigned and self.enclosing_class(offset) is not None

    def fields(self, declaration: Node) -> Iterator[int]:
        """The names that statements of the body assign: `total` of `class Cart: total: int`."""
        body = declaration.child_by_field_name("body")
        for statement in () if body is None else body.named_children:
            assignment = next(iter(statement.named_children), None)
            name = None if assignment is None else assignment.child_by_field_name("left")
            if name is not None and name.type == "identifier":
                yield self.syntax.start(name)

    def maker_of_field(self, offset: int) -> str:
        """`fields.Text` of `note = fields.Text()` in the body of a class."""
        assignment = self.node(offset).parent if self.is_field(offset) else None
        value = None if assignment is None else assignment.child_by_field_name("right")
        called = value.child_by_field_name("function") if value is not None and value.type == "call" else None
        return "" if called is None else self.syntax.text(called)

    def bases(self, of_class: Node) -> Iterator[int]:
        """`Cart` of `class Order(shop.Cart)`, `Base` of `Base[int]`, and `make` of a computed one, `make(Cart)`."""
        bases = of_class.child_by_field_name("superclasses")
        names = map(last_name, () if bases is None else parts_of(bases))
        yield from (self.syntax.start(name) for name in names if name is not None)

    def metaclasses(self, of_class: Node) -> Iterator[int]:
        """`Meta` of `class Cart(metaclass=Meta)`."""
        bases = of_class.child_by_field_name("superclasses")
        for argument in () if bases is None else bases.named_children:
            name, value = argument.child_by_field_name("name"), argument.child_by_field_name("value")
            if value is not None and name is not None and self.syntax.text(name) == "metaclass":
                yield self.syntax.start(value.child_by_field_name("attribute") or value)

    def bounds(self, offset: int) -> Iterator[int]:
        """Those of `[T: Base]` and of the arguments in `T = TypeVar("T", Base)`."""
        for around in ancestors(self.node(offset)):
            if around.type == "constrained_type":
                yield from map(self.syntax.start, identifiers(self.syntax, self.syntax.span(around.named_children[-1])))
                return
            if around.type == "assignment":
                given = around.child_by_field_name("right")
                arguments = None if given is None else given.child_by_field_name("arguments")
                if arguments is not None:
                    yield from map(self.syntax.start, identifiers(self.syntax, self.syntax.span(arguments)))
                return

    def makers_of_classes(self, metaclass: Node) -> Iterator[int]:
        """`__new__`, `__init__` and `__prepare__`, if the metaclass defines them."""
        body = metaclass.child_by_field_name("body")
        for statement in () if body is None else body.named_children:
            definition = statement.child_by_field_name("definition") or statement
            name = definition.child_by_field_name("name")
            if name is not None and definition.type == "function_definition" and self.syntax.text(name) in _MAKERS:
                yield self.syntax.start(name)

    def asked_by_class(self, declared: Path, line: int) -> Sequence[NamePattern]:
        """Those of `getattr(self, "on_" + name)` in the class that a file defines at a line."""
        return patterns(declared, line)

    def may_be_enumerated(self, name: str) -> bool:
        """Whether an enumeration of the standard library is made with it."""
        try:
            return name in EnumMeta.__call__(Enum, "Probe", [(name, 1)]).__members__
        except ValueError:  # the class refuses it, as it does with `_name_`
            return False

    def is_protocol(self, of_class: Node) -> bool:
        """Whether `Protocol` is among its bases (PEP 544)."""
        bases = of_class.child_by_field_name("superclasses")
        names = () if bases is None else identifiers(self.syntax, self.syntax.span(bases))
        return any(self.syntax.text(name) == "Protocol" for name in names)

    def is_mangled(self, name: str) -> bool:
        """Whether it begins with two underscores and does not end with two (Language Reference, 6.2.1)."""
        return name.startswith("__") and not name.endswith("__")

    def mangled(self, of_class: str) -> Iterator[tuple[int, str]]:
        """In identifiers and in strings: `_Cart__sum`."""
        stem = of_class.lstrip("_")
        if not stem:
            return
        for node in (*identifiers(self.syntax), *all_strings(self.syntax)):
            mangled = self.syntax.text(node).rpartition(".")[2]
            private = mangled[1 + len(stem) :]
            if mangled.startswith(f"_{stem}__") and self.is_mangled(private):
                yield self.syntax.end(node) - len(mangled) + 1, private

    def assigned_name(self, offset: int) -> int:
        """The checker has the definition of `name` of `self.name = 1` begin at `self`."""
        attributes = (around for around in ancestors(self.node(offset)) if around.type == "attribute")
        attribute = next((node for node in attributes if self.syntax.start(node) == offset), None)
        name = None if attribute is None else attribute.child_by_field_name("attribute")
        return offset if name is None else self.syntax.start(name)

    def pattern_class(self, offset: int) -> str:
        """`shapes.Box` of `case shapes.Box(name=1)`."""
        pattern = next((around for around in ancestors(self.node(offset)) if around.type == "class_pattern"), None)
        name = None if pattern is None else pattern.named_child(0)
        return "" if name is None else self.syntax.text(name)

    # Parameters and calls

    def parameter_function(self, offset: int) -> tuple[int, str] | None:
        """The function, also a lambda, whose parameter is declared there; not a name in a type or a default."""
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
        """The class with the field, or with the constructor of the parameter: `Cart(total=1)` makes an instance."""
        if self.is_field(offset):
            return self.enclosing_class(offset)
        function = self.parameter_function(offset)
        if function is None or function[1] not in _CONSTRUCTORS:
            return None
        return self.enclosing_class(function[0])

    def parameters_named(self, function: int, name: str) -> Iterator[int]:
        """The parameters of a name: `total` of `def add(self, total)`; more than one if the code is broken."""
        definition = self.node(function).parent
        parameters = None if definition is None else definition.child_by_field_name("parameters")
        if parameters is None:
            return
        for mention in mentions(self.syntax, name):
            is_within = self.syntax.start(parameters) <= mention.start < self.syntax.end(parameters)
            if is_within and (declared := self.parameter_function(mention.start)) and declared[0] == function:
                yield mention.start

    def collecting_function(self, offset: int) -> tuple[int, int] | None:
        """`def total(self, **given)`."""
        definition = self.node(offset).parent
        parameters = None if definition is None else definition.child_by_field_name("parameters")
        if definition is None or parameters is None:
            return None
        collects = any(nodes_of(self.syntax, "dictionary_splat_pattern", within=parameters))
        return self.syntax.span(definition) if collects else None

    def parameter(self, offset: int) -> FunctionParameter | None:
        """`cart` of `def total(cart)`."""
        return parameter_at(self.syntax, self.node(offset))

    def arguments_for(self, call: Node, parameter: FunctionParameter) -> Sequence[Node] | None:
        """By position or by name; what is spread cannot be seen."""
        return arguments_for(self.syntax, call, parameter)

    def is_only_passed_on(self, offset: int) -> bool:
        """Whether it is in an import."""
        return is_in_import(self.node(offset))

    def calls_with_mapping(self, function: str) -> Iterator[int]:
        """The `**options` of calls `total(**options)` and `shop.total(**options)`."""
        for node in nodes_of(self.syntax, "dictionary_splat"):
            call = None if node.parent is None or node.parent.type != "argument_list" else node.parent.parent
            called = called_name(call)
            if called is not None and self.syntax.text(called) == function:
                yield self.syntax.start(node)

    def is_passed_on(self, function: str) -> bool:
        """Whether it is said without a call, as in `map(total, carts)`; a base or a type is not passed on."""
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
            if not is_called_or_defined and not is_in_import(node) and not _is_base_or_type(value):
                return True
        return False

    def decorators(self, offset: int) -> Iterator[int]:
        """The names in all decorators: `app` and `route` of `@app.route("/")`."""
        definition = self.node(offset).parent
        holder = None if definition is None else definition.parent
        if holder is not None and holder.type == "decorated_definition":
            for decorator in holder.named_children[:-1]:
                yield from map(self.syntax.start, identifiers(self.syntax, self.syntax.span(decorator)))

    def decorated(self, offset: int) -> int | None:
        """The name of the function or the class below the decorator: `total` of `@cached def total()`."""
        decorator = next((around for around in ancestors(self.node(offset)) if around.type == "decorator"), None)
        holder = None if decorator is None else decorator.parent
        definition = None if holder is None else holder.child_by_field_name("definition")
        name = None if definition is None else definition.child_by_field_name("name")
        return None if name is None else self.syntax.start(name)

    def keyword_call(self, offset: int) -> tuple[tuple[int, ...], frozenset[str]] | None:
        """`total` of `total(tax=rate)`, and the names `tax` and `rate`; `Cart` of `class Order(Cart, tax=rate)`."""
        kinds = ("call", "class_definition")
        call = next((around for around in ancestors(self.node(offset)) if around.type in kinds), None)
        if call is None:
            return None
        name = called_name(call)
        called = (*self.bases(call), *self.metaclasses(call)) if name is None else (self.syntax.start(name),)
        arguments = call.child_by_field_name("arguments") or call.child_by_field_name("superclasses")
        if not called or arguments is None:
            return None
        names = identifiers(self.syntax, self.syntax.span(arguments))
        return called, frozenset(map(self.syntax.text, names))


RULES = PythonMentions


def _is_base_or_type(value: Node) -> bool:
    """Whether a class is said as a base of another one, or as the type of something: there nobody calls it."""
    holder = value.parent
    is_base = holder is not None and holder.parent is not None and holder.parent.type == "class_definition"
    around = next((each.type for each in ancestors(value) if each.type in ("type", "call")), "")
    return is_base or around == "type"
