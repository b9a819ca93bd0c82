"""What verifying a text, or edits of a document, comes to: plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsp_server.engine.suggestion import Level

if TYPE_CHECKING:
    from lsp_server.engine.verification.candidate import Candidate, Span

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
    """The text may be inserted there, with the edits of `candidate`.

    What the text leaves open is closed before the checker is asked: after `f(a` it sees `f(a)`. Four answers tell how
    finished the text is:

    - `parses`: the document is whole with the text alone; nothing closes it. False for `f(a`.
    - `closed_parses`: the document has no syntax error once it is closed. True for `f(a`, false if any line of the file
      has a syntax error of its own.
    - `is_complete`: there is no syntax error in the statement that the text became part of. Elsewhere there may be.
    - `continues`: the code below may follow the text as it is; see there.
    """

    level: Level
    candidate: Candidate
    unverified: tuple[Span, ...] = ()
    """Members in the text without a definition, as offsets from the text's beginning."""
    errors_elsewhere: tuple[Rejection, ...] = ()
    """New errors that do not touch what the text became part of; they reject nothing."""
    parses: bool = True
    """Whether the document has no syntax error at all, and the text leaves nothing open."""
    is_complete: bool = True
    """Whether no syntax error, new or old, is in what the text became part of, from where the text begins.

    Nor may its last line leave a string or a bracket open that could be closed there (`Applied.leaves_line_open`).
    """
    continues: bool = True
    """Whether the document may be read on as before, right after the text.

    Not where a syntax error touches the token after the text, as after a Python header without a body. Not where a
    value must follow at once: `a &&`. With code below, not where the text opens a bracket or must be followed by a
    sign, `import a` by `from`.
    """
    is_open: bool = False
    """Whether it opens brackets that nothing closes yet."""
    closed_parses: bool = True
    """Whether the document has no syntax error at all, closed where the text leaves something open."""
    is_circular: bool = False
    """Whether the function that it is in calls itself with its own parameters, or gives itself back."""
    unexported: Span | None = None
    """A name that no module is known to export, imported from one that is still to come; from the text's beginning."""


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
