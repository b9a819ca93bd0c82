"""Notes on what has the text of a renamed name and stays, so that a person can look: names, strings, words in prose.

Each note is a sentence for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import ancestors, lines_around, mentions, words_in_text
from lsp_server.engine.rewriting.listing import listed, short_place
from lsp_server.engine.rewriting.script_names import is_of_script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from context_index import Edit, Perhaps, Syntax
    from lsp_server.engine.rewriting.relocation import RenameEdits
    from lsp_server.engine.rewriting.rename_proposal import RenameProposal


def leftovers(proposal: RenameProposal, edits: RenameEdits, perhaps: Iterable[Perhaps]) -> Iterator[str]:
    """What stays in the files that were asked about.

    Args:
        edits: Those of the rename.
        perhaps: The places that may have the name and are left; they have notes of their own.
    """
    yield from _names_and_strings(proposal, edits, perhaps)
    yield from _words_in_text(proposal, edits)


def leftovers_of_unasked(proposal: RenameProposal, unasked_importers: Sequence[Path]) -> Iterator[str]:
    """Which files nobody asked about: importers of what changes, and those in no index with the name.

    Args:
        unasked_importers: See `RenameFiles.unasked_importers`.
    """
    workspace, old = proposal.workspace, proposal.request.old
    if unasked_importers:
        yield f"Not asked about: {listed(map(workspace.shown, unasked_importers))}, which import what changes."
    is_local = proposal.meaning.is_local and not is_of_script(proposal)
    is_seen_by_others = not (is_local or proposal.request.is_private)
    if is_seen_by_others and (others := workspace.others_mentioning(old)):
        yield f"The word `{old}` stays in files that are not read: {listed(map(workspace.shown, others))}."


def _names_and_strings(proposal: RenameProposal, edits: RenameEdits, perhaps: Iterable[Perhaps]) -> Iterator[str]:
    """The names that stay, by what the checker knows of them, and the strings that are the name."""
    old, meanings = proposal.request.old, proposal.answer.old_name.meanings
    other_names, unknown_names, strings = list[str](), list[str](), list[str]()
    open_places = {(place.uri, place.edit.start) for place in perhaps}
    for index, document in enumerate(proposal.documents):
        renamed = {edit.start for edit in edits.get(document.uri, ())}
        for mention in mentions(proposal.trees.of(document), old):
            if mention.start in renamed or (document.uri, mention.start) in open_places:
                continue
            if mention.form.is_string:
                places = strings
            else:
                places = other_names if meanings.get((index, mention.start)) else unknown_names
            places.append(short_place(proposal.workspace, document, mention.start))
    if other_names:
        yield f"`{old}` stays in {listed(other_names)}: another name, as the checker reads it."
    if unknown_names:
        yield f"`{old}` stays in {listed(unknown_names)}: the checker does not know what it is there."
    if strings:
        yield f"The string `{old}` stays in {listed(strings)}: no name, as the checker reads it."


def _words_in_text(proposal: RenameProposal, edits: RenameEdits) -> Iterator[str]:
    """The strings and comments with the name among other words: a format, an example, or just prose.

    The checker renames in comments, too, where these declare types (JSDoc). For a variable of a function only the text
    of this function counts, as elsewhere the word seldom means it.
    """
    request = proposal.request
    is_in_function = proposal.meaning.is_local and not request.is_private
    around = _function_around(request.syntax, edits.get(request.document.uri, ())) if is_in_function else None
    places = [
        short_place(proposal.workspace, document, offset)
        for document in proposal.documents
        for offset in words_in_text(proposal.trees.of(document), request.old)
        if (around is None or around[0] <= offset < around[1])
        and all(edit.start != offset for edit in edits.get(document.uri, ()))
    ]
    if places:
        yield f"The word `{request.old}` stays in strings and comments: {listed(places)}."


def _function_around(syntax: Syntax, edits: Sequence[Edit]) -> tuple[int, int]:
    """Start and end offset of the function around all edits of a local name, with the comments above it.

    The whole text if no function is around them.
    """
    start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    node = syntax.node_at(start, end)
    fields = ("parameters", "parameter")
    function = next((each for each in (node, *ancestors(node)) if any(map(each.child_by_field_name, fields))), None)
    return (0, len(syntax.document.text)) if function is None else lines_around(syntax, syntax.span(function))
