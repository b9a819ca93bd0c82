"""Renames a symbol in all files by the checker's own rename; `kinds` and the server's rename handler use `Renamer`.

A rename takes these steps:

1. `rename_request` says what is asked for, and `rename_files` which files the checker is asked about.
2. The checker answers what it would rename; with one meaning of the name that is a `rename_proposal`.
3. `rename_refusals` stops what cannot be done.
4. `rename_trial` asks the checker about the files as they would be; `relocation` says where places are in them.
5. `rename_conflicts` stops what takes a name that is not free.
6. The result has the edits, the new errors, the `rename_dangers`, two of which `hoisting` and `shapes` find, the
   `rename_leftovers`, and the places that may have the name or not, without those that `modules_as_values` rules out.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import TYPE_CHECKING

from context_index import CheckerError, Trees, renamings
from lsp_server.engine.rewriting.breaks import MOST_FILES, as_break
from lsp_server.engine.rewriting.listing import listed, shown
from lsp_server.engine.rewriting.modules_as_values import possible_places
from lsp_server.engine.rewriting.rename_conflicts import conflict
from lsp_server.engine.rewriting.rename_dangers import dangers, unseen_reads, unused
from lsp_server.engine.rewriting.rename_files import files_to_ask, own_documents, unskipped_documents
from lsp_server.engine.rewriting.rename_leftovers import leftovers, leftovers_of_unasked
from lsp_server.engine.rewriting.rename_proposal import RenameProposal
from lsp_server.engine.rewriting.rename_refusals import refusal_of_answer, refusal_of_proposal, refusal_of_request
from lsp_server.engine.rewriting.rename_trial import edits_with, try_edits, widened
from lsp_server.engine.rewriting.result import (
    PerhapsPlace,
    RenameDetails,
    RewriteFailure,
    RewriteResult,
    failed_result,
)
from lsp_server.engine.suggestion import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from context_index import Document, Perhaps, Renamings, Workspace
    from lsp_server.engine.rewriting.rename_request import RenameRequest
    from lsp_server.engine.rewriting.rename_trial import Trial


class Renamer:
    """Renames in one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def run(self, request: RenameRequest) -> RewriteResult:
        """The files as they would be, or why there is no rename; writes no file."""
        started = time.perf_counter()
        text = request.document.text
        try:
            result = _rename(self._workspace, request)
        except CheckerError as error:
            result = failed_result(text, RewriteFailure.NO_CHECKER, f"Nothing can be renamed: {error}.")
        except CancelledError:
            result = failed_result(text, RewriteFailure.CANCELLED, "The rename was cancelled.")
        return replace(result, latency_ms=(time.perf_counter() - started) * 1000)


def _rename(workspace: Workspace, request: RenameRequest) -> RewriteResult:
    """`Renamer.run`, without its time.

    First the checker is asked what it would rename, and again if that reaches files that it was not given. Then this is
    tried. If it brings errors, it is compared with a rename of all namesakes: if that brings fewer, they are taken if
    the request takes all, and otherwise listed as what may have the name.

    Raises:
        CheckerError: there is no checker, or it fails.
        CancelledError: a question was cancelled.
    """
    text, places = request.document.text, request.places()
    if refusal := refusal_of_request(workspace, request, places):
        return failed_result(text, *refusal)
    checker = workspace.checker_of(request.document)
    files, trees = files_to_ask(workspace, request), Trees([request.syntax])

    def ask(documents: Sequence[Document], *, namesakes: bool = False) -> Renamings:
        """What the checker would rename if it knows these documents; `namesakes` as in `renamings`."""
        names = request.old, request.new
        return renamings(
            checker, documents, places, *names, trees=trees, diagnosed=MOST_FILES, namesakes=namesakes
        ).result()

    documents = files.documents
    answer = ask(documents)
    if answer.unread and (more := unskipped_documents(workspace, answer.unread)):
        documents = [*documents, *more]
        answer = ask(documents)
    if len(answer.meanings) == 1 and (more := own_documents(workspace, answer.meanings[0].possible_readers)):
        documents = [*documents, *more]
        answer = ask(documents)
    if refusal := refusal_of_answer(request, answer):
        return failed_result(text, *refusal)
    proposal = RenameProposal(workspace, request, checker, documents, answer, trees)
    if refusal := refusal_of_proposal(proposal):
        return failed_result(text, *refusal)
    result = _tried(proposal, files.dangers)
    if result.breaks and not result.failure:
        # what has the name by its shape alone, such as a literal for an interface, is among all namesakes
        wide = replace(proposal, answer=ask(documents, namesakes=True))
        everywhere = _tried(wide.with_all(), files.dangers)
        if not everywhere.failure and len(everywhere.breaks) < len(result.breaks):
            result = everywhere if request.takes_all else _tried(wide, files.dangers)
    if result.failure:
        return result
    return replace(result, notes=(*result.notes, *leftovers_of_unasked(proposal, files.unasked_importers)))


