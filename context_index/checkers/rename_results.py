"""The results of asking a checker what a name means and what renaming it changes, as frozen data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from context_index.checkers.answers import Diagnostic, Target
from context_index.mentions import ReadForm
from context_index.text import Edit

Place = tuple[int, int]
"""The index of a document, and an offset in it, in code points."""
Meaning = frozenset["Place | Target"]
"""The places at which a name is defined: `Place`s in the documents, `Target`s in other files. Empty if not known."""


def in_documents(meaning: Iterable[Place | Target]) -> frozenset[Place]:
    """Those of some definitions that are in the documents."""
    return frozenset(place for place in meaning if isinstance(place, tuple))


class Doubt(StrEnum):
    """Why it is not certain whether a place has the name; the end of a sentence for people."""

    # The checker does not say what the name means there

    UNTYPED = "its receiver has no type"
    KEYWORD = "the function that is called has no type"
    KEY = "it is a key of a function's keyword arguments"
    UNKNOWN = "the checker does not know where it is from"
    TEXT = "it is a string"
    TOLD = "what is made there gets it as its own name"
    CODE = "it is in code that is a string"
    MANGLED = "it is a private name with the name of a class of this name"

    # The checker takes it for another name

    NAMESAKE = "it may be used where the other is meant"
    COPIED = "it is a key that may be copied to what has the name"
    BESIDE = "it is a key that a function gets beside a value with the name"
    DECLARED = "a declaration file and a script have the name"
    GLOBAL = "a library has a global of this name"
    """A script of the project declares the name, too."""


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
    text: Meaning = frozenset()
    """Where the method is defined that makes a text of the member."""


@dataclass(frozen=True, slots=True)
class NameRead:
    """A place that reads the name as the program runs."""

    uri: str
    offset: int
    form: ReadForm


@dataclass(frozen=True, slots=True)
class NewNameUse:
    """A place that asks for the new name before anything has it."""

    uri: str
    offset: int
    is_untyped: bool
    """Whether the checker does not say of what it is asked."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """What renaming one meaning of a name changes, and what a person should know of it.

    Offsets are those of the documents that the checker was given, in code points. Files are those that are none of
    these documents, by their URIs.
    """

    places: tuple[int, ...]
    """The offsets in the first document that have this meaning, of those that were asked about."""
    edits: Mapping[str, tuple[Edit, ...]]
    """The edits of each document, by its URI; in order."""
    seed: int = 0
    """The offset in the first document at which the checker was asked to rename; -1 if that was in another document."""
    by_checker: tuple[int, ...] = ()
    """The offsets, in the first document, of the checker's own edits for `seed`."""
    perhaps: tuple[Perhaps, ...] = ()
    """The places that may have the name or not."""

    # What kind of name it is, and where it is from

    is_member: bool = False
    """Whether it is the name of a member, which any receiver may have."""
    is_local: bool = False
    """Whether the name is visible in one function only."""
    functions: frozenset[str] = frozenset()
    """The names of the Python functions that have the name as a parameter; "" for a lambda."""
    constructors: frozenset[str] = frozenset()
    """The names of the Python classes that may be called with an argument of the name: those that have it as a field,
    or as a parameter of the method that makes their instances."""
    classes: tuple[tuple[str, str], ...] = ()
    """The classes that declare what is renamed: a document's URI, and the class's path at the document's end."""
    imported_from: tuple[str, ...] = ()
    """The URIs of the modules from which the name is imported; "" for a module that the checker does not find."""
    declared_elsewhere: tuple[str, ...] = ()
    """The files that declare the name, if none of the documents does."""

    # Who may ask for the name, though no edit is there

    on_every_object: tuple[str, ...] = ()
    """The files that declare a member of the old name for every object, as `toString` is: they may call it."""
    reads: tuple[NameRead, ...] = ()
    """The places that read the name as the program runs, or all names among which it is."""
    possible_readers: tuple[str, ...] = ()
    """The files that may read the name as the program runs, and that are to be given to the checker for this reason.

    They define bases, metaclasses or decorators of what has the name, or call what reads the values that it gets.
    """
    dispatching_bases: tuple[str, ...] = ()
    """The files with bases of the name's classes that ask for members by computed names, which either name may be."""
    unknown_bases: tuple[Place, ...] = ()
    """Where a class of a member has a base that the checker does not know."""
    unused: tuple[Place, ...] = ()
    """Where the name is declared, if nothing uses it that can be seen: what uses it finds it by its name.

    Also of a local name of a file of JavaScript, which others may say if the file is a script."""

    # What has the new name already, or asks for it

    new_on_every_object: tuple[str, ...] = ()
    """The files that declare a member of the new name for every object."""
    relatives_with_new_name: tuple[Place, ...] = ()
    """Where classes that are related to the name's classes declare a member of the new name, in order."""
    new_uses: tuple[NewNameUse, ...] = ()
    """The places that ask for the new name already, perhaps of what has it then."""


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
    members: Mapping[tuple[str, str], Meaning]
    """What `old` of `renaming.survey` means as a member of classes, by the document's URI and the class's path."""
    diagnostics: tuple[tuple[Diagnostic, ...], ...] = ()
    exports: Mapping[tuple[int, str], Meaning] = field(default_factory=dict)
    """What documents with `export *` export by the old and the new name, by the document's index and the name."""
    values: Mapping[tuple[str, str], EnumMember] = field(default_factory=dict)
    """What the name is as a member of enumerations, by the document's URI and the class's path."""
