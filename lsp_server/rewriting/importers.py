"""What a change of one file breaks in the files that import it: the new errors that their own checkers report there.

Each checker is asked twice, with the file as it is and as it would be. Knows no rule of any language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final

from context_index import CheckerAbsentError, CheckerError, Language, parse, path_of
from lsp_server.documents.edits import edits_between, moved
from lsp_server.rewriting.outcome import Break
from lsp_server.verification import CheckedFiles, binding_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from context_index import Checker, Diagnostic, Document, Query, Workspace

MOST_FILES: Final = 50
"""Files whose errors are asked for; the others are listed in a note."""
_NAMES_LISTED: Final = 8
Texts = tuple[tuple["Diagnostic", ...], ...]


def breaks_in_importers(
    workspace: Workspace, before: Document, after: Document
) -> tuple[tuple[Break, ...], tuple[str, ...]]:
    """The new errors in the files that import a changed one, and notes on the files that were not asked about."""
    if (path := path_of(before.uri)) is None:
        return (), ()
    found = workspace.importers(path)
    breaks: list[Break] = []
    notes = [f"Not asked about: {listed(map(workspace.shown, found[MOST_FILES:]))}."] if found[MOST_FILES:] else []
    for checker, importers in _by_checker(workspace, found[:MOST_FILES], notes).items():
        try:
            # both are asked for before either is awaited: no other question comes in between
            old, new = (checker.ask_together([one, *importers], _diagnostics) for one in (before, after))
            breaks += new_errors(workspace, importers, importers, old.result()[1:], new.result()[1:])
        except (CheckerError, CancelledError) as error:
            names = listed(workspace.shown(path) for one in importers if (path := path_of(one.uri)))
            notes.append(f"Not asked about: {names} ({checker.title}: {error}).")
    return tuple(sorted(breaks, key=lambda one: (one.path, one.line))), tuple(notes)


def _by_checker(workspace: Workspace, paths: Iterable[Path], notes: list[str]) -> Mapping[Checker, list[Document]]:
    found: dict[Checker, list[Document]] = defaultdict(list)
    for path in paths:
        if (document := workspace.document(path)) is None:
            notes.append(f"Not asked about: {workspace.shown(path)} (it cannot be read).")
            continue
        try:
            found[workspace.checker_of(document)].append(document)
        except CheckerAbsentError as error:
            notes.append(f"Not asked about: {workspace.shown(path)} ({error}).")
    return found


def new_errors(
    workspace: Workspace,
    before: Sequence[Document],
    after: Sequence[Document],
    old: Texts,
    new: Texts,
    *,
    binding: bool = False,
) -> Iterator[Break]:
    """Errors that have no counterpart before a change: the same code at the same place, as the edits move it.

    Args:
        binding: Without those that do not bind in JavaScript that nothing has checked.
    """
    checked = CheckedFiles(workspace.checker_world)
    for document, changed, old_errors, errors in zip(before, after, old, new, strict=True):
        is_script = binding and document.language is Language.JAVASCRIPT and bool(errors)
        is_unchecked = is_script and not _is_checked(workspace, checked, document)
        edits = edits_between(document.text, changed.text)
        counted = Counter((error.code, moved(error.start, edits)) for error in old_errors)
        for error in binding_errors(errors, is_unchecked=is_unchecked):
            if counted[error.code, error.start]:
                counted[error.code, error.start] -= 1
            elif (path := path_of(changed.uri)) is not None:
                line = changed.position(error.start).line
                yield Break(workspace.shown(path), line, error.message, error.code)


def _is_checked(workspace: Workspace, checked: CheckedFiles, document: Document) -> bool:
    return checked.includes(workspace.checker_of(document), parse(document)).result()


def _diagnostics(asked: Sequence[Query]) -> Texts:
    return tuple(one.diagnostics() for one in asked)


def listed(names: Iterable[str]) -> str:
    """The first few names, and how many more there are."""
    names = list(names)
    rest = f" and {len(names) - _NAMES_LISTED} more" if len(names) > _NAMES_LISTED else ""
    return ", ".join(names[:_NAMES_LISTED]) + rest
