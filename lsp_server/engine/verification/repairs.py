"""The imports with which a text may be accepted: those that the checker offers, and those that the index knows.

The checker knows how its project writes modules; but TypeScript offers nothing from a file that it has not read, and ty
nothing of a name that its module only assigns. It judges our imports like its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from context_index import continues_identifier, imports_of, parse
from lsp_server.engine.verification.candidate import Applied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from context_index import Diagnostic, Document, Edit, Query, QuickFix, Syntax

    Ask = Callable[[Document, Callable[[Query], tuple[QuickFix, ...]]], tuple[QuickFix, ...]]
    """Asks a checker about a document."""
    Known = Callable[[str], Iterable[Edit]]
    """The edits of a candidate's document that import a name, as the index knows who exports it; nearest first."""

_IMPORTED = (0, "imported")
"""Where a tree keeps what its file imports, which is asked for once for each import that is tried. The keys of a memo
begin with a node's id; 0 is none."""
_MODULES = 3
"""The most modules that are tried for one name."""


def imported(syntax: Syntax) -> frozenset[tuple[str, str]]:
    """Module and name of everything that a file imports."""
    known = syntax.memo.get(_IMPORTED)
    if not isinstance(known, frozenset):
        whole = parse(syntax.document) if syntax.errors else syntax  # an edited broken tree may not be the file's own
        known = syntax.memo[_IMPORTED] = frozenset(
            (found.module, name) for found in imports_of(whole) for name in {"", *(one.name for one in found.names)}
        )
    return known


def name_at(error: Diagnostic, applied: Applied) -> str | None:
    """The name that an error is reported at, if one may import it; None for members and all that is no name."""
    name = applied.document.text[error.start : error.end]
    is_name = name and all(map(continues_identifier, name)) and applied.candidate.may_import(name)
    return name if is_name and error.start not in applied.members else None


def with_imports_of_checker(
    applied: Applied, errors: Iterable[Diagnostic], ask: Ask, most: int | None = _MODULES
) -> Iterator[Applied]:
    """A candidate with one more import each time: each of those that the checker offers for errors.

    Args:
        most: How many of them are taken for one error; None for all.
    """
    for error in errors:
        fixes = ask(applied.overlay, partial(_fixes, diagnostic=error))
        yield from islice(filter(None, (_with_import(applied, fix.edits) for fix in fixes)), most)


def with_imports_of_index(applied: Applied, names: Iterable[str], known: Known) -> Iterator[Applied]:
    """A candidate with one more import each time: each of those that the index knows for names."""
    for name in names:
        yield from islice(filter(None, (_with_import(applied, [edit]) for edit in known(name))), _MODULES)


def distinct(repaired: Iterable[Applied]) -> Iterator[Applied]:
    """The candidates without those that import the same at the same place as an earlier one."""
    tried = set()
    for one in repaired:
        key = imported(one.syntax), *(edit.start for edit in one.candidate.edits)
        if key not in tried:
            tried.add(key)
            yield one


def _with_import(applied: Applied, edits: Iterable[Edit]) -> Applied | None:
    """A candidate with edits of its document, if they import something, and touch and break nothing else."""
    before = []
    start, end = applied.inserted
    for edit in edits:
        first, last = applied.before_edits(edit.start), applied.before_edits(edit.end)
        if first is None or last is None or (edit.start < end and edit.end > start):
            return None
        before.append(replace(edit, start=first, end=last))
    candidate = replace(applied.candidate, edits=(*applied.candidate.edits, *before))
    repaired = Applied(applied.before, candidate, applied.closing)
    if repaired.syntax.errors > applied.syntax.errors or imported(repaired.syntax) <= imported(applied.syntax):
        return None
    return repaired


def _fixes(asked: Query, diagnostic: Diagnostic) -> tuple[QuickFix, ...]:
    return asked.quick_fixes(diagnostic)
