"""Tries a rename: the files as they would be after some edits, and what the checker says of them.

Nothing is written. If an error is new at a place that may have the name and was left, the place is renamed as well if
that mends the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index import statement_around, survey
from lsp_server.engine.edits import moved
from lsp_server.engine.rewriting.breaks import MOST_FILES, new_errors
from lsp_server.engine.rewriting.relocation import Relocation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from context_index import Diagnostic, Document, Perhaps, Survey
    from lsp_server.engine.rewriting.relocation import RenameEdits
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal

_ROUNDS: Final = 4
"""How often places at which an error is new are added."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The files as they would be after some edits, and what the checker says of them.

    Unless said otherwise, offsets and places are those after the edits.
    """

    edits: RenameEdits
    """With offsets of the documents before the edits."""
    documents: Sequence[Document]
    """In the order of the documents of the proposal."""
    relocation: Relocation
    """Takes places before the edits to places after them."""
    survey: Survey
    """What the new name means at each of its places, and what classes and modules still have under the old one."""
    back: RenameEdits
    """What the checker would edit to rename the symbol back; nothing if the place it was asked at is not renamed."""
    errors: tuple[tuple[Document, Diagnostic], ...]
    """The errors that are new, each with its document; those of the first `MOST_FILES` documents."""


def try_edits(proposal: RenameProposal, edits: RenameEdits) -> Trial:
    """Ask the checker about the files as they would be after some edits.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    request, meaning = proposal.request, proposal.meaning
    edits_of = [edits.get(document.uri, ()) for document in proposal.documents]
    after = [
        document.edited(edits_there[::-1], document.revision) if edits_there else document
        for document, edits_there in zip(proposal.documents, edits_of, strict=True)
    ]
    relocation = Relocation(request.new, edits_of)
    is_asked_back = relocation.is_renamed(0, meaning.seed)
    surveyed, renamed_back = survey(
        proposal.checker,
        after,
        request.new,
        rename_back=(relocation.after(0, meaning.seed)[1], request.old) if is_asked_back else None,
        old=request.old,
        classes=meaning.classes,
        trees=proposal.trees,
        diagnosed=MOST_FILES,
    ).result()
    reports = proposal.answer.diagnostics, surveyed.diagnostics
    errors = new_errors(proposal.workspace, after[:MOST_FILES], edits_of[:MOST_FILES], *reports, rejecting=True)
    return Trial(edits, after, relocation, surveyed, renamed_back, tuple(errors))


def widened(proposal: RenameProposal, trial: Trial, perhaps: Sequence[Perhaps]) -> tuple[Trial, Sequence[Perhaps]]:
    """A trial with the places that mend its errors renamed as well, and the places that are left.

    A round adds all places in statements with a new error. It counts only if fewer errors are new with them.

    Args:
        perhaps: The places that may have the name and that the trial left.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    for _ in range(_ROUNDS):
        if not (more := _at_errors(proposal, trial, perhaps)):
            break
        further = try_edits(proposal, edits_with(trial.edits, more))
        if len(further.errors) >= len(trial.errors):
            break
        trial, perhaps = further, [place for place in perhaps if place not in more]
    return trial, perhaps


def edits_with(edits: RenameEdits, more: Iterable[Perhaps]) -> RenameEdits:
    """Edits, and those of places that may have the name."""
    joined = {uri: list(edits_there) for uri, edits_there in edits.items()}
    for place in more:
        joined.setdefault(place.uri, []).append(place.edit)
    return {uri: tuple(sorted(edits_there, key=lambda edit: edit.start)) for uri, edits_there in joined.items()}


def _at_errors(proposal: RenameProposal, trial: Trial, perhaps: Iterable[Perhaps]) -> list[Perhaps]:
    """The places among `perhaps` that are in a statement with a new error."""
    statements = [
        (document.uri, *statement_around(proposal.trees.of(document), error.start)) for document, error in trial.errors
    ]
    at_errors = []
    for place in perhaps:
        offset = moved(place.edit.start, trial.edits.get(place.uri, ()))
        if any(uri == place.uri and start <= offset < end for uri, start, end in statements):
            at_errors.append(place)
    return at_errors
