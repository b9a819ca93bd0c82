"""What a name means, as frozen data that the index and the decoder share.

First comes what both must know of any text: its languages, which brackets close which, and which characters are those
of a name. Imports nothing else of Inscope but the records of the languages.

Lines and columns are 0-based and count code points, as everywhere inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

from context_index.languages.c import CPP, C
from context_index.languages.ecmascript import JAVASCRIPT, TSX, TYPESCRIPT
from context_index.languages.python import PYTHON
from context_index.languages.record import LanguageRecord


class Language(StrEnum):
    """The grammar a text is read by. JSX is read by the JavaScript grammar."""

    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    PYTHON = "python"
    C = "c"
    CPP = "cpp"

    @property
    def record(self) -> LanguageRecord:
        """What the language is."""
        return _RECORDS[self]

    @property
    def family(self) -> str:
        """The languages whose files import each other and share one checker, by a common name."""
        return _RECORDS[self].family


_RECORDS = {Language(record.name): record for record in (JAVASCRIPT, TYPESCRIPT, TSX, PYTHON, C, CPP)}
CLOSES = MappingProxyType({")": "(", "]": "[", "}": "{"})
"""Closing brackets, and what each closes."""


def whole_words(text: str, word: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """The offsets, between two others, at which a word stands in a text and no character beside it continues it."""
    for match in re.compile(re.escape(word)).finditer(text, start, len(text) if end is None else end):
        around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
        if not any(map(continues_identifier, around)):
            yield match.start()


def continues_identifier(character: str) -> bool:
    """Whether an identifier of one of our languages may go on with a character; digits count.

    As ECMA-262 §12.7 and Python's language reference have it: XID_Continue, and `$` and the joiners of ECMAScript.
    """
    if character.isascii():
        return character.isalnum() or character in "_$"
    return f"a{character}".isidentifier() or character in _JOINERS


_JOINERS = "\u200c\u200d"
"""Zero width non-joiner and zero width joiner."""


def encodable(text: str) -> str:
    """The text with U+FFFD for each lone half of a surrogate pair, which JSON can contain and no encoding has.

    The length stays the same.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return _HALF_OF_A_PAIR.sub("\ufffd", text)
    return text


_HALF_OF_A_PAIR = re.compile("[\ud800-\udfff]")


def word_start(text: str, offset: int) -> int:
    """Where the characters of an identifier that end at an offset begin; the offset itself where there are none."""
    while offset > 0 and continues_identifier(text[offset - 1]):
        offset -= 1
    return offset


def word_end(text: str, offset: int) -> int:
    """Where the characters of an identifier that begin at an offset end; the offset itself where there are none."""
    while offset < len(text) and continues_identifier(text[offset]):
        offset += 1
    return offset


class NameKind(StrEnum):
    """What a name stands for."""

    VARIABLE = "variable"
    CONSTANT = "constant"
    PARAMETER = "parameter"
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TYPE = "type"
    TYPE_PARAMETER = "type parameter"
    ENUM = "enum"
    ENUM_MEMBER = "enum member"
    NAMESPACE = "namespace"
    MODULE = "module"
    PROPERTY = "property"
    KEYWORD = "keyword"
    """A word of the language's grammar; no name is one."""


class Origin(StrEnum):
    """Where a visible name comes from."""

    LOCAL = "local"
    """Declared in the file itself."""
    IMPORT = "import"
    """Bound by an import statement of the file."""
    GLOBAL = "global"
    """Given by the language or its host: builtins, the DOM, Node."""


class ModuleKind(StrEnum):
    """How a script is loaded, in the words of a package.json."""

    ES = "module"
    COMMON_JS = "commonjs"


@dataclass(frozen=True, slots=True)
class Name:
    """One name that is visible at a place."""

    text: str
    kind: NameKind
    origin: Origin
    distance: int
    """Scopes between the place and the declaration: 0 is the innermost, globals are farthest."""
    line: int | None = None
    """0-based line of the declaration; None where there is none in the file."""
    detail: str = ""
    """What is known beyond the kind, for people and for prompts: a signature, an annotation, a module."""
    before_declaration: bool = False
    """The place is before the declaration is evaluated (`let` and `class` in their dead zone, a later `x = 1`)."""
    is_type: bool = False
    """Exists only in the type space of TypeScript (interfaces, aliases, type parameters)."""
    is_also_type: bool = False
    """A value of whose name there is a type as well."""


@dataclass(frozen=True, slots=True)
class PrimitiveType:
    """`string`, `int`, `None`: a type without parts."""

    name: str


@dataclass(frozen=True, slots=True)
class LiteralType:
    """One value, as the language writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class ArrayType:
    """A list, an array, or a tuple of any length; of a tuple with different parts, `element` is their union."""

    element: Type


@dataclass(frozen=True, slots=True)
class RecordProperty:
    """A property of a record."""

    type: Type
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class RecordType:
    """An object whose properties are written out."""

    properties: Mapping[str, RecordProperty]


@dataclass(frozen=True, slots=True)
class UnionType:
    """One of several types; an optional type is a union with `undefined`, `null` or `None`."""

    of: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function."""

    name: str
    """The name as the signature writes it, with its stars or dots; empty where the parameter has none."""
    type: Type
    text: str = ""
    """The type as the language writes it."""
    default: str | None = None
    is_optional: bool = False
    by_name: bool = False
    """Whether a call must write the parameter's name before the argument."""

    @property
    def is_rest(self) -> bool:
        """Whether it takes any number of arguments."""
        return self.name.startswith(("*", "..."))


