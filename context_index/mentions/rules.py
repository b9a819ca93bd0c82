"""What a rename asks about the places of a text that say a name.

A language answers in its part `mentions` with a subclass. The answers here are those of a language without one, or
without the thing that is asked about: there is none.
"""
# ruff: noqa: ARG002 - the base has no use for what its subclasses are asked about

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from context_index.declarations import identifiers
from context_index.languages.parts import part
from context_index.mentions.forms import MentionForm
from context_index.syntax import Node, Syntax, ancestors


def mention_rules(syntax: Syntax) -> MentionRules:
    """What the language of a text says about its places."""
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
    FUNCTIONS: ClassVar[frozenset[str]] = frozenset()
    """The types of nodes that have names of their own, which nothing outside of them can say."""
    REFLECTION: ClassVar[frozenset[str]] = frozenset()
    """The functions of the language that read the local names around their call."""

    def __init__(self, syntax: Syntax) -> None:
        self.syntax = syntax

    def node(self, offset: int) -> Node:
        """The smallest node at an offset: a name."""
        return self.syntax.node_at(offset, offset + 1)

    # Forms

    def form(self, node: Node) -> MentionForm:
        """The form in which an identifier is said."""
        return MentionForm.MEMBER if node.type.endswith("field_identifier") else MentionForm.NAME

    def is_exported(self, content: Node) -> bool:
        """Whether a string gives other modules the name that it is (`__all__`)."""
        return False

    def is_key(self, offset: int) -> bool:
        """Whether a string or a name says under which key a value is kept."""
        return False

    def is_receiver_only(self, offset: int) -> bool:
        """Whether a string is the value of a name that is only ever asked for its members, so that it names nothing."""
        holder = next((node for node in ancestors(self.node(offset)) if "string" not in node.type), None)
        name = None if holder is None else self._name_given(holder)
        if name is None or not name.type.endswith("identifier"):
            return False
        text = self.syntax.text(name)
        others = (node for node in identifiers(self.syntax) if self.syntax.text(node) == text and node != name)
        return all(self._is_receiver(node) for node in others if self.form(node) is not MentionForm.MEMBER)

    def _name_given(self, holder: Node) -> Node | None:
        """What a node around a value gives the value to; None for a node that gives it to nothing."""
        return None

    def _is_receiver(self, node: Node) -> bool:
        """Whether a node is before the dot of a member."""
        return False

    # Classes

    def enclosing_class(self, offset: int) -> Node | None:
        """The class of which the name at an offset is declared as a member; None where it is not."""
        return None

    def class_of_private(self, offset: int) -> Node | None:
        """The body of the class whose private name is said at an offset, whatever the receiver; None for others."""
        return None

    def class_name_place(self, of_class: Node) -> int | None:
        """The offset of a class's own name; None for one without."""
        name = of_class.child_by_field_name("name")
        return None if name is None else self.syntax.start(name)

    def class_declared_at(self, offset: int) -> Node | None:
        """The class whose own name is at an offset."""
        parent = self.node(offset).parent
        is_class = parent is not None and parent.type in self.CLASSES
        return parent if is_class and parent is not None and self.class_name_place(parent) == offset else None

    def class_path(self, of_class: Node) -> str:
        """How a class is named at the end of its module, such as `Outer.Inner`; empty where it cannot be."""
        names: list[str] = []
        for node in (of_class, *ancestors(of_class)):
            if node.type in self.FUNCTIONS:
                return ""
            if node.type in self.CLASSES:
                name = node.child_by_field_name("name")
                if name is None or (names and not self.NESTS_CLASSES):
                    return ""
                names.insert(0, self.syntax.text(name))
        return ".".join(names)

    def is_field(self, offset: int) -> bool:
        """Whether a class declares the name as a field, which its constructor may have as a parameter."""
        return False

    def is_optional(self, offset: int) -> bool:
        """Whether the member at an offset is declared as one that may be absent."""
        return False

    def is_protocol(self, of_class: Node) -> bool:
        """Whether a class says what others are to have, and they need not say that they do."""
        return False

    def is_mangled(self, name: str) -> bool:
        """Whether the language puts the class's name before a name of a class."""
        return False

    def mangled(self, of_class: str) -> Iterator[tuple[int, str]]:
        """The private names of a class where a text says them as they are kept: `_Cart__sum` for `__sum`.

        Args:
            of_class: Its name.

        Returns:
            Where the class's name is in it, without the underscores that the class's own name begins with; and `__sum`.
        """
        yield from ()

    def assigned_name(self, offset: int) -> int:
        """Where the attribute's name is whose assignment begins at an offset (`self.name = 1`); else the offset."""
        return offset

    def pattern_class(self, offset: int) -> str:
        """How the text names the class whose pattern has an attribute's name at an offset, such as `shapes.Box`."""
        return ""

    # Modules

    def is_of_module(self, offset: int) -> bool:
        """Whether other modules may reach the name at an offset: by the module's own names, or by what it exports."""
        return False

    def is_declared_at_top(self, offset: int) -> bool:
        """Whether a script declares the name at an offset outside of functions, blocks and classes."""
        return False

    def is_type(self, offset: int) -> bool:
        """Whether the name at an offset is said where only types are."""
        return False

    def imported_from(self, name: str, offset: int) -> Iterator[int]:
        """Where the modules are named from which a text imports a name: `cart` of `from shop.cart import name`.

        Args:
            name: The name.
            offset: Where it is said; in an import, only that one counts.
        """
        yield from ()

    # Parameters and calls

    def parameter_function(self, offset: int) -> tuple[int, str] | None:
        """Where the function has its name, and the name, whose parameter is declared at an offset; None for others.

        A lambda has the parameter's own place, and an empty name.
        """
        return None

    def classes_made_with(self, offset: int) -> Node | None:
        """The class whose instances are made with an argument of the name at an offset: a parameter or a field."""
        return None

    def parameters_named(self, function: int, name: str) -> Iterator[int]:
        """The parameters with a name of the function whose own name is at an offset."""
        yield from ()

    def calls_with_mapping(self, function: str) -> Iterator[int]:
        """Where a function of some name is called with arguments in a mapping: `f(**options)`."""
        yield from ()

    def is_passed_on(self, function: str) -> bool:
        """Whether a text has a function of some name as a value, so that others may call it."""
        return False

    def keyword_call(self, offset: int) -> tuple[int, frozenset[str]] | None:
        """Of the call that a keyword's name is in: where the called name is, and the names among its arguments."""
        return None

    # Run time

    def copies_members(self) -> bool:
        """Whether a text gives an object members by keys that it does not say: `Object.assign(this, given)`."""
        return False

    def reflections_near(self, offset: int) -> Iterator[int]:
        """Where the function around a local name calls what reads such names as the program runs."""
        function = next((node for node in ancestors(self.node(offset)) if node.type in self.FUNCTIONS), None)
        for node in () if function is None else identifiers(self.syntax, self.syntax.span(function)):
            is_called = node.parent is not None and node.parent.child_by_field_name("function") == node
            if is_called and self.syntax.text(node) in self.REFLECTION:
                yield self.syntax.start(node)

    def has_modules_as_values(self, modules: Collection[str]) -> bool:
        """Whether a program may have a module as a value, so that any receiver may be one.

        A module is one where it is found as the program runs, or where a name that an import binds to one of `modules`
        is said other than to ask it for a member.

        Args:
            modules: The last parts of the modules' names.
        """
        return self._finds_modules() or any(not self._asks_member(node) for node in self._modules_said(modules))

    def _finds_modules(self) -> bool:
        """Whether a text finds modules as the program runs, by names that it does not say."""
        return False

    def _modules_said(self, modules: Collection[str]) -> Iterator[Node]:
        """The places of names that stand for all of a module, and of what may import any."""
        yield from ()

    def _asks_member(self, node: Node) -> bool:
        """Whether a module's name is only a receiver of a member that the text says."""
        return self._is_receiver(node)