def _tried(proposal: RenameProposal, dangers_of_search: Sequence[str]) -> RewriteResult:
    """The result of a proposal, once the checker has seen the files as they would be.

    Args:
        dangers_of_search: See `RenameFiles.dangers`.

    Raises:
        CheckerError: the checker fails.
        CancelledError: a question was cancelled.
    """
    edits, perhaps = proposal.meaning.edits, possible_places(proposal)
    if proposal.request.takes_all:
        edits, perhaps = edits_with(edits, perhaps), ()
    trial, perhaps = widened(proposal, try_edits(proposal, edits), perhaps)
    if reason := conflict(proposal, trial):
        return failed_result(proposal.request.document.text, RewriteFailure.NAME_TAKEN, reason)
    return _result(proposal, trial, perhaps, dangers_of_search)


def _result(
    proposal: RenameProposal, trial: Trial, perhaps: Sequence[Perhaps], dangers_of_search: Sequence[str]
) -> RewriteResult:
    """The result of a trial whose new name is free.

    Args:
        perhaps: The places that may have the name and are left.
        dangers_of_search: See `RenameFiles.dangers`.

    Raises:
        CheckerError: the checker fails, as it is asked about dangers.
        CancelledError: a question was cancelled.
    """
    workspace, document = proposal.workspace, proposal.request.document
    before = {original.uri: original for original in proposal.documents}
    after = {edited.uri: edited for edited in trial.documents if edited.uri in trial.edits}
    changes = {shown(workspace, new): (before[uri], new.text) for uri, new in after.items() if uri != document.uri}
    text = after.get(document.uri, document).text
    breaks = tuple(as_break(workspace, *error) for error in trial.errors)
    renamed = (place for place in proposal.meaning.perhaps if place.edit in trial.edits.get(place.uri, ()))
    left, guessed = (
        tuple(_perhaps_place(workspace, before[place.uri], place) for place in places) for places in (perhaps, renamed)
    )
    found = (*dangers_of_search, *dangers(proposal, trial))
    unseen = tuple(unseen_reads(proposal))
    unused_name = "" if found or breaks or unseen else unused(proposal)
    return RewriteResult(
        text=text,
        attempted_text=text,
        verified=Level.TYPES,
        breaks=breaks,
        rename=RenameDetails(
            changes=changes,
            edits=tuple((before[uri], edits_there) for uri, edits_there in trial.edits.items()),
            perhaps=left,
            guessed=guessed,
            dangers=found,
            unseen=() if proposal.request.takes_all else unseen,
            unused=unused_name,
        ),
        notes=(
            *filter(None, [unused_name]),
            *leftovers(proposal, trial.edits, perhaps),
            *_by_reason("Perhaps the same name", left),
            *(f"Renamed all the same: {reason}." for reason in unseen if proposal.request.takes_all),
            *_by_reason("Taken as the name, though it may be another", guessed),
            *(f"Breaks {error}" for error in breaks),
        ),
    )


def _perhaps_place(workspace: Workspace, document: Document, place: Perhaps) -> PerhapsPlace:
    """A place that may have the name, for people.

    Args:
        document: The place's document before the rename.
    """
    line = document.position(place.edit.start).line
    return PerhapsPlace(shown(workspace, document), line, str(place.doubt), document, place.edit)


def _by_reason(what: str, places: Iterable[PerhapsPlace]) -> Iterator[str]:
    """A note for each reason why places may have the name, with their files and lines.

    Args:
        what: What the places are; the beginning of a sentence.
    """
    by_reason: dict[str, list[str]] = {}
    for place in places:
        by_reason.setdefault(place.why, []).append(str(place))
    yield from (f"{what}: {listed(lines)} ({why})." for why, lines in by_reason.items())
