"""The result of a rewrite or a rename: plain data that knows neither models nor editors."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from lsp_server.engine.rewriting.listing import abridged
from lsp_server.engine.suggestion import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index import Document, Edit
    from decoder import TokenOrigin

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
class RenameDetails:
    """What only a rename has: the other files that it changes, and the places of which it is not certain."""

    changes: Mapping[str, tuple[Document, str]] = field(default_factory=dict)
    """The other files that are changed: by path, the document as it was and its new text."""
    edits: tuple[tuple[Document, tuple[Edit, ...]], ...] = ()
    """Each document that is changed, with its edits in order; their offsets are of the document as it was."""
    perhaps: tuple[PerhapsPlace, ...] = ()
    """The places that are left, although they may have the name."""
    guessed: tuple[PerhapsPlace, ...] = ()
    """The places that are changed, although it is not certain that they have the name."""
    dangers: tuple[str, ...] = ()
    """Other reasons why the rename may not be right everywhere; each is a part of a sentence."""
    unseen: tuple[str, ...] = ()
    """Further reasons, where nobody can see whether the name is used; empty if a person takes all."""
    unused: str = ""
    """The one of the notes that says that nothing is seen to use the name; empty if something may, and if there are
    other reasons. It is a reason to ask where nobody can have just written the name, as somebody may in an editor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteResult:
    """The rewritten file, or why there is none."""

    text: str
    """The whole file; unchanged if the rewrite failed."""
    attempted_text: str
    """The whole file as it would be, also if the rewrite failed."""
    failure: RewriteFailure | None = None
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
    region: tuple[int, int] | None = None
    """Start and end, in the text before, of what might change; None for a rename, and where nothing was asked."""
    breaks: tuple[Break, ...] = ()
    """New errors in other files; for a rename, in any file."""
    rename: RenameDetails = field(default_factory=RenameDetails)
    """Empty for a rewrite by the model."""
    notes: tuple[str, ...] = ()
    """Sentences for people about what was not checked, not changed, or broken."""

    @property
    def is_improbable(self) -> bool:
        """Whether it is more probably not what was meant."""
        return self.probability is not None and self.probability < _PROBABLE

    @property
    def doubts(self) -> tuple[str, ...]:
        """The reasons to ask a person before the result is applied, as parts of a sentence; empty if there are none.

        What the built-in model writes is never applied unasked: even where it is sure, it is wrong too often.
        """
        doubts = ["it brings new errors"] if self.breaks else []
        if perhaps := self.rename.perhaps:
            count, places = len(perhaps), abridged(map(str, perhaps))
            doubts.append(f"{count} place{'s' * (count > 1)} may be the same name ({places})")
        doubts += (*self.rename.dangers, *self.rename.unseen)
        if self.probability is not None:
            what = "and it is probably not what you meant" if self.is_improbable else "and it is often wrong"
            doubts.append(f"the built-in model wrote it, {what}")
        return tuple(doubts)


def failed_result(text: str, failure: RewriteFailure, reason: str) -> RewriteResult:
    """The result if nothing was written: the file's text stays."""
    return RewriteResult(text=text, attempted_text=text, failure=failure, reason=reason)
