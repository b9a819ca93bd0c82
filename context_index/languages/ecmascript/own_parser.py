"""Node.js, which checks the syntax of a script and does not run it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from context_index.languages.ecmascript.module_kind import kind_by_name, module_kind
from context_index.own_parsers import ParserAbsentError, SyntaxFault, answer
from context_index.processes import PIPE, on_path, start
from context_index.symbols import ModuleKind
from context_index.syntax import Syntax

_PLACE: Final = "[stdin]:"
_SYNTAX_ERROR: Final = "SyntaxError: "
"""What Node.js writes before the line of an error, and before its message."""


def new_fault(
    before: Syntax, after: Syntax, around: ModuleKind | None, outside_of: Sequence[Path]
) -> SyntaxFault | None:
    """See `own_parsers.new_fault`; TypeScript's errors are its checker's."""
    if not after.document.language.record.has_module_systems:
        return None
    node = on_path("node", outside_of)
    if node is None:
        raise ParserAbsentError("Node.js is not installed")
    kind = kind_by_name(after) or around or module_kind(after)
    every = list(ModuleKind)
    for kinds in ([kind], every) if kind is not None else (every,):
        faults = [(one, _node_fault(node, one, after, outside_of)) for one in kinds]
        if any(found is None for _, found in faults):
            return None
        judging = [found for one, found in faults if _node_fault(node, one, before, outside_of) is None]
        if judging:
            return judging[0]
    return None


def _node_fault(node: Path, kind: ModuleKind, syntax: Syntax, outside_of: Sequence[Path]) -> SyntaxFault | None:
    command: list[str | Path] = [node, "--no-warnings", "--check", f"--input-type={kind}", "-"]
    try:
        child = start(command, outside_of=outside_of, stderr=PIPE)
    except OSError as error:
        raise ParserAbsentError(f"Node.js does not start: {error}") from error
    code, said = answer(child, syntax.document.text, "Node.js")
    if code == 0:
        return None
    line, message = (
        next((one.removeprefix(start) for one in said.splitlines() if one.startswith(start)), "")
        for start in (_PLACE, _SYNTAX_ERROR)
    )
    if not (line.isdecimal() and message):
        raise ParserAbsentError("Node.js gave no answer")
    return SyntaxFault(int(line) - 1, message, "Node.js")
