"""Finds the syntax errors that Node.js reports of a JavaScript file. Node.js checks the text and does not run it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from context_index.languages.ecmascript.module_kind import kind_by_name, module_kind
from context_index.own_parsers import ParserAbsentError, SyntaxFault, answer
from context_index.processes import PIPE, on_path, start
from context_index.symbols import ModuleKind
from context_index.syntax import Syntax

_BEFORE_LINE: Final = "[stdin]:"
_BEFORE_MESSAGE: Final = "SyntaxError: "
"""What Node.js writes before the line of an error, and before its message."""


def new_fault(
    before: Syntax, after: Syntax, around: ModuleKind | None, outside_of: Sequence[Path]
) -> SyntaxFault | None:
    """See `own_parsers.new_fault`. None for TypeScript, whose checker reports all errors.

    The file is parsed as the module kind that its name, package or text says, which may be wrong. If the earlier text
    has errors as that kind, or nothing says a kind, all kinds are tried: a text that one of them accepts has no fault.
    """
    if not after.document.language.record.has_module_systems:
        return None
    node = on_path("node", outside_of)
    if node is None:
        raise ParserAbsentError("Node.js is not installed")
    likely_kind = kind_by_name(after) or around or module_kind(after)
    all_kinds = list(ModuleKind)
    for kinds in ([likely_kind], all_kinds) if likely_kind is not None else (all_kinds,):
        faults = [(kind, _node_fault(node, kind, after, outside_of)) for kind in kinds]
        if any(fault is None for _, fault in faults):
            return None
        new_faults = [fault for kind, fault in faults if _node_fault(node, kind, before, outside_of) is None]
        if new_faults:
            return new_faults[0]
    return None


def _node_fault(node: Path, kind: ModuleKind, syntax: Syntax, outside_of: Sequence[Path]) -> SyntaxFault | None:
    """The first error of a text as a script of one kind; None if it has none.

    Raises:
        ParserAbsentError: Node.js does not start, or its answer cannot be read.
    """
    command: list[str | Path] = [node, "--no-warnings", "--check", f"--input-type={kind}", "-"]
    try:
        child = start(command, outside_of=outside_of, stderr=PIPE)
    except OSError as error:
        raise ParserAbsentError(f"Node.js does not start: {error}") from error
    code, output = answer(child, syntax.document.text, "Node.js")
    if code == 0:
        return None
    line, message = (
        next((row.removeprefix(mark) for row in output.splitlines() if row.startswith(mark)), "")
        for mark in (_BEFORE_LINE, _BEFORE_MESSAGE)
    )
    if not (line.isdecimal() and message):
        raise ParserAbsentError("Node.js gave no answer")
    return SyntaxFault(int(line) - 1, message, "Node.js")
