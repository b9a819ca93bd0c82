"""What a name means, as frozen data: the one thing the index and the decoder both know.

Imports nothing of ours, so that a model, a type checker and an editor can all speak of the same names.
Lines and columns are 0-based and count code points, as everywhere inside; only the edges translate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class Language(StrEnum):
    """The grammar a text is read by. JSX is read by the JavaScript grammar."""

    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    PYTHON = "python"

    @property
    def is_python(self) -> bool:
        """Whether blocks are told by indentation and names by Python's rules."""
        return self is Language.PYTHON


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


class Origin(StrEnum):
    """Where a visible name comes from."""

    LOCAL = "local"
    """Declared in the file itself."""
    IMPORT = "import"
    """Bound by an import statement of the file."""
    GLOBAL = "global"
    """Given by the language or its host: builtins, the DOM, Node."""


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
    """The place lies before the declaration is evaluated (`let` and `class` in their dead zone, a later `x = 1`)."""
    is_type: bool = False
    """Exists only in the type space of TypeScript (interfaces, aliases, type parameters)."""


@dataclass(frozen=True, slots=True)
class Importable:
    """A name that is not in scope, yet some module of the workspace exports it."""

    text: str
    kind: NameKind
    module: str
    """The specifier as the file would write it: `./cart`, `shop.cart`."""
    detail: str = ""
    is_default: bool = False

    def as_name(self) -> Name:
        """The name as it would be visible once imported."""
        return Name(self.text, self.kind, Origin.IMPORT, distance=_FARTHEST, detail=self.module)


_FARTHEST = 1000
"""Farther than any scope."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text from elsewhere that a model should see."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class SymbolContext:
    """All that is known of the names at one place."""

    language: Language
    names: Mapping[str, Name] = field(default_factory=lambda: MappingProxyType({}))
    """Visible names; an inner declaration hides an outer one."""
    importable: tuple[Importable, ...] = ()
    snippets: tuple[Snippet, ...] = ()
    """Most useful first."""
    complete: bool = True
    """False where names may be missing and why is told by `caveats`: a star import, a `with` statement."""
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Closed:
    """The receiver's type is known completely: only these members exist."""

    names: Mapping[str, NameKind]


@dataclass(frozen=True, slots=True)
class Listed:
    """These members are known; there may be more (plain JavaScript, partial classes)."""

    names: Mapping[str, NameKind]


@dataclass(frozen=True, slots=True)
class Open:
    """Nothing is known of the receiver; any name may follow. `why` is shown to people."""

    why: str


Members = Closed | Listed | Open
