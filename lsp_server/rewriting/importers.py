"""What a change of one file does to the files that import it: the new errors there, by their own checkers.

Asked twice, with the file as it is and as it would be; nothing here knows a rule of a language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final

from context_index import CheckerAbsentError, CheckerError, path_of
from lsp_server.rewriting.edits import edits_between, moved
from lsp_server.rewriting.outcome import Break

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from context_index import Asked, Checker, Diagnostic, Document, Workspace

MOST: Final = 50
"""Files that are asked about; the others are named."""
_NAMED: Final = 5
Texts = tuple[tuple["Diagnostic", ...], ...]


class Importers:
    """The files that import one file, and what is wrong in them as it is."""

    def __init__(self, workspace: Workspace, document: Document) -> None:
        self._workspace, self._document = workspace, document
        path = path_of(document.uri)
        found = () if path is None else workspace.importers(path)
        self._asked, self._left = found[:MOST], found[MOST:]

    def broken(self, after: Document) -> tuple[tuple[Break, ...], tuple[str, ...]]:
        """The new errors in them once the file is `after`, and notes on those that were not asked about."""
        breaks: list[Break] = []
        notes = [f"Not asked about: {_listed(map(self._workspace.shown, self._left))}."] if self._left else []
        for checker, documents in self._by_checker(notes).items():
            try:
                before = [self._document, *documents]
                breaks += [
                    one
                    for one in new_errors(self._workspace, checker, before, [after, *documents])
                    if one.path != self._workspace.shown(path_of(after.uri) or self._workspace.roots[0])
                ]
            except (CheckerError, CancelledError) as error:
                names = _listed(self._workspace.shown(path) for one in documents if (path := path_of(one.uri)))
                notes.append(f"Not asked about: {names} ({checker.title}: {error}).")
        return tuple(sorted(breaks, key=lambda one: (one.path, one.line))), tuple(notes)

    def _by_checker(self, notes: list[str]) -> Mapping[Checker, list[Document]]:
        found: dict[Checker, list[Document]] = defaultdict(list)
        for path in self._asked:
            if (document := self._workspace.document(path)) is None:
                notes.append(f"Not asked about: {self._workspace.shown(path)} (it cannot be read).")
                continue
            try:
                found[self._workspace.checker_of(document)].append(document)
            except CheckerAbsentError as error:
                notes.append(f"Not asked about: {self._workspace.shown(path)} ({error}).")
        return found


def new_errors(
    workspace: Workspace, checker: Checker, before: Sequence[Document], after: Sequence[Document]
) -> Iterator[Break]:
    """The errors that the files of one checker have all together after a change and had not before it, file by file.

    Raises:
        CheckerError: it does not answer.
    """
    # both are asked for before either is awaited: nobody else's question comes in between
    old, new = (checker.ask_together(documents, _all) for documents in (before, after))
    return breaks_between(workspace, before, after, old.result(), new.result())


def breaks_between(
    workspace: Workspace, before: Sequence[Document], after: Sequence[Document], old: Texts, new: Texts
) -> Iterator[Break]:
    """Of what a checker said of files before and after a change of theirs, the new errors."""
    for one, other, known, found in zip(before, after, old, new, strict=True):
        edits = edits_between(one.text, other.text)
        counted = Counter((error.code, moved(error.start, edits)) for error in known)
        for error in found:
            if not error.is_error:
                continue
            if counted[error.code, error.start]:
                counted[error.code, error.start] -= 1
            elif (path := path_of(other.uri)) is not None:
                line = other.position(error.start).line
                yield Break(workspace.shown(path), line, error.message, error.code)


def _all(asked: Sequence[Asked]) -> Texts:
    return tuple(one.diagnostics() for one in asked)


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest
