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
    """A string that is the name, or a dotted path that ends with it."""
    EXPORTED = "exported"
    """The name as a string in Python's `__all__`."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One place at which a text says a name."""

    start: int
    """The offset of the name's first character."""
    form: MentionForm