@dataclass(frozen=True, slots=True)
class FunctionType:
    """Something that can be called. Of several overloads it is the first."""

    parameters: tuple[Parameter, ...]
    returns: Type
    returned: str = ""
    """What it returns as the language writes it."""
    text: str = ""
    """Parameters and result as the language writes them, in one line."""


@dataclass(frozen=True, slots=True)
class InstanceType:
    """An object of a class, an interface or another named type; its members are asked of the checker."""

    name: str
    arguments: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class UnknownType:
    """Anything: the checker does not know it, has cut its text off, or writes it in a way that is not known here."""

    text: str = ""
    """The type as the checker writes it; empty where the checker says no more than "anything"."""


Type = PrimitiveType | LiteralType | ArrayType | RecordType | UnionType | FunctionType | InstanceType | UnknownType


@dataclass(frozen=True, slots=True)
class TypedName:
    """What a type checker says of a name at a place."""

    type: str | None
    """The type as the language writes it; None where it is not known."""
    structure: Type = UnknownType()
    """The type, taken apart."""
    signature: FunctionType | None = None
    """The signature, if the name can be called."""
    documentation: str = ""
    """The first sentence of its documentation."""
    why: str = ""
    """Why there is no type."""


ANY_VALUE = "inscope_any_value"
"""A name that no file defines; to every checker it is a value of any type. See `NameTypes.accepted`."""


class NameTypes(Protocol):
    """Knows the types of the names at one place, computed when they are asked for."""

    def of(self, names: Sequence[str], seconds: float | None = None) -> Mapping[str, TypedName]:
        """The type of each name, or of each path of members of one (`session.user.name`).

        Args:
            seconds: how long the checker may take; None: as long as it may in any case.
        """

    def members(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, NameKind]]:
        """The kinds of the members of each name or path, methods left out; none where the checker does not answer."""

    def signature(self, callee: str) -> TypedName:
        """The signature of a function, a method or a class; of several overloads the first."""

    def accepted(self, statements: Sequence[str]) -> tuple[bool, ...]:
        """For each statement, whether the checker finds no error in it when it is written at the place.

        False, too, where the checker does not judge. Each statement is one line; `ANY_VALUE` in it is a value that
        fits every type.
        """


@dataclass(frozen=True, slots=True)
class Importable:
    """A name that is not in scope, but is exported by a module of the workspace or of a library."""

    text: str
    kind: NameKind
    module: str
    """The specifier as the file would write it: `./cart`, `shop.cart`."""
    is_default: bool = False
    is_module: bool = False
    """Whether the name is the module itself: `import json`, `import * as fs from 'node:fs'`."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text of another file that a model should see."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SymbolContext:
    """The names at one place."""

    language: Language
    names: Mapping[str, Name] = field(default_factory=lambda: MappingProxyType({}))
    """Visible names; an inner declaration hides an outer one."""
    importable: tuple[Importable, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    """Most useful first."""
    complete: bool = True
    """False where names may be missing, for the reasons in `caveats`: a star import, a `with` statement."""
    caveats: tuple[str, ...] = ()
    more_importable: bool = field(default=False, compare=False)
    """Whether more names may be importable than `importable` has.

    That is so while the workspace or its packages are still being read, and where the word at the place is so short
    that names of packages are left out.
    """
    types: NameTypes | None = field(default=None, compare=False)
    """Answers for the types of `names`; None where types are not available."""
    module_kind: ModuleKind | None = None
    """The kind of the package's scripts, for a script that does not state its own; None where it is unknown."""


@dataclass(frozen=True, slots=True)
class CheckerCompletion:
    """What a type checker lists where something is being typed."""

    text: str
    """What is typed to find it; of a text in quotes, the part between them."""
    kind: NameKind
    written: str
    """What accepting it writes: mostly the same as `text`, but `?.name` after an object that may be missing."""
    reach: int = 0
    """How many characters before the place the text replaces."""
    type: str = ""
    """The entry's type or signature as the checker writes it; empty where the checker is asked for each entry."""
    documentation: str = ""
    commit: tuple[str, ...] = ()
    """Characters that, typed next, accept it."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A function whose call an offset is in, as its checker writes it."""

    label: str
    parameters: tuple[str, ...]
    """Each with its type, as the label has it."""
    active: int | None = None
    """The parameter that the offset is at; None where the call has more arguments than there are parameters."""
    documentation: str = ""

    @property
    def parameter(self) -> str | None:
        """The text of the active parameter."""
        return self.parameters[self.active] if self.active is not None else None

    @property
    def spans(self) -> tuple[tuple[int, int] | None, ...]:
        """Where the label has each parameter; None where it has not.

        Each is looked for after the one before: TypeScript sends texts alone, and of `(ba: int, a: int)` ty says that
        `a: int` is in `ba: int`.
        """
        spans: list[tuple[int, int] | None] = []
        end = 0
        for parameter in self.parameters:
            start = self.label.find(parameter, end)
            spans.append((start, start + len(parameter)) if start >= 0 else None)
            end = start + len(parameter) if start >= 0 else end
        return tuple(spans)


@dataclass(frozen=True, slots=True)
class Signatures:
    """The ways in which a function may be called."""

    of: tuple[Signature, ...]
    active: int = 0
    """The index of the active signature, as far as the checker knows."""

    @property
    def active_signature(self) -> Signature:
        """The signature with the index `active`."""
        return self.of[self.active]
