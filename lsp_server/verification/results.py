"""What verifying a text, or edits of a document, comes to: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsp_server.suggestion import Level

if TYPE_CHECKING:
    from lsp_server.verification.candidate import Candidate, Span

SYNTAX = "syntax"
"""The code of a rejection without a checker: the document would not parse as it did."""
UNDEFINED_NAME = "undefined-name"
"""The code of a rejection by our own scopes: nothing defines a name."""
DECLARED_TWICE = "declared-twice"
"""The code of a rejection for a declaration of what the file declares already."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An error that the text causes."""

    code: str
    message: str
    start: int
    end: int
    """Offsets in the document with the text in it, and no other edit."""
    inside: Span | None
    """The part of the error that lies in the text, as offsets from the text's beginning; None where nothing does."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The text may be inserted there, with the edits of `candidate`."""

    level: Level
    candidate: Candidate
    unverified: tuple[Span, ...] = ()
    """Members in the text without a definition, as offsets from the text's beginning."""
    errors_elsewhere: tuple[Rejection, ...] = ()
    """New errors that do not touch what the text became part of; they do not bind."""
    parses: bool = True
    """Whether the document, with the text in it, has no syntax error at all, and nothing is still to come."""
    is_complete: bool = True
    """Whether no syntax error, new or old, is in what the text became part of, from where the text begins."""
    continues: bool = True
    """Whether none touches the token after it, no value must follow at once, and it opens nothing above other code."""
    is_open: bool = False
    """Whether it opens brackets that nothing closes yet."""
    closed_parses: bool = True
    """Whether a parser finds no fault in the document that it was judged in, where what is still to come closes it."""
    is_circular: bool = False
    """Whether the function that it is in calls itself with its own parameters, or gives itself back."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The text must not be shown as it is."""

    rejections: tuple[Rejection, ...]
    errors_elsewhere: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Unverified:
    """No checker judged it; `level` says what was checked without one."""

    why: str
    level: Level = Level.SYNTAX


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A checker is there and did not answer before the deadline, or before the document changed."""

    why: str


Verification = Verified | Rejected | Unverified | Unanswered


@dataclass(frozen=True, slots=True)
class NewErrors:
    """The errors that edits of a document cause."""

    errors: tuple[Rejection, ...]
    """Places are in the document after the edits."""
    level: Level
    """The level that is verified if there are no errors."""
