"""What is asked of a type checker, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from context_index.oracles.dialects import Dialect
from context_index.symbols import Members, NameKind, Position
from context_index.text import Document

T = TypeVar("T")
PROBE = "inscope_probe"
"""A name that we make up to see whether it is refused."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a checker holds against a place of a text."""

    line: int
    """0-based."""
    column: int
    """In UTF-16 units, as checkers count."""
    message: str
    code: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One completion item, as far as it matters to us."""

    insert: str
    kind: int
    sort: str
    is_import: bool


@dataclass(frozen=True, slots=True)
class Completions:
    """The items at a place."""

    items: tuple[Item, ...]
    incomplete: bool
    """By the checker's own word there are more."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A document as the checker shall see it, and the place in it that is asked about."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Unproven(Generic[T]):
    """What is known at once, and how more is found out: that takes longer."""

    so_far: T
    prove: Callable[[], T]


class Program(Protocol):
    """What is needed to keep a server running."""

    @property
    def name(self) -> str:
        """As people know it, with its version."""

    @property
    def command(self) -> Sequence[str]:
        """Starts a server that is talked to on its pipes."""

    @property
    def dialect(self) -> Dialect:
        """How that server's messages look."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables to set for it."""

    @property
    def outside_of(self) -> Sequence[Path]:
        """The workspaces that the command's program may not come from."""

    @property
    def settings(self) -> Mapping[str, object]:
        """Its settings, by configuration section."""

    def language_id(self, document: Document) -> str:
        """What LSP calls the document's language."""


class Checker(Program, Protocol):
    """What differs from one checker to the next."""

    def overlay(self, document: Document, offset: int, position: Position) -> Overlay:
        """The text in which names are asked for."""

    def names(self, found: Completions, document: Document, offset: int, position: Position) -> Members:
        """What completions say of the names at `offset`; `Closed` is held against the probe."""

    def probe(self, document: Document, offset: int, position: Position) -> str:
        """The text with a made-up name at the place."""

    def refuses_probe(self, remarks: Sequence[Remark], position: Position) -> bool:
        """Whether the checker's remarks on that text say that there is no such name."""

    def whole(self, document: Document, offset: int = 0) -> Overlay:
        """The text with nothing changed in it, though something may stand above it."""

    def ahead(self, document: Document) -> Sequence[str]:
        """Texts behind whose end names are listed before anybody asks, as the first time takes long."""

    def empty(self, document: Document) -> Overlay:
        """A text at the document's place in which nothing is in scope but what is everywhere."""

    def globals(self, found: Completions) -> Mapping[str, NameKind]:
        """What completions in that text say is everywhere."""


NAME_KINDS: Mapping[int, NameKind] = {
    2: NameKind.METHOD,
    3: NameKind.FUNCTION,
    4: NameKind.CLASS,
    6: NameKind.VARIABLE,
    7: NameKind.CLASS,
    8: NameKind.INTERFACE,
    9: NameKind.MODULE,
    13: NameKind.ENUM,
    20: NameKind.ENUM_MEMBER,
    21: NameKind.CONSTANT,
    25: NameKind.TYPE_PARAMETER,
}
"""LSP's kinds of completion items; what is not here is a property."""
KEYWORD = 14
"""LSP's kind of an item that is a keyword."""
