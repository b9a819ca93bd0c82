"""The results of verifying a text (`Verification`) or edits of a document (`NewErrors`), as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsp_server.engine.suggestion import Level

if TYPE_CHECKING:
    from lsp_server.engine.verification.candidate import Candidate
    from lsp_server.engine.verification.spans import Span

SYNTAX = "syntax"
"""The code of a rejection by our own parser: the document would not parse as it did."""
UNDEFINED_NAME = "undefined-name"
"""The code of a rejection by our own scopes: nothing defines a name."""
DECLARED_TWICE = "declared-twice"
"""The code of a rejection of a text that declares what the file declares already."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """An error that the text causes."""

    code: str
    message: str
    start: int
    end: int
    """Where the error is: offsets in the document with the text in it, and no other edit."""
    inside: Span | None
    """The part of the error that is in the text, as offsets from the text's beginning; None if no part is."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The text may be inserted at its place, with the edits of `candidate`.

    What the text leaves open is closed before the checker is asked: for `f(a` it sees `f(a)`.
    """

    level: Level
    candidate: Candidate
    """The text with the edits that it needs, such as imports."""
    unverified: tuple[Span, ...] = ()
    """The members in the text that have no definition, as offsets from the text's beginning."""
    errors_elsewhere: tuple[Rejection, ...] = ()
    """New errors that do not touch what the text became part of; they reject nothing."""
    parses: bool = True
    """Whether the document with the text, and without any closing, has no syntax error at all. False for `f(a`."""
    is_complete: bool = True
    """Whether the statement that the text became part of has no syntax error once it is closed.

    Errors before the text and in other statements do not count. False also if the text's last line leaves a string or
    a bracket open that could be closed there (`Applied.leaves_line_open`), as `f(a` does.
    """
    continues: bool = True
    """Whether the code below may follow the text as it is. It may not in these cases:

    - A syntax error touches the token after the text, as after a Python header without a body.
    - A value must follow at once, as after `a &&`.
    - There is code below, and the text opens a bracket, or a sign must follow it: `from` after `import a`.
    """
    is_open: bool = False
    """Whether the text opens brackets that nothing closes yet."""
    closed_parses: bool = True
    """Whether the document has no syntax error at all once it is closed where the text leaves something open.

    True for `f(a`; false if any other line of the file has a syntax error of its own.
    """
    unmeant: str = ""
    """Why nobody means the text although it type-checks, as a sentence for people; empty if nothing speaks against it.

    The function around it would only call or return itself, or the file or a module that it imports from declares the
    same name.
    """
    unexported: Span | None = None
    """A name that the text imports and that no known module exports, as offsets from the text's beginning.

    Only looked for while the module's name is still to be written; None if there is no such name.
    """


@dataclass(frozen=True, slots=True)
class Rejected:
    """The text must not be shown as it is."""

    rejections: tuple[Rejection, ...]
    """One at least, in the order of their places."""
    errors_elsewhere: tuple[Rejection, ...] = ()
    """New errors that do not touch what the text became part of."""


@dataclass(frozen=True, slots=True)
class Unverified:
    """No checker judged the text; `level` says what was checked without one."""

    why: str
    """A sentence for people; it may lack its full stop."""
    level: Level = Level.SYNTAX


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A checker is there and did not answer before the deadline, or before the document changed."""

    why: str
    """A sentence for people, without its full stop."""


Answered = Verified | Rejected | Unverified
Verification = Answered | Unanswered


@dataclass(frozen=True, slots=True)
class NewErrors:
    """The errors that edits of a document cause; empty if there are none."""

    errors: tuple[Rejection, ...]
    """Their places are in the document after the edits, and `inside` is None."""
    level: Level
    """How much of the edited document is verified if there are no errors."""
