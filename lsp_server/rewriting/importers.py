"""What a change of one file does to the files that import it: the new errors there, by their own checkers.

Asked twice, with the file as it is and as it would be; nothing here knows a rule of a language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final

from context_index import CheckerAbsentError, CheckerError, path_of
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
                breaks += self._new(checker, documents, after)
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

    def _new(self, checker: Checker, documents: list[Document], after: Document) -> Iterator[Break]:
        # both are asked for before either is awaited: nobody else's question comes in between
        before, now = (checker.ask_together([one, *documents], _all) for one in (self._document, after))
        for document, old, new in zip(documents, before.result()[1:], now.result()[1:], strict=True):
            known = Counter((one.code, one.message, one.start) for one in old)
            path = path_of(document.uri)
            for one in new:
                if one.is_error and not known[one.code, one.message, one.start] and path is not None:
                    line = document.position(one.start).line
                    yield Break(self._workspace.shown(path), line, one.message, one.code)


def _all(asked: Sequence[Asked]) -> Texts:
    return tuple(one.diagnostics() for one in asked)


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest
