"""The imports with which a checker may accept a text: those that the checker offers, and those that the index knows.

The checker knows how its project spells modules. But TypeScript offers nothing from a file that it has not read, and ty
nothing for a name that its module only assigns; the index does. Whatever is proposed here is verified by the checker.
`ClosedJudge` and the menu's imports (`menu/imports`) ask here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from context_index import continues_identifier, imports_of, parse
from lsp_server.engine.verification.applied import Applied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from context_index import Diagnostic, Document, Edit, Query, QuickFix, Syntax

    Ask = Callable[[Document, Callable[[Query], tuple[QuickFix, ...]]], tuple[QuickFix, ...]]
    """Asks a checker for its quick fixes of a document."""
    Known = Callable[[str], Iterable[Edit]]
    """The edits of a candidate's document that import a name, one for each module that exports it; nearest first."""

_IMPORTED = (0, "imported")
"""The key in a tree's memo of what its file imports; each import that is tried asks for it. Keys of a memo begin with a
node's id, which is never 0."""
_MODULES = 3
"""The most modules that are tried for one name."""


def imported(syntax: Syntax) -> frozenset[tuple[str, str]]:
    """Module and name of everything that a file imports; for the module itself the name is empty."""
    pairs = syntax.memo.get(_IMPORTED)
    if not isinstance(pairs, frozenset):
        # a broken text gets another tree when it is read again after an edit than when it is read whole
        whole = parse(syntax.document) if syntax.errors else syntax
        pairs = syntax.memo[_IMPORTED] = frozenset(
            (statement.module, name)
            for statement in imports_of(whole)
            for name in {"", *(imported_name.name for imported_name in statement.names)}
        )
    return pairs


def name_at(error: Diagnostic, applied: Applied) -> str | None:
    """The name that an error is reported at, if it may be imported; None for members and whatever is no name."""
    name = applied.document.text[error.start : error.end]
    is_name = name and all(map(continues_identifier, name)) and applied.candidate.may_import(name)
    return name if is_name and error.start not in applied.members else None


def with_imports_of_checker(
    applied: Applied, errors: Iterable[Diagnostic], ask: Ask, most: int | None = _MODULES
) -> Iterator[Applied]:
    """A candidate with one more import, for each import that the checker offers at the errors.

    Args:
        most: How many imports are taken for one error; None for all.
    """
    for error in errors:
        fixes = ask(applied.overlay, partial(_fixes, diagnostic=error))
        yield from islice(filter(None, (_with_import(applied, fix.edits) for fix in fixes)), most)


def with_imports_of_index(applied: Applied, names: Iterable[str], known: Known) -> Iterator[Applied]:
    """A candidate with one more import, for each import that the index knows for the names."""
    for name in names:
        yield from islice(filter(None, (_with_import(applied, [edit]) for edit in known(name))), _MODULES)


def distinct(candidates: Iterable[Applied]) -> Iterator[Applied]:
    """The candidates without those that import the same at the same place as an earlier one."""
    tried = set()
    for candidate in candidates:
        key = imported(candidate.syntax), *(edit.start for edit in candidate.candidate.edits)
        if key not in tried:
            tried.add(key)
            yield candidate


def _with_import(applied: Applied, edits: Iterable[Edit]) -> Applied | None:
    """A candidate with some edits of its document as well; None unless they import something and break nothing.

    Edits that touch the text of the candidate, or what was inserted with it, are refused as well.
    """
    edits_before = []
    start, end = applied.inserted
    for edit in edits:
        first, last = applied.before_edits(edit.start), applied.before_edits(edit.end)
        if first is None or last is None or (edit.start < end and edit.end > start):
            return None
        edits_before.append(replace(edit, start=first, end=last))
    candidate = replace(applied.candidate, edits=(*applied.candidate.edits, *edits_before))
    repaired = Applied(applied.before, candidate, applied.closing)
    if repaired.syntax.errors > applied.syntax.errors or imported(repaired.syntax) <= imported(applied.syntax):
        return None
    return repaired


def _fixes(query: Query, diagnostic: Diagnostic) -> tuple[QuickFix, ...]:
    return query.quick_fixes(diagnostic)
