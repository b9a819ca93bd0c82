"""The result of a rewrite or a rename: plain data that knows neither models nor editors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from lsp_server.engine.suggestion import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_index import Document, Edit
    from decoder import TokenOrigin

_FEW = 8
"""The most names that `listed` writes one by one, and the most that `abridged` writes at all."""
_PROBABLE = 0.5
"""From this probability on, a rewrite is not called probably wrong."""


class RewriteFailure(StrEnum):
    """Why a rewrite was not made. Other tools rely on these codes."""

    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    UNFINISHED = "unfinished"
    """The model did not end its output."""
    STUCK = "stuck"
    """No token that the model wanted to write was allowed."""
    SYNTAX_ERROR = "syntax_error"
    """The file would have more syntax errors than before."""
    REJECTED = "rejected"
    """The language's own checker would report a new error."""
    UNCHANGED = "unchanged"
    """The result is the text as it was."""
    NO_SUCH_NAME = "no_such_name"
    """The name to be renamed is not in the region."""
    AMBIGUOUS = "ambiguous"
    """The name to be renamed means several things in the region."""
    NAME_TAKEN = "name_taken"
    """The new name already means something there."""
    NO_CHECKER = "no_checker"
    """There is no checker that renames."""
    EMPTY = "empty"
    """The model wrote no text for the region."""
    TOO_LONG = "too_long"
    """The region is too long for the model."""
    EXCLUDED = "excluded"
    """The file is one of those that are not read, see `Exclusion`."""
    CONSTRAINT_FAULT = "constraint_fault"
    """A rule raised an exception. Nothing is shown unchecked."""
    UNSURE = "unsure"
    """A rename that may leave uses of the name, or break them: a person is asked before it is done."""
    STALE = "stale"
    """In an editor: the document was changed meanwhile where it was being rewritten, or closed."""


@dataclass(frozen=True, slots=True)
class Break:
    """A new error in a file that imports the rewritten one."""

    path: str
    line: int
    """Counted from 0."""
    message: str
    code: str

    def __str__(self) -> str:
        first, _, _ = self.message.partition("\n")
        return f"{self.path}:{self.line + 1}: {first} ({self.code})"


@dataclass(frozen=True, slots=True)
class PerhapsPlace:
    """A place that may have the renamed name, though no checker says so. `--all` renames it, too."""

    path: str
    line: int
    """Counted from 0."""
    why: str
    """Why it may have the name or not; the end of a sentence for people."""
    document: Document
    edit: Edit
    """The edit that would rename it, with offsets of the document."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line + 1}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteResult:
    """The rewritten file, or why there is none."""

    text: str
    """The whole file; unchanged if the rewrite failed."""
    attempt: str
    """The whole file as it would be, also if the rewrite failed."""
    failed: RewriteFailure | None = None
    """None if it did not fail."""
    reason: str = ""
    """If it failed, one sentence for people."""
    counts: Counter[TokenOrigin] = field(default_factory=Counter)
    """How many tokens came about in each way."""
    forwards: int = 0
    """How often the model computed."""
    pieces: tuple[tuple[TokenOrigin, str], ...] = ()
    """The text written in the region and the rejected parts of the draft, in order, each with its origin."""
    latency_ms: float = 0.0
    """From the request to the result."""
    forward_ms: float = 0.0
    """Spent in the model."""
    verified: Level = Level.NONE
    probability: float | None = None
    """Calibrated probability that this is what was meant; only the built-in model has one, and only for rewrites."""
    breaks: tuple[Break, ...] = ()
    """New errors in other files; for a rename, in any file."""
    changes: Mapping[str, tuple[Document, str]] = field(default_factory=dict)
    """The other files that a rename changes: by path, the document as it was and its new text."""
    renamed: tuple[tuple[Document, tuple[Edit, ...]], ...] = ()
    """Each document that a rename changes, with its edits in order; their offsets are of the document as it was."""
    perhaps: tuple[PerhapsPlace, ...] = ()
    """The places that a rename leaves, although they may have the name."""
    guessed: tuple[PerhapsPlace, ...] = ()
    """The places that a rename changes, although it is not certain that they have the name."""
    dangers: tuple[str, ...] = ()
    """Other reasons why a rename may not be right everywhere; each is a part of a sentence."""
    notes: tuple[str, ...] = ()
    """Sentences for people about what was not checked, not changed, or broken."""

    @property
    def doubts(self) -> tuple[str, ...]:
        """The reasons to ask a person before the result is applied, as parts of a sentence; empty if there are none.

        What the built-in model writes is never applied unasked: even where it is sure, it is wrong too often.
        """
        doubts = ["it brings new errors"] if self.breaks else []
        if self.perhaps:
            count, places = len(self.perhaps), abridged(map(str, self.perhaps))
            doubts.append(f"{count} place{'s' * (count > 1)} may be the same name ({places})")
        doubts += self.dangers
        if self.probability is not None:
            is_probable = self.probability >= _PROBABLE
            what = "and it is often wrong" if is_probable else "and it is probably not what you meant"
            doubts.append(f"the built-in model wrote it, {what}")
        return tuple(doubts)


def listed(names: Iterable[str]) -> str:
    """All different names, joined by commas; many `file:line` are written by file, such as `cart.py:1,7`."""
    different = list(dict.fromkeys(names))
    if len(different) <= _FEW:
        return ", ".join(different)
    by_file: dict[str, list[str]] = {}
    for name in different:
        file, colon, line = name.rpartition(":")
        is_place = bool(colon) and line.isdigit()
        by_file.setdefault(f"{file}:" if is_place else name, []).append(line if is_place else "")
    return ", ".join(f"{file}{','.join(lines)}" for file, lines in by_file.items())


def abridged(names: Iterable[str]) -> str:
    """The first few different names, joined by commas, and how many more there are, which a note lists."""
    different = list(dict.fromkeys(names))
    rest = f" and {len(different) - _FEW} more" if len(different) > _FEW else ""
    return ", ".join(different[:_FEW]) + rest


def failure(text: str, failed: RewriteFailure, reason: str) -> RewriteResult:
    """The result if nothing was written: the file's text stays."""
    return RewriteResult(text=text, attempt=text, failed=failed, reason=reason)
