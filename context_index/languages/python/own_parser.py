"""Finds the errors that CPython's compiler reports of a file. A child process compiles the text and never runs it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from context_index.own_parsers import ParserAbsentError, SyntaxFault, answer
from context_index.processes import start_code
from context_index.symbols import ModuleKind
from context_index.syntax import Syntax

_COMPILE: Final = """
import ast, sys, warnings
warnings.simplefilter("ignore")
text = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
try:
    compile(text, "file", "exec", {flags}, dont_inherit=True)
except SyntaxError as error:
    sys.exit(str(error.lineno or 1) + " " + error.msg)
except (ValueError, OverflowError, MemoryError, RecursionError) as error:
    sys.exit("1 " + str(error))
"""
"""What the child runs: it exits with 0, or writes the line, counted from 1, and the message of the first error."""
_SCRIPTS: Final = (".py", ".pyi", ".pyw")
"""Files that are no notebooks: in a notebook, `await` is allowed outside of functions."""


def new_fault(
    before: Syntax, after: Syntax, _around: ModuleKind | None, _outside_of: Sequence[Path]
) -> SyntaxFault | None:
    """See `own_parsers.new_fault`."""
    fault = _fault(after)
    return None if fault is None or _fault(before) is not None else fault


def _fault(syntax: Syntax) -> SyntaxFault | None:
    """The first error that the compiler finds in a text; None if it compiles.

    Raises:
        ParserAbsentError: the child process gave no answer.
    """
    flags = "0" if syntax.document.uri.endswith(_SCRIPTS) else "ast.PyCF_ALLOW_TOP_LEVEL_AWAIT"
    code, output = answer(start_code(_COMPILE.format(flags=flags)), syntax.document.text, "Python")
    line, _, message = output.partition(" ")
    if code == 0:
        return None
    if not line.isdecimal():
        raise ParserAbsentError("Python gave no answer")
    return SyntaxFault(int(line) - 1, message.strip(), "Python")
