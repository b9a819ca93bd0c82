"""What `inscope symbols` reports: the types of the names at a place, and what a type checker says about the place.

Imports no model.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import CheckerError, CursorKind, Origin, cursor_at, question_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from context_index import CheckerCompletion, Name, Signatures, SymbolContext, Syntax, TypedName, Workspace

CHECKER_SECONDS = 10.0
"""How long to wait for a type checker, which was just started and reads a whole program first."""


@dataclass(frozen=True, slots=True)
class CheckerInfo:
    """A checker's answer about the place itself."""

    kind: str
    """The kind of the place, a value of `CursorKind`."""
    by: str = ""
    """The checker's title; empty where there is no answer."""
    milliseconds: float = 0.0
    listed: tuple[CheckerCompletion, ...] | None = None
    """What may stand at the place; None where the checker was not asked for a list."""
    signatures: Signatures | None = None
    """The signatures of the call around the place; None where it is in no call, or the checker knows none."""
    why: str = ""
    """Why there is no answer; empty where there is one."""


def checker_info_at(workspace: Workspace, syntax: Syntax, offset: int) -> CheckerInfo | None:
    """What the checker lists at a place, and the signature of the call around it; None where neither applies."""
    document, cursor = syntax.document, cursor_at(syntax, offset)
    question = question_at(syntax, cursor)
    # an attribute of JSX has a callee, too, its element; the question lists the attributes
    is_in_call = cursor.kind is CursorKind.ARGUMENT or (bool(cursor.callee) and question is None)
    if question is None and not is_in_call:
        return None
    started = time.perf_counter()
    try:
        checker = workspace.checker_of(document)
        listed = None if question is None else workspace.completions(question, typed=True).result(CHECKER_SECONDS)
        answer = checker.ask(document, lambda query: query.signatures(offset)) if is_in_call else None
        signatures = None if answer is None else answer.result(CHECKER_SECONDS)
    except (CheckerError, TimeoutError) as error:
        return CheckerInfo(str(cursor.kind), why=str(error) or "the checker did not answer in time")
    took = (time.perf_counter() - started) * 1e3
    return CheckerInfo(str(cursor.kind), checker.title, took, listed, signatures)


def types_at(context: SymbolContext) -> Mapping[str, TypedName]:
    """The types of the names that the file declares or imports, by name; of the thousands of global names, none."""
    of_file = [name.text for name in context.names.values() if name.origin is not Origin.GLOBAL]
    return {} if context.types is None else context.types.of(of_file)


def nearest_first(names: Iterable[Name]) -> list[Name]:
    """The names by scope, innermost first, and within a scope by line."""
    return sorted(names, key=lambda name: (name.distance, name.line or 0, name.text))
