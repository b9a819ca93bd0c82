"""Finds where objects with a renamed member are taken for a type that has the new name already, or keeps the old one.

TypeScript compares types by their members. So an object may become what a function takes by a rename alone:
`connect(given: {retries?: number})` reads the `retries` of each object that it gets. It may cease to be, too:
`Intl.Collator` reads the `numeric` of its options, if they have one. No error is reported there.

The checker is asked for one. In two texts of each file, before and after the rename, members are *retyped*: the renamed
ones get a type that fits no other one, and the other members of the new name one that nothing fits. What is an error in
one of these texts alone is such a place, as all else that is refused is refused in both.

Two more texts find objects with the old name that no edit renames, such as those of a file of JSON: there nothing fits
the renamed members. What is an error before the rename alone is such an object, taken for a type with the member.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from context_index import Edit, MentionForm, mention_rules, mentions
from lsp_server.engine.edits import moved, undoing
from lsp_server.engine.rewriting.breaks import MOST_FILES, new_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from context_index import Diagnostic, Document, Query, Survey
    from lsp_server.engine.rewriting.relocation import RenameEdits
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal


class ShapeEffect(Enum):
    """What an object with one of the names is after a rename."""

    GAINED = auto()
    """It becomes of a type that has the new name already."""
    LOST = auto()
    """It ceases to be of a type that keeps the old name."""
    KEPT = auto()
    """It keeps the old name, and is taken for a type that has the new one instead."""


@dataclass(frozen=True, slots=True)
class ShapeChange:
    """A place at which an object becomes of a type, or ceases to be, by the name of its member alone."""

    document: Document
    """As it is before the rename."""
    offset: int
    """Of the place in the document, in code points."""
    shape: ShapeEffect


def shape_changes(proposal: RenameProposal, edits: RenameEdits) -> Iterator[ShapeChange]:
    """The places at which an object would be of another type; none if no member is renamed.

    The documents after the first `MOST_FILES` are not asked about.

    Args:
        edits: Those of the rename.

    Raises:
        CheckerError: it fails.
        CancelledError: the question was cancelled.
    """
    if not proposal.meaning.is_member:
        return
    indices = range(len(proposal.documents))
    retypings = [_retyping(proposal, edits, index) for index in indices]
    if any(retypings):
        yield from _changes(proposal, edits, retypings, ShapeEffect.GAINED, ShapeEffect.LOST)
    retypings = [_without_overlap(_fitted_by_nothing(proposal, edits, index)) for index in indices]
    if any(retypings):
        yield from _changes(proposal, edits, retypings, None, ShapeEffect.KEPT)


def _changes(
    proposal: RenameProposal,
    edits: RenameEdits,
    retypings: Sequence[Sequence[Edit]],
    after: ShapeEffect | None,
    before: ShapeEffect,
) -> Iterator[ShapeChange]:
    """The places at which there is an error only after the rename, or only before it, with retyped members.

    Args:
        after: What such a place shows after the rename; None if nothing.
        before: What it shows before the rename.
    """
    documents = proposal.documents
    renamings = [
        _after(retyping, edits.get(document.uri, ())) for document, retyping in zip(documents, retypings, strict=True)
    ]
    retyped = [_edited(*each) for each in zip(documents, retypings, strict=True)]
    renamed = [_edited(*each) for each in zip(retyped, renamings, strict=True)]
    of_retyped, of_renamed = (proposal.checker.ask_together(texts, _diagnostics) for texts in (retyped, renamed))
    reports = of_retyped.result(), of_renamed.result()
    # these lead back: from `renamed` to `retyped`, and from there to `documents`
    undone_renamings = [undoing(renaming, each.text) for renaming, each in zip(renamings, retyped, strict=True)]
    undone_retypings = [undoing(retyping, each.text) for retyping, each in zip(retypings, documents, strict=True)]
    asked, indices = slice(MOST_FILES), {document.uri: index for index, document in enumerate(documents)}
    if after is not None:
        errors = new_errors(proposal.workspace, renamed[asked], renamings[asked], *reports, rejecting=True)
        for document, error in errors:
            index = indices[document.uri]
            offset = moved(moved(error.start, undone_renamings[index]), undone_retypings[index])
            yield ShapeChange(documents[index], offset, after)
    for document, error in new_errors(proposal.workspace, retyped[asked], undone_renamings[asked], *reversed(reports)):
        index = indices[document.uri]
        yield ShapeChange(documents[index], moved(error.start, undone_retypings[index]), before)


def _fitted_by_nothing(proposal: RenameProposal, edits: RenameEdits, index: int) -> Iterator[Edit]:
    """The edits of a document after which nothing fits the renamed members that types declare in it."""
    document = proposal.documents[index]
    rules, renamed = mention_rules(proposal.trees.of(document)), {edit.start for edit in edits.get(document.uri, ())}
    for offset in sorted(renamed.intersection(_declared(proposal.answer.old_name, index))):
        yield from rules.fitted_by_nothing(offset)


def _retyping(proposal: RenameProposal, edits: RenameEdits, index: int) -> Sequence[Edit]:
    """The edits of a document that retype its members, in order and without overlap.

    Args:
        edits: Those of the rename.
        index: The index of the document.
    """
    document, answer = proposal.documents[index], proposal.answer
    rules, renamed = mention_rules(proposal.trees.of(document)), {edit.start for edit in edits.get(document.uri, ())}
    said = mentions(proposal.trees.of(document), proposal.request.old)
    shorthands = {mention.start for mention in said if mention.form is MentionForm.SHORTHAND}
    with_old_name = renamed.intersection(shorthands.union(_declared(answer.old_name, index)))
    with_new_name = (offset for offset in _declared(answer.new_name, index) if offset not in renamed)
    retyping = [edit for offset in sorted(with_old_name) for edit in rules.fitting_nothing(offset)]
    retyping += [edit for offset in with_new_name for edit in rules.fitted_by_nothing(offset)]
    return _without_overlap(retyping)


def _declared(survey: Survey, index: int) -> Iterator[int]:
    """The offsets in a document at which the surveyed name is declared."""
    for (at, offset), definitions in survey.meanings.items():
        if at == index and (at, offset) in definitions:
            yield offset


def _without_overlap(edits: Iterable[Edit]) -> Sequence[Edit]:
    """The edits in order, without those that begin before the one before them ends."""
    kept: list[Edit] = []
    for edit in sorted(dict.fromkeys(edits), key=lambda each: (each.start, each.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept


def _after(earlier: Sequence[Edit], edits: Iterable[Edit]) -> Sequence[Edit]:
    """Edits of a text as edits of what the text is after earlier ones, without those of what these replace."""
    free = (edit for edit in edits if all(edit.end <= each.start or edit.start >= each.end for each in earlier))
    return [Edit(moved(edit.start, earlier), moved(edit.end, earlier), edit.text) for edit in free]


def _edited(document: Document, edits: Sequence[Edit]) -> Document:
    """The document after edits that are in order, with offsets of the document before all of them."""
    return document.edited(edits[::-1], document.revision)


def _diagnostics(queries: Sequence[Query]) -> tuple[tuple[Diagnostic, ...], ...]:
    """The diagnostics of the first `MOST_FILES` documents that are asked about."""
    return tuple(query.diagnostics() for query in queries[:MOST_FILES])
