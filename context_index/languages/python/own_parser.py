"""CPython's compiler, as a child process that compiles a file and never runs it."""

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
_SCRIPTS: Final = (".py", ".pyi", ".pyw")
"""Elsewhere, in a notebook, `await` may stand outside of a function."""


def new_fault(
    before: Syntax, after: Syntax, _around: ModuleKind | None, _outside_of: Sequence[Path]
) -> SyntaxFault | None:
    """See `own_parsers.new_fault`."""
    found = _fault(after)
    return None if found is None or _fault(before) is not None else found


def _fault(syntax: Syntax) -> SyntaxFault | None:
    flags = "0" if syntax.document.uri.endswith(_SCRIPTS) else "ast.PyCF_ALLOW_TOP_LEVEL_AWAIT"
    code, said = answer(start_code(_COMPILE.format(flags=flags)), syntax.document.text, "Python")
    line, _, message = said.partition(" ")
    if code == 0:
        return None
    if not line.isdecimal():
        raise ParserAbsentError("Python gave no answer")
    return SyntaxFault(int(line) - 1, message.strip(), "Python")
