"""The imports with which a text may be accepted: those that the checker offers, and those that the index knows.

The checker knows how its project writes modules; but TypeScript offers nothing from a file that it has not read, and ty
nothing of a name that its module only assigns. It judges our imports like its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING

from context_index import continues_identifier, imports_of, parse
from lsp_server.verification.candidate import Applied

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from context_index import Asked, Diagnostic, Document, Edit, QuickFix, Syntax

    Ask = Callable[[Document, Callable[[Asked], tuple[QuickFix, ...]]], tuple[QuickFix, ...]]

_MODULES = 3
"""Modules that are tried for one name."""


@dataclass(frozen=True)
class Repairs:
    """A candidate with an import for one of its errors: one after the other, each set of imports once."""

    applied: Applied
    errors: Sequence[Diagnostic]
    """Those of the checker that touch what the text became part of."""
    undefined: Collection[str]
    """Names that our own scopes do not know, where no checker's word on names binds."""
    at_undefined: Sequence[Diagnostic]
    """The checker's errors at these names, which do not bind."""
    ask: Ask
    """Asks the checker about a document."""
    imports_of: Callable[[str], Iterable[Edit]]
    """Edits of the document that import a name, as the index knows who exports it; nearest first."""

    def __iter__(self) -> Iterator[Applied]:
        """The checker's imports first; in plain JavaScript, where no project says how modules are found, ours."""
        tried: set[frozenset[tuple[str, str]]] = set()
        for offer in (self._from_index, self.from_checker) if self.undefined else (self.from_checker, self._from_index):
            for repaired in offer():
                modules = imported(repaired.syntax)
                if modules not in tried:
                    tried.add(modules)
                    yield repaired

    def from_checker(self, most: int | None = _MODULES) -> Iterator[Applied]:
        """With the imports that the checker offers; for one error so many at most."""
        for error in (*self.at_undefined, *self.errors):
            if self._name(error) is None:
                continue
            fixes = self.ask(self.applied.overlay, partial(_fixes, diagnostic=error))
            yield from islice(filter(None, map(self._with_fix, fixes)), most)

    def _from_index(self) -> Iterator[Applied]:
        """With the imports that the index knows."""
        undefined = filter(self._is_importable, self.undefined)
        for name in dict.fromkeys((*undefined, *filter(None, map(self._name, self.errors)))):
            edits = self.imports_of(name)
            yield from islice(filter(None, (self._with_edits([edit]) for edit in edits)), _MODULES)

    def _name(self, error: Diagnostic) -> str | None:
        """The name that an error is reported at, if one may import it; None for members and all that is no name."""
        name = self.applied.document.text[error.start : error.end]
        is_name = name and all(map(continues_identifier, name)) and error.start not in self._members
        return name if is_name and self._is_importable(name) else None

    def _is_importable(self, name: str) -> bool:
        importable = self.applied.candidate.importable
        return importable is None or name in importable

    @cached_property
    def _members(self) -> frozenset[int]:
        return frozenset(self.applied.members())

    def _with_fix(self, fix: QuickFix) -> Applied | None:
        """The candidate with a fix, if that is an import and touches nothing else."""
        edits = []
        start, end = self.applied.inserted
        for edit in fix.edits:
            first, last = self.applied.before_edits(edit.start), self.applied.before_edits(edit.end)
            if first is None or last is None or (edit.start < end and edit.end > start):
                return None
            edits.append(replace(edit, start=first, end=last))
        return self._with_edits(edits)

    def _with_edits(self, edits: Sequence[Edit]) -> Applied | None:
        """The candidate with edits of the document before it, if they import something and break nothing."""
        applied = self.applied
        candidate = replace(applied.candidate, edits=(*applied.candidate.edits, *edits))
        repaired = Applied(applied.before, candidate)
        if repaired.syntax.errors > applied.syntax.errors or imported(repaired.syntax) <= imported(applied.syntax):
            return None
        return repaired


def imported(syntax: Syntax) -> frozenset[tuple[str, str]]:
    """Module and name of everything that a file imports."""
    whole = parse(syntax.document)
    return frozenset(
        (found.module, name) for found in imports_of(whole) for name in {"", *(one.name for one in found.names)}
    )


def _fixes(asked: Asked, diagnostic: Diagnostic) -> tuple[QuickFix, ...]:
    return asked.import_fixes(diagnostic)
