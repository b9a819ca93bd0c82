"""Whether a file that was written anew may take the place of the one that was there, and why not."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from context_index import Document, parse, undefined_names
from decoder import misread
from lsp_server.rewriting.losses import lost, repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Syntax, Workspace
    from lsp_server.verification import Rejection

_TOLD = 3
"""Names that a sentence lists."""


class Failed(StrEnum):
    """Why a rewrite was not made. Closed: other tools rely on it."""

    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    UNFINISHED = "unfinished"
    """The model did not come to an end."""
    STUCK = "stuck"
    """Nothing that the model wanted to say was allowed."""
    SYNTAX_ERROR = "syntax_error"
    """The file would have more syntax errors than before."""
    REJECTED = "rejected"
    """The language's own checker would report a new error."""
    UNDEFINED_NAME = "undefined_name"
    """The file would refer to a name that nothing defines."""
    LOST_NAME = "lost_name"
    """The file would lose a function, a class, a constant or an export, which the instruction does not ask for."""
    REPEATED_NAME = "repeated_name"
    """The file would declare a name twice in one place."""
    MISREAD = "misread"
    """A word of the instruction would take the place of a name, which the instruction does not ask for."""
    NO_SUCH_NAME = "no_such_name"
    """A name that is to be renamed does not stand there."""
    NAME_TAKEN = "name_taken"
    """The new name means something there already."""
    EMPTY = "empty"
    """There is no text."""
    TOO_LONG = "too_long"
    """A line alone is too long for the model."""
    EXCLUDED = "excluded"
    CONSTRAINT_FAULT = "constraint_fault"
    """A rule broke. Nothing is shown unchecked."""


def worse(
    workspace: Workspace, errors: Sequence[Rejection], syntax: Syntax, attempt: str, instruction: str
) -> tuple[Failed | None, str]:
    """Whether the file would be worse than it is, and a sentence that says how.

    Args:
        errors: What the checker would report that it does not report of the file as it is.
    """
    before = syntax.document
    after = parse(Document(before.uri, before.language, attempt))
    if after.errors > syntax.errors:
        return Failed.SYNTAX_ERROR, f"The file would not parse: {_more(after.errors - syntax.errors)}."
    if errors:
        return Failed.REJECTED, f"{errors[0].message.splitlines()[0]} ({errors[0].code})"
    if twice := repeated(syntax, after):
        return Failed.REPEATED_NAME, f"The file would declare {_listed(twice)} twice."
    if missing := lost(syntax, after, instruction):
        return Failed.LOST_NAME, f"The file would lose {_listed(missing)}, which the instruction does not ask for."
    old = workspace.context(syntax, 0)
    if read := misread(instruction, before.text, attempt, python=before.language.is_python, known=old.names):
        name, word = read
        return Failed.MISREAD, (
            f"`{word}` would take the place of `{name}`, which the instruction does not clearly ask for; "
            "if it is meant, put the new name in quotes."
        )
    new = workspace.context(after, 0)
    if not new.complete:
        return None, ""
    if unknown := undefined_names(after, new.names) - undefined_names(syntax, old.names):
        return Failed.UNDEFINED_NAME, f"The file would refer to {_listed(sorted(unknown))}, which nothing defines."
    return None, ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:_TOLD])


def _more(errors: int) -> str:
    return "one new syntax error" if errors == 1 else f"{errors} new syntax errors"
