"""What a change breaks: the new errors that checkers report in other files.

Each checker is asked twice, about the files as they are and as they would be. Knows no rule of any language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final

from context_index import CheckerAbsentError, CheckerError, parse, path_of
from lsp_server.engine.edits import counterpart, moved
from lsp_server.engine.rewriting.outcome import Break, listed
from lsp_server.engine.verification import CheckedFiles, binding_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from context_index import Checker, Diagnostic, Document, Edit, Query, Workspace

MOST_FILES: Final = 50
"""The most files whose errors are asked for; the others are listed in a note."""
Reports = tuple[tuple["Diagnostic", ...], ...]
"""What is reported of each of several files."""


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
            # both questions are put before either answer is awaited, so that no other question comes in between
            old, new = (checker.ask_together([one, *importers], _diagnostics) for one in (before, after))
            found_errors = new_errors(workspace, importers, [()] * len(importers), old.result()[1:], new.result()[1:])
            breaks += (as_break(workspace, *one) for one in found_errors)
        except (CheckerError, CancelledError) as error:
            paths = filter(None, (path_of(one.uri) for one in importers))
            why = f"{checker.title}: {error}" if str(error) else "a newer question took the place of this one"
            notes.append(f"Not asked about: {listed(map(workspace.shown, paths))} ({why}).")
    return tuple(sorted(breaks, key=lambda one: (one.path, one.line))), tuple(notes)


def _by_checker(workspace: Workspace, paths: Iterable[Path], notes: list[str]) -> Mapping[Checker, list[Document]]:
    """The documents at paths by their checkers; notes on those without one are added to `notes`."""
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
    documents: Sequence[Document],
    edits: Sequence[Sequence[Edit]],
    old: Reports,
    new: Reports,
    *,
    binding: bool = False,
) -> Iterator[tuple[Document, Diagnostic]]:
    """Errors without a counterpart before the change, with the same code at the place to which the edits move it.

    Messages are not compared: they may have a name in them that the change renames.

    Args:
        documents: After the change.
        edits: What changed each; in order and without overlap, with offsets of the document before.
        old: What was reported of each before.
        new: What is reported of each now.
        binding: Whether errors that do not bind in JavaScript that nothing has checked are left out.
    """
    checked = CheckedFiles(workspace.checker_world)
    for document, changes, old_errors, errors in zip(documents, edits, old, new, strict=True):
        is_script = binding and document.language.record.is_checked_on_request and bool(errors)
        is_unchecked = is_script and not _is_checked(workspace, checked, document)
        counted = Counter((error.code, moved(error.start, changes)) for error in old_errors)
        for error in binding_errors(errors, is_unchecked=is_unchecked):
            key = error.code, counterpart(error.start, changes)
            if counted[key]:
                counted[key] -= 1
            else:
                yield document, error


def as_break(workspace: Workspace, document: Document, error: Diagnostic) -> Break:
    """A new error, for people."""
    return Break(shown(workspace, document), document.position(error.start).line, error.message, error.code)


def shown(workspace: Workspace, document: Document) -> str:
    """A document as people know it: its file, below its root, or the name of an untitled text."""
    path = path_of(document.uri)
    return document.uri if path is None else workspace.shown(path)


def _is_checked(workspace: Workspace, checked: CheckedFiles, document: Document) -> bool:
    return checked.includes(workspace.checker_of(document), parse(document)).result()


def _diagnostics(asked: Sequence[Query]) -> Reports:
    return tuple(one.diagnostics() for one in asked)
