"""What a rename asks about the places of a text that say a name.

A language answers in its part `mentions` with a subclass. The answers here hold for a language without a subclass, and
for one that lacks what is asked about: there is no such thing at the place.
"""
# ruff: noqa: ARG002 - the base has no use for what its subclasses are asked about

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.languages.parts import part
from context_index.mentions.forms import (
    Assumption,
    FunctionParameter,
    GivenValues,
    Hoisted,
    MentionForm,
    NamePattern,
    Read,
    ReadForm,
    TypeArguments,
    ValueParts,
    ValueSource,
)
from context_index.syntax import Node, Syntax, ancestors
from context_index.text import Edit

_ARGUMENTS = frozenset({"argument_list", "arguments"})


def mention_rules(syntax: Syntax) -> MentionRules:
    """The rules of a text's language, for this text."""
    module = part(syntax.language, "mentions")
    rules: type[MentionRules] = MentionRules if module is None else module.RULES
    return rules(syntax)


class MentionRules:
    """The questions about one text: forms, then classes, modules, parameters and calls, and run time.

    Offsets are those of a name's first character, in code points.
    """

    CLASSES: ClassVar[frozenset[str]] = frozenset()
    """The types of nodes that declare a class."""
    NESTS_CLASSES: ClassVar[bool] = False
    """Whether a class is a member of the class around it."""
    LOCAL_SCOPES: ClassVar[frozenset[str]] = frozenset()
    """The types of nodes with local names, which nothing outside of them can say."""
    TYPE_VARIABLES: ClassVar[frozenset[str]] = frozenset()
    """The types of nodes that declare a type variable."""
    READERS: ClassVar[Mapping[str, ReadForm]] = MappingProxyType({})
    """The functions and attributes of the language's library that read names as a program runs, by their paths, such as
    `dataclasses.fields`, with what they read."""

    TYPE_OF_CLASSES: ClassVar[str] = ""
    """The type of which each class is, by its path; empty where a class has no such type."""

    ENUM_TEXT: ClassVar[str] = ""
    """The method, by its path, that makes a text of an enumeration's member with its name."""

    ENUM_OF_VALUES: ClassVar[str] = ""
    """The base, by its path, of enumerations whose members have the texts of their values."""

    COPIERS: ClassVar[frozenset[str]] = frozenset()
    """The functions that give an object members whose names are the keys of another one, by their paths."""

    FINDERS: ClassVar[frozenset[str]] = frozenset()
    """The functions and values by which a program gets modules by computed names, by their paths: `sys.modules`."""

    OTHER_FINDERS: ClassVar[frozenset[str]] = frozenset()
    """Words of the language itself by which it gets them: `import`."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax

    def node(self, offset: int) -> Node:
        """The smallest node at an offset."""
        return self.syntax.node_at(offset, offset + 1)

    # Forms

    def form(self, node: Node) -> MentionForm:
        """The form in which an identifier is said."""
        return MentionForm.MEMBER if node.type.endswith("field_identifier") else MentionForm.NAME

    def format_fields(self, text: str, name: str) -> Iterator[int]:
        """Where the fields of a format say a name as a member's or as a key: in Python's `"{0.name} {row[name]}"`.

        Args:
            text: The content of a string.
        """
        yield from ()

    def lists_names(self, content: Node) -> bool:
        """Whether a string may be several names: of members, of exports, or of parameters of what is decorated with it.

        Args:
            content: The content of a string.
        """
        return False

    @cached_property
    def code_in_strings(self) -> Mapping[int, tuple[str, MentionForm]]:
        """The names in code that is in strings, by their offsets, each with its form there."""
        return {}

    def is_exported(self, content: Node) -> bool:
        """Whether the content of a string is a name that the string gives to other modules (`__all__`)."""
        return False

    def is_key(self, offset: int) -> bool:
        """Whether the string or name at an offset is the key under which a value is stored."""
        return False

    def told_name(self, offset: int) -> int | None:
        """The offset of the name to which a call is assigned, if the string at an offset is its first argument."""
        return None

    def is_unpacked_key(self, offset: int) -> bool:
        """Whether the string at an offset is the key of a mapping whose keys become the names of arguments."""
        return False

    def is_assigned_key(self, offset: int) -> bool:
        """Whether the name at an offset is a key of a pattern that is assigned to, not declared: `({name: a} = cart)`.

        Of the value that is taken apart there, TypeScript does not say which member the key is.
        """
        return False

    def may_be_member(self, offset: int) -> bool:
        """Whether the name at an offset may be a member of a value, though none is said before it: in `with (cart)`."""
        return False

    def is_receiver_only(self, offset: int) -> bool:
        """Whether a string is the value of a name that is used only for its members: then the string names nothing.

        A format is another thing, as its members fill it in.
        """
        if "{" in self.syntax.text(self.node(offset)):
            return False
        holder = next((node for node in ancestors(self.node(offset)) if "string" not in node.type), None)
        name = None if holder is None else self._name_given(holder)
        if name is None or not name.type.endswith("identifier"):
            return False
        text = self.syntax.text(name)
        others = (node for node in identifiers(self.syntax) if self.syntax.text(node) == text and node != name)
        return all(self._is_receiver(node) for node in others if self.form(node) is not MentionForm.MEMBER)

    def _name_given(self, holder: Node) -> Node | None:
        """The target to which a node assigns the value in it; None for a node that assigns nothing."""
        return None

    def receiver(self, offset: int) -> int | None:
        """The offset of the name before the dot of the member at an offset; None where that is another expression."""
        access = self.node(offset).parent
        value = None if access is None else access.child_by_field_name("object")
        return self.syntax.start(value) if value is not None and value.type == "identifier" else None

    def _is_receiver(self, node: Node) -> bool:
        """Whether a node is before the dot of a member."""
        return False

    # Classes

    def enclosing_class(self, offset: int) -> Node | None:
        """The class that declares the name at an offset as its member; None where no class does."""
        return None

    def class_of_private(self, offset: int) -> Node | None:
        """The body of the class whose private name is said at an offset, whatever the receiver; None for others."""
        return None

    def class_name_place(self, of_class: Node) -> int | None:
        """The offset of a class's own name; None for a class without a name."""
        name = of_class.child_by_field_name("name")
        return None if name is None else self.syntax.start(name)

    def class_declared_at(self, offset: int) -> Node | None:
        """The class whose own name is at an offset; None where that is no class's name."""
        parent = self.node(offset).parent
        is_class = parent is not None and parent.type in self.CLASSES
        return parent if is_class and parent is not None and self.class_name_place(parent) == offset else None

    def class_path(self, of_class: Node) -> str:
        """How code of the module can name a class, such as `Outer.Inner`; empty where it cannot, as in a function."""
        names: list[str] = []
        for node in (of_class, *ancestors(of_class)):
            if node.type in self.LOCAL_SCOPES:
                return ""
            if node.type in self.CLASSES:
                name = node.child_by_field_name("name")
                if name is None or (names and not self.NESTS_CLASSES):
                    return ""
                names.insert(0, self.syntax.text(name))
        return ".".join(names)

    def is_field(self, offset: int) -> bool:
        """Whether a class declares the name at an offset as a field, which may be a parameter of its constructor."""
        return False

    def fields(self, declaration: Node) -> Iterator[int]:
        """The offsets of the names of the fields that a class, a type or a literal declares in its body."""
        yield from ()

    def maker_of_field(self, offset: int) -> str:
        """What is called for the value that a class's body assigns to the name at an offset, such as `fields.Text`.

        Empty where no call is assigned.
        """
        return ""

    def is_optional(self, offset: int) -> bool:
        """Whether the member at an offset is declared as optional."""
        return False

    def fitting_nothing(self, offset: int) -> Iterator[Edit]:
        """The edits after which the member declared at an offset fits no type but one that takes anything."""
        yield from ()

    def fitted_by_nothing(self, offset: int) -> Iterator[Edit]:
        """The edits after which no value fits the member that a type declares at an offset."""
        yield from ()

    def is_protocol(self, of_class: Node) -> bool:
        """Whether other classes conform to a class by their members alone, without naming it (`Protocol`)."""
        return False

    def is_mangled(self, name: str) -> bool:
        """Whether the language puts the class's name before such a member's name (`__sum`)."""
        return False

    def mangled(self, of_class: str) -> Iterator[tuple[int, str]]:
        """The places at which a text says a private name of a class in its stored form: `_Cart__sum` for `__sum`.

        Args:
            of_class: The class's name.

        Returns:
            For each, the offset of the class's name in it, without the underscores that the class's own name begins
            with, and the private name: `__sum`.
        """
        yield from ()

    def assigned_name(self, offset: int) -> int:
        """The offset of `name` if `self.name` of `self.name = 1` begins at an offset; else that offset."""
        return offset

    def pattern_class(self, offset: int) -> str:
        """The class of the pattern that has an attribute's name at an offset, as the text writes it: `shapes.Box`.

        Empty where no class pattern is there.
        """
        return ""

    def bases(self, of_class: Node) -> Iterator[int]:
        """The offsets of the names of a class's direct bases; of `shop.Cart`, that of `Cart`.

        Of a base that is computed, such as `make()`, that of the name by which a checker can be asked for it.
        """
        yield from ()

    def metaclasses(self, of_class: Node) -> Iterator[int]:
        """The offsets of the names of what makes a class: of `Meta` in `class Cart(metaclass=Meta)`."""
        yield from ()

    def bounds(self, offset: int) -> Iterator[int]:
        """The offsets of names in the types to which the type variable declared at an offset is bound."""
        yield from ()

    def makers_of_classes(self, metaclass: Node) -> Iterator[int]:
        """The offsets of the names of methods of a metaclass that get the names of the members of each class."""
        yield from ()

    def name_getters(self, offset: int) -> Iterator[int]:
        """The offsets of decorators that the language gives the name of the member at an offset."""
        yield from ()

    def asked_by_class(self, declared: Path, line: int) -> Sequence[NamePattern]:
        """The computed names by which a class elsewhere asks for members of its own instances.

        Args:
            declared: The file in which the checker finds the class.
            line: The line with the class's name there, counted from 0.
        """
        return ()

    def may_be_enumerated(self, name: str) -> bool:
        """Whether an enumeration may have a member of a name."""
        return True

    def class_of_receiver(self, offset: int) -> Node | None:
        """The class of whose instance the name at an offset is the receiver in a method, such as `self`; else None."""
        return None

    # Modules

    def is_of_module(self, offset: int) -> bool:
        """Whether other modules may reach the name at an offset, as one of the module's names or by an export."""
        return False

    def is_declared_at_top(self, offset: int) -> bool:
        """Whether a script declares the name at an offset outside of functions, blocks and classes."""
        return False

    def is_type(self, offset: int) -> bool:
        """Whether the name at an offset is in a place where only types may be."""
        return False

    def imported_from(self, name: str, offset: int) -> Iterator[int]:
        """Offsets in the names of modules from which a text imports a name: in `cart` of `from shop.cart import name`.

        Args:
            name: The imported name.
            offset: Where the text says it; if that is in an import, only this import counts.
        """
        yield from ()

    def module_of_import(self, offset: int) -> int | None:
        """Where the module is named from which an import or an export takes the name at an offset; None for others.

        None also for an alias, which is the text's own name, and for a module named by its place beside the text.
        """
        return None

    def star_exports(self) -> Iterator[str]:
        """The modules all of whose exports a text exports, too, as it names them: `./cart.js` of `export * from`."""
        yield from ()

    def hoisted(self, name: str) -> Iterator[Hoisted]:
        """The functions of a name in blocks that are variables outside of these, too; if the file is no strict code."""
        yield from ()

    # Parameters and calls

    def parameter_function(self, offset: int) -> tuple[int, str] | None:
        """The function whose parameter is declared at an offset: the offset of its name, and the name.

        None where no parameter is declared there. A lambda has the parameter's own offset, and an empty name.
        """
        return None

    def class_made_with(self, offset: int) -> Node | None:
        """The class whose instances are made with an argument of the name at an offset: a parameter or a field."""
        return None

    def parameters_named(self, function: int, name: str) -> Iterator[int]:
        """The offsets of the parameters called `name` of the function whose own name is at the offset `function`."""
        yield from ()

    def collecting_function(self, offset: int) -> tuple[int, int] | None:
        """The span of the function whose own name is at an offset, if it takes arguments of any name as a mapping."""
        return None

    def parameter(self, offset: int) -> FunctionParameter | None:
        """The parameter declared at an offset; None where calls cannot say what it gets."""
        return None

    def parameters_of(self, function: Node) -> Sequence[Node]:
        """The declarations of a function's parameters."""
        return ()

    def arguments(self, call: Node) -> Sequence[Node]:
        """All arguments of a call."""
        return ()

    def value_parts(self, value: Node, *, is_deep: bool) -> ValueParts:
        """Of which names and keys a value is made; here each name in it may be either.

        Args:
            is_deep: Whether those of its elements and members count, and those of their own.
        """
        starts = tuple(map(self.syntax.start, identifiers(self.syntax, self.syntax.span(value))))
        return ValueParts(starts, starts)

    def sources_of(self, offset: int) -> Iterator[ValueSource]:
        """The expressions whose values the variable declared at an offset gets, but by calls; perhaps not all."""
        yield from ()

    def arguments_for(self, call: Node, parameter: FunctionParameter) -> Sequence[Node] | None:
        """What a call gives for a parameter: an expression, or nothing; None if that cannot be seen."""
        return None

    def is_only_passed_on(self, offset: int) -> bool:
        """Whether a name is said in an import or an export, which uses it in no other way."""
        return False

    def is_target(self, node: Node) -> bool:
        """Whether a name gets another value where it is said: by an assignment, or by a loop."""
        return False

    def calls_with_mapping(self, function: str) -> Iterator[int]:
        """The offsets of mappings with which a function, by its name, is called: of `**options` in `f(**options)`."""
        yield from ()

    def is_passed_on(self, function: str) -> bool:
        """Whether a text uses a function or a class, by its name, as a value, so that other code may call it."""
        return False

    def decorators(self, offset: int) -> Iterator[int]:
        """The offsets of the names in the decorators of what is declared at an offset: other code gets it by them."""
        yield from ()

    def decorated(self, offset: int) -> int | None:
        """The offset of the own name of what the decorator around an offset decorates; None outside of decorators."""
        return None

    def keyword_call(self, offset: int) -> tuple[tuple[int, ...], frozenset[str]] | None:
        """The call around a keyword argument's name: the offset of the called name, and all names among its arguments.

        The head of a class is a call, too, of its metaclass and bases, which may be several.

        None where no call is around the offset.
        """
        return None

    # Run time

    def library_probe(self, path: str) -> tuple[str, str]:
        """An expression that says one of `READERS` or `COPIERS` wherever it stands: what is before the name, and it.

        The first is empty if no expression says it for all values: `__dict__`.
        """
        return "", path

    @cached_property
    def said_library(self) -> Mapping[int, str]:
        """The names that `READERS` and `COPIERS` have, by their offsets, each with the one that it is by its spelling.

        That is empty if its spelling does not suffice: `keys` may be a map's.
        """
        paths: dict[str, list[str]] = {}
        for path in (*self.READERS, *self.COPIERS):
            paths.setdefault(path.rpartition(".")[2], []).append(path)
        said = ((node, paths.get(self.syntax.text(node), ())) for node in identifiers(self.syntax))
        spelled = ((node, self._spelled_path(node, path)) for node, named in said for path in named)
        return {self.syntax.start(node): path for node, path in spelled if path is not None}

    def _spelled_path(self, node: Node, path: str) -> str | None:
        """`path`, if a name with its last part is that by its spelling; empty if that says too little, None if not."""
        return None

    @cached_property
    def called(self) -> Mapping[int, Node]:
        """The calls, by the offsets of the names of what is called: of `total` in `shop.total()`."""
        return {}

    @cached_property
    def made(self) -> Mapping[int, Node]:
        """The calls that make an instance, by the offsets of the names of what is called, if others do not."""
        return {}

    @cached_property
    def imported_names(self) -> frozenset[str]:
        """The names that imports bind, and perhaps some more."""
        return frozenset()

    def imported_functions(self) -> Iterator[Sequence[int]]:
        """`functions` that begin with a name of an import; those that are written in the same way are together."""
        by_text: dict[str, list[int]] = {}
        for offset in self.functions():
            node, holder = self.node(offset), self.node(offset).parent
            fields = ("attribute", "property")
            is_last = holder is not None and any(holder.child_by_field_name(field) == node for field in fields)
            text = self.syntax.text(holder if holder is not None and is_last else node)
            if text.partition(".")[0] in self.imported_names:
                by_text.setdefault(text, []).append(offset)
        yield from by_text.values()

    def functions(self) -> Iterator[int]:
        """The offsets of the names that may stand for functions: what is called, and what is an argument by itself."""
        yield from self.called
        for node in identifiers(self.syntax):
            if node.parent is not None and node.parent.type in _ARGUMENTS:
                yield self.syntax.start(node)

    def getter_of(self, function: Node) -> Node | None:
        """The call that gets a function as an argument (`map(vars, carts)`), or calls a member of it (`f.bind(cart)`).

        None if there is no such call.
        """
        call, node = None, function
        while (holder := node.parent) is not None:
            if holder.child_by_field_name("function") == node:
                call = holder
            elif holder.type in _ARGUMENTS:
                return holder.parent
            elif node not in (holder.child_by_field_name("object"), holder.child_by_field_name("value")):
                break
            node = holder
        return call

    def reads(self, library: Mapping[int, str]) -> Iterator[Read]:
        """The places at which the text reads names as the program runs, in no order: `JSON.stringify(cart)`.

        Args:
            library: The names that stand for one of `READERS` or `COPIERS`, by their offsets, each with its path.
        """
        yield from ()

    def given_values(self) -> Iterator[GivenValues]:
        """What the calls of the text give to functions, in no order; a call that gives no name or key is left out."""
        yield from ()

    def choices(self, value: Node) -> Sequence[Node]:
        """The expressions of which an expression is one: `a` and `b` of `c ? a : b`; empty for others."""
        return ()

    def text_parts(self, value: Node) -> Sequence[str | None]:
        """The parts of which an expression puts a text together; None for one that is computed: `["on", None]`."""
        return (None,)

    def values_of(self, variable: Node) -> Sequence[Node]:
        """All expressions whose values a variable gets, and perhaps some more; empty if it may get others."""
        return ()

    def respelled(self, name: str) -> Iterator[int]:
        """The offsets of identifiers that are a name by the language's rules, and that are written in another way."""
        if self.syntax.document.text.isascii() and "\\" not in self.syntax.document.text:
            return
        for node in identifiers(self.syntax):
            text = self.syntax.text(node)
            if text != name and self.plain_spelling(text) == name:
                yield self.syntax.start(node)

    def plain_spelling(self, identifier: str) -> str:
        """The name that an identifier is, whatever way it is written in."""
        return identifier

    def names_beside(self, offset: int) -> Iterator[int]:
        """The offsets of the names that a call says beside the argument with the key of a literal at an offset.

        Those of `deepEqual(cart, {total: 1})` or `expect(cart).toEqual({total: 1})` for `total`, as the function may
        compare the keys.
        """
        yield from ()

    def assumptions(self) -> Iterator[Assumption]:
        """The places at which code says of which type a value is, and the checker may believe it."""
        yield from ()

    def type_arguments(self) -> Iterator[TypeArguments]:
        """The places at which code says what type variables stand for."""
        yield from ()

    def name_of_generic(self, variable: Node) -> int | None:
        """The offset of the name of the function or the class that declares a type variable; None without a name."""
        return None

    def is_written_out(self, offset: int) -> bool:
        """Whether the name at an offset is also data as it is spelled: Python's `f"{name=}"`."""
        return False

    def copies_members(self, library: Mapping[int, str]) -> bool:
        """Whether a text gives an object members whose names it does not say: `Object.assign(this, given)`.

        Args:
            library: As in `reads`.
        """
        return False

    def function_around(self, offset: int) -> tuple[int, int] | None:
        """Start and end of the innermost of `LOCAL_SCOPES` around an offset; None outside of all."""
        function = next((node for node in ancestors(self.node(offset)) if node.type in self.LOCAL_SCOPES), None)
        return None if function is None else self.syntax.span(function)

    @property
    def finding_words(self) -> frozenset[str]:
        """Words of which a text has one if it may get a module as a value, and so any name of it."""
        return self.OTHER_FINDERS.union(path.rpartition(".")[2] for path in self.FINDERS)

    @cached_property
    def said_finders(self) -> Mapping[int, str]:
        """The names that `FINDERS` have, as `said_library`."""
        paths = {path.rpartition(".")[2]: path for path in self.FINDERS}
        said = ((node, paths.get(self.syntax.text(node))) for node in identifiers(self.syntax) if paths)
        spelled = ((node, self._spelled_path(node, path)) for node, path in said if path is not None)
        return {self.syntax.start(node): path or "" for node, path in spelled}

    def has_modules_as_values(self, modules: Collection[str], finders: Collection[int]) -> bool:
        """Whether a program may use a module as a value, so that any receiver of a member may be that module.

        That is so if it finds modules by computed names as it runs, or if it uses a name that an import binds to one
        of `modules` for anything but its members.

        Args:
            modules: The last parts of the modules' names.
            finders: The offsets of the names that stand for one of `FINDERS`.
        """
        return (
            bool(finders)
            or self._finds_modules()
            or any(not self._asks_member(node) for node in self._modules_said(modules))
        )

    def _finds_modules(self) -> bool:
        """Whether a text gives a module's names by other means than `FINDERS`, as the program runs."""
        return False

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """The nodes of names that stand for one of some modules as a whole, and of what may import any module."""
        yield from ()

    def _asks_member(self, node: Node) -> bool:
        """Whether a node is a module's name before the dot of a member that the text says."""
        return self._is_receiver(node)
