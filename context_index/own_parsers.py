"""What a language's own parser says of a whole file: CPython's compiler, and Node.js for JavaScript.

Both know errors that no tree has and that a checker may leave out: a reserved word as a parameter of a module, a
`nonlocal` without its variable, one parameter twice. A file is compiled by a child process, never run. Whether a
JavaScript file is a module decides what is forbidden in it. TypeScript's own errors are its checker's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from context_index.languages.parts import part
from context_index.processes import LateError, Process, finish
from context_index.symbols import ModuleKind
from context_index.syntax import Syntax

_SECONDS: Final = 20.0
"""A parser needs a tenth of a second; one that takes longer is not waited for."""


@dataclass(frozen=True, slots=True)
class SyntaxFault:
    """The first error that a parser finds in a file."""

    line: int
    """Counted from 0."""
    message: str
    """The parser's own words."""
    parser: str
    """The parser's name, for people."""


class ParserAbsentError(Exception):
    """The language's own parser is not there, or gave no answer; the message says which and why."""


def new_fault(
    before: Syntax, after: Syntax, around: ModuleKind | None, outside_of: Sequence[Path]
) -> SyntaxFault | None:
    """What the language's own parser finds in a file, if it found nothing in the file as it was.

    Args:
        around: The kind that the file's package gives to a script.
        outside_of: The workspaces, from which nothing is started.

    Raises:
        ParserAbsentError: nothing can be said.
    """
    rules = part(after.document.language, "own_parser")
    found: SyntaxFault | None = None if rules is None else rules.new_fault(before, after, around, outside_of)
    return found


def answer(child: Process, text: str, name: str) -> tuple[int, str]:
    """The exit code of a child that reads a text, and what it says on standard error.

    Raises:
        ParserAbsentError: it did not end in time.
    """
    assert child.stdin is not None  # noqa: S101 - both are started with a pipe
    try:
        with child.stdin as pipe:
            pipe.write(text.encode("utf-8", "surrogatepass"))
    except OSError:
        pass  # it has ended before it read all; its exit code says how
    try:
        done = finish(child, _SECONDS)
    except LateError as late:
        raise ParserAbsentError(f"{name} gave no answer in time") from late
    return done.code, done.errors.decode("utf-8", "replace")
