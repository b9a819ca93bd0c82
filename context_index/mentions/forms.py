"""The forms in which a text says a name: as a name, a member, a key, a string."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Mention:
    """One place at which a text says a name."""

    start: int
    """The offset of the name's first character."""
    form: MentionForm


class ReadForm(StrEnum):
    """What a program reads of names as it runs; the end of a sentence for people."""

    MEMBERS = "the members of a value are read as data"
    KEYS = "members are asked for by computed names"
    LISTED = "the names of members are listed"
    MEMBER = "the names of an enumeration's members are read as data"
    NAME = "the name is read as data"
    SCOPE = "names are read as the program runs"
    CODE = "code is made as the program runs"
    TEXT = "the name is written out"
    PARAMETERS = "the names of parameters are read as data"
    SPACE = "a metaclass gets the names of a class's members"
    DECORATOR = "a decorator gets the name"
    GIVEN = "what is assigned to the name is given the name"


@dataclass(frozen=True, slots=True)
class Read:
    """A place at which a program reads names as it runs."""

    start: int
    """The offset of the expression."""
    form: ReadForm
    names: tuple[int, ...] = ()
    """The offsets of the names in the expression for the value whose members or name are read."""
    member: int | None = None
    """The offset of the member, if it reads the value's own name only where it is a function's own one; else None."""
    untyped: int | None = None
    """The offset of the value's name, if it counts although nothing is known of its type; None if it does not."""
