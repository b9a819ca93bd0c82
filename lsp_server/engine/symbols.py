"""What is known of the names at a place, and of the place itself. Imports no model."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import CheckerError, CursorKind, Origin, cursor_at, question_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_index import CheckerCompletion, Name, Signatures, SymbolContext, Syntax, TypedName, Workspace

CHECKER_SECONDS = 10.0
"""How long to wait for a type checker that was just started and reads a whole program."""


@dataclass(frozen=True, slots=True)
class CheckerInfo:
    """A checker's answer about the place itself."""

    kind: str
    by: str = ""
    milliseconds: float = 0.0
    listed: tuple[CheckerCompletion, ...] | None = None
    """None where it was not asked for a list."""
    signatures: Signatures | None = None
    why: str = ""
    """Why there is no answer."""


def checker_info_at(workspace: Workspace, syntax: Syntax, offset: int) -> CheckerInfo | None:
    """What the checker lists at a place, and the signature of the call around it; None where neither applies."""
    document, cursor = syntax.document, cursor_at(syntax, offset)
    question = question_at(syntax, cursor)
    called = (bool(cursor.callee) and question is None) or cursor.kind is CursorKind.ARGUMENT
    if question is None and not called:
        return None
    started = time.perf_counter()
    try:
        checker = workspace.checker_of(document)
        listed = None if question is None else workspace.completions(question, typed=True).result(CHECKER_SECONDS)
        asked = checker.ask(document, lambda query: query.signatures(offset)) if called else None
        signatures = None if asked is None else asked.result(CHECKER_SECONDS)
    except (CheckerError, TimeoutError) as error:
        return CheckerInfo(str(cursor.kind), why=str(error) or "the checker did not answer in time")
    took = (time.perf_counter() - started) * 1e3
    return CheckerInfo(str(cursor.kind), checker.title, took, listed, signatures)


def types_at(context: SymbolContext) -> Mapping[str, TypedName]:
    """The types of the names that the file declares or imports; there are thousands of global names."""
    own = [name.text for name in context.names.values() if name.origin is not Origin.GLOBAL]
    return {} if context.types is None else context.types.of(own)


def nearest_first(names: Iterable[Name]) -> list[Name]:
    """The innermost scope first, each in the order of its lines."""
    return sorted(names, key=lambda name: (name.distance, name.line or 0, name.text))
