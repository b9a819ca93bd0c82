"""What a change breaks: the new errors that checkers report in files that import a rewritten one, or after a rename.

Each checker is asked twice, about the files as they are and as they would be. A rewrite calls `breaks_in_importers`; a
rename asks the checker itself and calls `new_errors`. Knows no rule of any language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Final

from context_index import CheckerAbsentError, CheckerError, parse, path_of
from lsp_server.engine.edits import counterpart, moved
from lsp_server.engine.rewriting.listing import listed, shown
from lsp_server.engine.rewriting.result import Break
from lsp_server.engine.verification import CheckedFiles, rejecting_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from context_index import Checker, Diagnostic, Document, Edit, Query, Workspace

MOST_FILES: Final = 50
"""The most files whose errors are asked for; the others are listed in a note."""
Reports = tuple[tuple["Diagnostic", ...], ...]
"""The diagnostics of each of several files, in the order of these files."""


def breaks_in_importers(
    workspace: Workspace, before: Document, after: Document
) -> tuple[tuple[Break, ...], tuple[str, ...]]:
    """The new errors in the files that import a changed one, by file and line, and notes on files not asked about.

    A note is a sentence for people; a checker that is absent or fails is one, and raises nothing.

    Args:
        before: The changed document as it was.
        after: The changed document as it would be.
    """
    if (path := path_of(before.uri)) is None:
        return (), ()
    importers = workspace.importers(path)
    left_out = importers[MOST_FILES:]
    breaks: list[Break] = []
    notes = [f"Not asked about: {listed(map(workspace.shown, left_out))}."] if left_out else []
    for checker, documents in _by_checker(workspace, importers[:MOST_FILES], notes).items():
        try:
            # both questions are put before either answer is awaited, so that no other question comes in between
            old, new = (checker.ask_together([changed, *documents], _diagnostics) for changed in (before, after))
            # the first report is that of the changed file itself, which the caller judges
            errors = new_errors(workspace, documents, [()] * len(documents), old.result()[1:], new.result()[1:])
            breaks += (as_break(workspace, *error) for error in errors)
        except (CheckerError, CancelledError) as error:
            paths = filter(None, (path_of(document.uri) for document in documents))
            why = f"{checker.title}: {error}" if str(error) else "a newer question took the place of this one"
            notes.append(f"Not asked about: {listed(map(workspace.shown, paths))} ({why}).")
    return tuple(sorted(breaks, key=lambda error: (error.path, error.line))), tuple(notes)


def _by_checker(workspace: Workspace, paths: Iterable[Path], notes: list[str]) -> Mapping[Checker, list[Document]]:
    """The documents at paths by their checkers; adds a note to `notes` for each document without one."""
    documents: dict[Checker, list[Document]] = defaultdict(list)
    for path in paths:
        if (document := workspace.document(path)) is None:
            notes.append(f"Not asked about: {workspace.shown(path)} (it cannot be read).")
            continue
        try:
            documents[workspace.checker_of(document)].append(document)
        except CheckerAbsentError as error:
            notes.append(f"Not asked about: {workspace.shown(path)} ({error}).")
    return documents


def new_errors(
    workspace: Workspace,
    documents: Sequence[Document],
    edits: Sequence[Sequence[Edit]],
    old: Reports,
    new: Reports,
    *,
    rejecting: bool = False,
) -> Iterator[tuple[Document, Diagnostic]]:
    """The errors that were not there before the change, each with its document.

    An error was there if one had the same code at the place that the edits have moved. Messages are not compared: they
    may have a name in them that the change renames.

    Args:
        documents: After the change.
        edits: Of each document, in order and without overlap, with offsets of the document before.
        old: What was reported of each document before.
        new: What is reported of each document now.
        rejecting: Whether errors that reject nothing in unchecked JavaScript are left out, see `rejecting_errors`. A
            rename passes True: of its own documents it does not report what TypeScript forbids in checked files alone.
            For importers it is False: their texts stay the same, so each new error comes from the change. One of the
            codes left out is 2339, a member that does not exist, and a changed file may well have lost one.

    Raises:
        CheckerError: with `rejecting`, there is no checker to ask whether a file is checked, or it fails.
        CancelledError: with `rejecting`, this question was cancelled.
    """
    checked = CheckedFiles(workspace.checker_world)
    for document, changes, old_errors, errors in zip(documents, edits, old, new, strict=True):
        is_script = rejecting and document.language.record.is_checked_on_request and bool(errors)
        is_unchecked = is_script and not _is_checked(workspace, checked, document)
        counted = Counter((error.code, moved(error.start, changes)) for error in old_errors)
        for error in rejecting_errors(errors, is_unchecked=is_unchecked):
            key = error.code, counterpart(error.start, changes)
            if counted[key]:
                counted[key] -= 1
            else:
                yield document, error


def as_break(workspace: Workspace, document: Document, error: Diagnostic) -> Break:
    """A new error, for people."""
    return Break(shown(workspace, document), document.position(error.start).line, error.message, error.code)


def _is_checked(workspace: Workspace, checked: CheckedFiles, document: Document) -> bool:
    """Whether the checker checks a file at all; waits for its answer, and raises what `new_errors` says."""
    return checked.includes(workspace.checker_of(document), parse(document)).result()


def _diagnostics(queries: Sequence[Query]) -> Reports:
    return tuple(query.diagnostics() for query in queries)
