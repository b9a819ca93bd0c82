"""Whether the new name is free, as a trial shows it.

A checker renames without checking that. So three things must hold in the files as they would be:

- The checker renames the symbol back; that must change places that were changed, and nothing else.
- No new error may be reported at a place that had the new name before.
- Every place of either name must be defined where it was before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from context_index import mentions
from lsp_server.engine.rewriting.listing import long_place

if TYPE_CHECKING:
    from context_index import Place
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal
    from lsp_server.engine.rewriting.rename_trial import Trial

_TAKEN: Final = "already means something else"
"""What is wrong at a place that had the new name before; a part of a sentence for people."""
_CHANGED: Final = "would not mean the same"
"""What is wrong at a place that gets the new name."""


def conflict(proposal: RenameProposal, trial: Trial) -> str:
    """Why the new name is not free, as a sentence for people; empty if it is."""
    return (
        _conflict_of_rename_back(proposal, trial)
        or _conflict_of_errors(proposal, trial)
        or _conflict_of_definitions(proposal, trial)
    )


def _conflict_of_rename_back(proposal: RenameProposal, trial: Trial) -> str:
    """The conflict if renaming back leaves out a place of the checker's own rename, or changes what was not changed."""
    meaning, moves = proposal.meaning, trial.relocation
    by_checker = meaning.by_checker if meaning.seed in meaning.by_checker else ()
    required = {moves.after(0, offset)[1] for offset in by_checker if moves.is_renamed(0, offset)}
    for index, (before, after) in enumerate(zip(proposal.documents, trial.documents, strict=True)):
        renamed_back = {edit.start for edit in trial.back.get(after.uri, ())}
        missing = required - renamed_back if index == 0 else set[int]()
        if differing := (renamed_back - moves.renamed_in(index)) | missing:
            mentioned = mentions(proposal.trees.of(before), proposal.request.new)
            is_there = any(not mention.form.is_string for mention in mentioned)
            return _not_free(proposal, trial, _TAKEN if is_there else _CHANGED, (index, min(differing)))
    return ""


def _conflict_of_errors(proposal: RenameProposal, trial: Trial) -> str:
    """The conflict if an error is new at the new name where nothing was renamed."""
    indices, renamed = {after.uri: index for index, after in enumerate(trial.documents)}, trial.relocation.renamed()
    for document, error in trial.errors:
        is_name = document.text[error.start : error.end] == proposal.request.new
        place = indices[document.uri], error.start
        if is_name and place not in renamed:
            return _not_free(proposal, trial, _TAKEN, place)
    return ""


def _conflict_of_definitions(proposal: RenameProposal, trial: Trial) -> str:
    """The conflict if a place of either name would be defined elsewhere than before.

    If `total` becomes `count`, two kinds of places are compared:

    - Those that had `count` before and are not renamed: the renamed symbol must not be meant there (`_TAKEN`).
    - Those of `total` that are renamed: another `count` must not be meant there (`_CHANGED`).

    What defines such a place before, moved by the edits, must define it after; where nothing did, the renamed symbol
    must not. Places that are halved, see `Relocation`, are left out on both sides.
    """
    answer, moves = proposal.answer, trial.relocation
    halved, renamed = moves.halved(), moves.renamed()
    for meanings_before, are_renamed, what in (
        (answer.new_name.meanings, False, _TAKEN),
        (answer.old_name.meanings, True, _CHANGED),
    ):
        for (index, offset), before in meanings_before.items():
            if moves.is_renamed(index, offset) != are_renamed or moves.is_halved(index, offset):
                continue
            place = moves.after(index, offset)
            after = trial.survey.meanings.get(place)
            if after is None:  # it was not surveyed
                continue
            expected = {moves.after(*target) if isinstance(target, tuple) else target for target in before}
            # nothing is known of a place that no definition was known of before, unless it means the symbol after
            is_known = before or (not are_renamed and not renamed.isdisjoint(after))
            if is_known and after - halved != expected - halved:
                others = sorted(target for target in after - halved - expected if isinstance(target, tuple))
                return _not_free(proposal, trial, what, place, others[0] if others else None)
    return ""


def _not_free(proposal: RenameProposal, trial: Trial, what: str, place: Place, declaration: Place | None = None) -> str:
    """The sentence that says why a new name is not free.

    Args:
        what: `_TAKEN` or `_CHANGED`.
        place: Where that is, after the rename.
        declaration: Where the name is declared that would be meant there instead, after the rename, if it is known.
    """

    def said(place: Place) -> str:
        index, offset = place
        return long_place(proposal.workspace, trial.documents[index], offset)

    instead = "" if declaration is None else f": {said(declaration)} declares what it would be"
    return f"`{proposal.request.new}` {what} in {said(place)}{instead}; choose another name."
