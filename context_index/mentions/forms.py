"""The forms in which a text says a name: as a name, a member, a key, a string."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from context_index.syntax import Node


class MentionForm(StrEnum):
    """The form in which a text says a name."""

    NAME = "name"
    MEMBER = "member"
    """A member of a class, a property of an object or a key of a literal: after a dot, or where it is declared."""
    SHORTHAND = "shorthand"
    """JavaScript's `{name}` in a literal: a key, and the name of its value."""
    SHORTHAND_PATTERN = "shorthand pattern"
    """JavaScript's `{name}` in a pattern: a key, and a new name."""
    KEYWORD = "keyword"
    """The name of an argument in Python."""
    PATTERN = "pattern"
    """The name of an attribute in a class pattern of Python: `case Box(name=1)`."""
    LABEL = "label"
    """A label of a statement; it names no value."""
    TEXT = "text"
    """A string that is the name, or a dotted path with the name in it."""
    EXPORTED = "exported"
    """The name as a string in Python's `__all__`."""
    CODE = "code"
    """The name in code that is a string, or in an example of a docstring."""

    @property
    def is_string(self) -> bool:
        """Whether the text says the name in a string, and not as a name."""
        return self in (MentionForm.TEXT, MentionForm.EXPORTED, MentionForm.CODE)


@dataclass(frozen=True, slots=True)
class Mention:
    """One place at which a text says a name."""

    start: int
    """The offset of the name's first character."""
    form: MentionForm


class ReadForm(StrEnum):
    """What a program reads of names as it runs; the end of a sentence for people."""

    MEMBERS = "code takes all members of a value that may have the name as data"
    KEYS = "code asks a value that may have the name for a member whose name it computes"
    ANY_KEYS = "code asks any value for a member whose name it computes"
    LISTED = "code lists the names of all members of a value that may have the name"
    MEMBER = "code takes the names of an enumeration's members as data"
    STRING = "code makes a text of an enumeration's member, which says its name"
    NAME = "code takes the name itself as data"
    SCOPE = "code takes the names that are visible there as data"
    CODE = "code is made there as the program runs, and may say the name"
    SOURCE = "code takes the text of a function with the name as data"
    FRAME = "code takes the name of the function that runs as data"
    TEXT = "the name is written out there"
    PARAMETERS = "code takes the names of parameters as data"
    ITEMS = "code takes the keys of a dictionary as data"
    ENTRIES = "code goes through the keys of a dictionary with the name, or asks it for a computed key"
    ARGUMENTS = "the keys of a value with the name become the names of arguments"
    UNPACKED = "a function that may have the name as a parameter gets arguments whose names nobody can see"
    HANDED = "a function that the checker does not know gets a value with the name, and may ask for it"
    SPACE = "a metaclass gets the names of a class's members"
    DECORATOR = "a decorator gets the name"
    ASSUMED = "a value without a type is taken for one with the name, and may have the old one"
    RESPELLED = "the name is spelled in another way there"
    GIVEN = "what is assigned to the name is told the name"


@dataclass(frozen=True, slots=True)
class NamePattern:
    """What a computed name begins and ends with."""

    beginning: str
    end: str = ""
    is_whole: bool = False
    """Whether the name is its beginning and nothing more."""
    is_only_tested: bool = False
    """Whether all that is known is that names are tested for this beginning."""

    @classmethod
    def of_parts(cls, parts: Sequence[str | None]) -> NamePattern:
        """The pattern of a text that is put together of some parts; None stands for one that is computed."""
        computed = [at for at, part in enumerate(parts) if part is None]
        if not computed:
            return cls("".join(filter(None, parts)), is_whole=True)
        return cls("".join(filter(None, parts[: computed[0]])), "".join(filter(None, parts[computed[-1] + 1 :])))

    def matches(self, name: str) -> bool:
        """Whether a name may be the computed one."""
        if self.is_whole:
            return name == self.beginning
        is_long_enough = len(name) >= len(self.beginning) + len(self.end)
        return is_long_enough and name.startswith(self.beginning) and name.endswith(self.end)

    def concerns(self, old: str, new: str) -> bool:
        """Whether another member, or none, may be asked for where the first name is replaced by the second one."""
        was, would_be = self.matches(old), self.matches(new)
        return was != would_be if self.is_only_tested else was or would_be


