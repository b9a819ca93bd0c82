"""The errors that a language's own parser finds in a whole file: CPython's compiler, and Node.js for JavaScript.

Both know errors that no tree has and that a checker may leave out: a reserved word as a parameter of a module, a
`nonlocal` without its variable, one parameter twice. A child process compiles the file and never runs it. What is
forbidden in a JavaScript file depends on whether it is a module. TypeScript's errors come from its checker.
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
"""The longest wait for a parser; it needs a tenth of a second."""


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
    """The language's own parser is not installed, or gave no answer; the message says which one and why."""


def new_fault(
    before: Syntax, after: Syntax, around: ModuleKind | None, outside_of: Sequence[Path]
) -> SyntaxFault | None:
    """The error that the language's own parser finds in a file after a change, if it found none before.

    None, too, for a language without such a parser.

    Args:
        around: The kind that the file's package gives to a script.
        outside_of: The workspaces, from which nothing is started.

    Raises:
        ParserAbsentError: the parser is not installed, or gives no answer.
    """
    rules = part(after.document.language, "own_parser")
    fault: SyntaxFault | None = None if rules is None else rules.new_fault(before, after, around, outside_of)
    return fault


def answer(child: Process, text: str, name: str) -> tuple[int, str]:
    """Send a text to a parser's process; returns its exit code and what it writes on standard error.

    The languages' parts `own_parser` call it.

    Args:
        name: The parser's name, for the message.

    Raises:
        ParserAbsentError: the process did not end in time.
    """
    assert child.stdin is not None  # noqa: S101 - both are started with a pipe
    try:
        with child.stdin as pipe:
            pipe.write(text.encode("utf-8", "surrogatepass"))
    except OSError:
        pass  # it has ended before it read all; its exit code says how
    try:
        ended = finish(child, _SECONDS)
    except LateError as late:
        raise ParserAbsentError(f"{name} gave no answer in time") from late
    return ended.code, ended.errors.decode("utf-8", "replace")
