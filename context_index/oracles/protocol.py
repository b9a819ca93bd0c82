"""What is asked of a type checker, and what comes back."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from context_index.symbols import Members, NameKind, Open
from context_index.text import Document


@dataclass(frozen=True, slots=True)
class Answer:
    """The members that may follow, who said so, and how long it took."""

    members: Members
    by: str
    seconds: float


class Pending:
    """A question on its way. It is answered exactly once; who does not want to wait gets `Open`."""

    def __init__(self, by: str) -> None:
        self._by = by
        self._asked = time.perf_counter()
        self._done = threading.Event()
        self._answer: Answer | None = None
        self._fault: BaseException | None = None
        self.wanted = True

    @property
    def done(self) -> bool:
        """Whether `answer` would come at once."""
        return self._done.is_set()

    def answer(self, timeout: float) -> Answer:
        """The answer, or `Open` where there is none after so many seconds."""
        if not self._done.wait(timeout):
            return Answer(Open(f"{self._by} has not answered within {timeout * 1000:.0f} ms"), self._by, timeout)
        if self._fault is not None:
            raise self._fault
        assert self._answer is not None  # noqa: S101 -- set before `_done` is
        return self._answer

    def drop(self) -> None:
        """The answer is no longer wanted; if nobody has begun with it, nobody will."""
        self.wanted = False

    def settle(self, members: Members, by: str | None = None) -> None:
        """Answer the question."""
        self._answer = Answer(members, by or self._by, time.perf_counter() - self._asked)
        self._done.set()

    def fail(self, fault: BaseException) -> None:
        """Whoever waits gets the fault: it is one of ours."""
        self._fault = fault
        self._done.set()


@dataclass(frozen=True, slots=True)
class Item:
    """One completion item, as far as it matters to us."""

    insert: str
    kind: int
    sort: str
    is_import: bool


@dataclass(frozen=True, slots=True)
class Overlay:
    """A document as the checker shall see it."""

    text: str
    offset: int


class Checker(Protocol):
    """What differs from one checker to the next."""

    @property
    def name(self) -> str:
        """As people know it, with its version."""

    @property
    def command(self) -> Sequence[str]:
        """Starts a server that talks LSP on its pipes."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables to set for it."""

    @property
    def settings(self) -> Mapping[str, object]:
        """Its settings, by configuration section."""

    def language_id(self, document: Document) -> str:
        """What LSP calls the document's language."""

    def overlay(self, document: Document, offset: int) -> Overlay:
        """The text to show, and where in it the question is asked."""

    def members(self, items: Sequence[Item], document: Document, offset: int) -> Members:
        """What a list of completions says of the receiver before `offset`."""

    def probe(self, document: Document, offset: int) -> str | None:
        """The text with a made-up member at the place; None where a list is worth what it is without one."""

    def refuses_probe(self, diagnostics: Sequence[str]) -> bool:
        """Whether the checker's remarks on that text say that there is no such member."""


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
    22: NameKind.CLASS,
    25: NameKind.TYPE_PARAMETER,
}
"""LSP's kinds of completion items; what is not here is a property."""
_REST_OF_NAME = re.compile(r"[\w$]*")


def word_end(text: str, offset: int) -> int:
    """Where the name ends that an offset is in, or before."""
    found = _REST_OF_NAME.match(text, offset)
    return offset if found is None else found.end()


def line_end(text: str, offset: int) -> int:
    """Where the line at an offset ends."""
    ends = [end for end in (text.find("\n", offset), text.find("\r", offset)) if end >= 0]
    return min(ends, default=len(text))


@dataclass(frozen=True, slots=True)
class Places:
    """Where checkers and environments are looked for."""

    roots: tuple[Path, ...]
    typescript: Path | None = None
    """The setting `typescript.path`."""
