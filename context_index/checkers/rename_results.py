"""The results of asking a checker what a name means and what renaming it changes, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from context_index.checkers.answers import Diagnostic, Target
from context_index.mentions import ReadForm
from context_index.text import Edit

Place = tuple[int, int]
"""The index of a document, and an offset in it."""
Meaning = frozenset["Place | Target"]
"""The places at which a name is defined: `Place`s in the documents, `Target`s in other files. Empty if not known."""


class Doubt(StrEnum):
    """Why it is not certain whether a place has the name; the end of a sentence for people."""

    UNTYPED = "its receiver has no type"
    TEXT = "it is a string"
    KEYWORD = "the function that is called has no type"
    KEY = "it is a key of a function's keyword arguments"
    UNKNOWN = "the checker does not know where it is from"
    NAMESAKE = "it may be used where the other is meant"
    MANGLED = "it is a private name with the name of a class of this name"
    COPIED = "it is a key that may be copied to what has the name"
    DECLARED = "a declaration file and a script have the name"
    GLOBAL = "a library has a global of this name"


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A place that may have the name or not, and the edit that would rename it there."""

    uri: str
    edit: Edit
    doubt: Doubt


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration."""

    value: str
    """The type of its value as the checker writes it; `Literal["red"]` if the checker knows the value."""
    maker: Meaning
    """Where the method is defined that makes a value of a name, if the class does not write one."""


@dataclass(frozen=True, slots=True)
class NameRead:
    """A place that reads the name as the program runs."""

    uri: str
    offset: int
    form: ReadForm


@dataclass(frozen=True, slots=True)
class Renaming:
    """What renaming one meaning of a name changes."""

    places: tuple[int, ...]
    """The offsets in the first document that have this meaning, of those that were asked about."""
    edits: Mapping[str, tuple[Edit, ...]]
    """By URI, in order; the offsets are those of the documents that the checker was given."""
    by_checker: tuple[int, ...] = ()
    """The offsets, in the first document, of the checker's own edits for `seed`."""
    seed: int = 0
    """The offset in the first document at which the checker was asked to rename; -1 if that was in another document."""
    elsewhere: tuple[str, ...] = ()
    """The URIs of the files that declare the name, if none of the documents does."""
    perhaps: tuple[Perhaps, ...] = ()
    outside: tuple[str, ...] = ()
    """The URIs of files, none of the documents, that declare the same member for every object: they may call it."""
    outside_new: tuple[str, ...] = ()
    """The same of the new name."""
    functions: frozenset[str] = frozenset()
    """The names of the Python functions that have the name as a parameter; "" for a lambda."""
    is_member: bool = False
    """Whether it is the name of a member, which any receiver may have."""
    is_local: bool = False
    """Whether the name is visible in one function only."""
    imported_from: tuple[str, ...] = ()
    """The URIs of the modules from which the name is imported; "" for a module that the checker does not find."""
    made_with: frozenset[str] = frozenset()
    """The names of the Python classes whose instances are made with an argument of the name."""
    reads: tuple[NameRead, ...] = ()
    """The places that read the name as the program runs, or all names among which it is."""
    getters: tuple[str, ...] = ()
    """The URIs of the files, none of the documents, that define bases of the name's classes, or its decorators."""
    taken: tuple[Place, ...] = ()
    """Where related classes declare a member of the new name."""
    classes: tuple[tuple[str, str], ...] = ()
    """The classes that declare what is renamed: a document's URI, and the class's path at the document's end."""


@dataclass(frozen=True, slots=True)
class Renamings:
    """All meanings of a name at some places of a text."""

    meanings: tuple[Renaming, ...]
    refused: str = ""
    """What the checker said of the first place at which it renames nothing; empty if there is none."""
    unread: tuple[str, ...] = ()
    """The URIs of files that would be changed but that the checker was not given, so that they cannot be."""
    diagnostics: tuple[tuple[Diagnostic, ...], ...] = ()
    """What the checker reports of the first documents as they are."""
    old_name: Survey = field(default_factory=lambda: Survey({}, {}))
    """What the old name means."""
    new_name: Survey = field(default_factory=lambda: Survey({}, {}))
    """What the new name means before anything is renamed to it."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a name means at each of its places, before or after a rename."""

    meanings: Mapping[Place, Meaning]
    probed: Mapping[tuple[str, str], Meaning]
    """What the name means as a member of classes, by the document's URI and the class's path."""
    diagnostics: tuple[tuple[Diagnostic, ...], ...] = ()
    exports: Mapping[tuple[int, str], Meaning] = field(default_factory=dict)
    """What documents with `export *` export by the old and the new name, by the document's index and the name."""
    values: Mapping[tuple[str, str], EnumMember] = field(default_factory=dict)
    """What the name is as a member of enumerations, by the document's URI and the class's path."""