@dataclass(frozen=True, slots=True)
class Read:
    """A place at which a program reads names as it runs."""

    start: int
    """The offset of the expression."""
    form: ReadForm
    names: tuple[int, ...] = ()
    """The offsets of the names in the expression for the value whose members or name are read."""
    member: int | None = None
    """The offset of the member, if it reads the value's own name only where it is a function's own one; else None.

    Of `UNPACKED`, that of a function which is an argument beside the mapping."""
    untyped: int | None = None
    """The offset of the value's name, if it counts although nothing is known of its type; None if it does not."""
    keys: tuple[str, ...] = ()
    """The names that are asked for, if they are written as strings: only these are read."""
    key: Node | None = None
    """The expression of the computed name, if a single one is asked for."""
    value: Node | None = None
    """The expression whose members are read, if what is given for it is to be followed; else None."""


@dataclass(frozen=True, slots=True)
class GivenValues:
    """What a call gives to a function: variables, members, what other calls return, and literals of all these."""

    start: int
    """The offset of the call."""
    called: int
    """The offset of the last name of what is called."""
    names: tuple[int, ...]
    """The offsets of the names by which a checker knows the values."""
    keys: tuple[int, ...]
    """The offsets of the keys of the literals."""


@dataclass(frozen=True, slots=True)
class ValueParts:
    """Of which names and keys an expression's value is made."""

    names: tuple[int, ...]
    """The offsets of the names by which a checker knows the values."""
    keys: tuple[int, ...]
    """The offsets of the keys of literals."""


@dataclass(frozen=True, slots=True)
class ValueSource:
    """An expression whose value a variable gets."""

    node: Node
    is_part: bool
    """Whether it gets a part of the value: an element, or a member."""
    without: frozenset[str] = frozenset()
    """The names of members that are left out."""


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A function in a block whose name is also a variable outside of the block, in JavaScript that is not strict."""

    name: int
    """The offset of its name."""
    block: tuple[int, int]
    """Start and end of the block."""
    around: tuple[int, int]
    """Start and end of the body, or the file, whose variable it is as well."""


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """A parameter of a function that is called by a name."""

    function: int
    """The offset of the function's name."""
    name: str
    position: int
    """Its number among the arguments that are given by position, from 0; negative if it is given by name only."""
    body: tuple[int, int]
    """Start and end of the function."""
    default: Node | None
    """What it is if no argument is given."""
    is_of_method: bool = False
    """Whether the function is a method, which may be called by other names and for other classes' methods."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A place at which code says of which type a value is: TypeScript's `x as T`."""

    types: tuple[int, ...]
    """The offsets of the names in the type."""
    value: int
    """The offset of the value's last name."""
    is_variable: bool
    """Whether the value is a variable or a member, which may hold what other code has put there."""
    is_told: bool
    """Whether the checker is told so whatever the value is: `x as unknown as T`."""
    cast_to: str = ""
    """The type as it is written, if the value's own may say less: of `x as T` and `x is T`; empty for others."""
    argument: int | None = None
    """The end of the argument that has the value, if the called function says of which type it is."""
    target: int | None = None
    """The offset of the last name of what is assigned to, if its type is that of the value."""
    callback: tuple[int, int] | None = None
    """The offset of a function that is an argument, and the number of the parameter that is the value."""


@dataclass(frozen=True, slots=True)
class TypeArguments:
    """The types that code says for the type variables of a function or a class: TypeScript's `load<Cart>(text)`."""

    name: int
    """The offset of the last name of the function or the class."""
    types: tuple[int, ...]
    """The offsets of the names in the types."""
