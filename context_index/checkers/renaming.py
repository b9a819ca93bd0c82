"""Renaming by a checker: what a name means at each place where a text says it, and what renaming that changes.

The checker's own rename, over all files that it knows; nothing here knows a rule of a language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from context_index.checkers.answers import Diagnostic
from context_index.checkers.checker import Checker
from context_index.checkers.errors import CheckerRefusedError
from context_index.checkers.query import Query
from context_index.text import Document, Edit
from context_index.uris import path_of


@dataclass(frozen=True, slots=True)
class Renaming:
    """What one meaning of a name comes to."""

    places: tuple[int, ...]
    """Where the text says it with this meaning, of the places that were asked about."""
    edits: Mapping[str, tuple[Edit, ...]]
    """By URI, in order; offsets are of the documents that the checker was given."""


@dataclass(frozen=True, slots=True)
class Renamings:
    """All that a name means in a text."""

    meanings: tuple[Renaming, ...]
    refused: str = ""
    """What the checker said of a place that it renames nothing at."""
    unread: tuple[str, ...] = ()
    """Documents that would be changed and that the checker was not given: they cannot be."""
    diagnostics: tuple[tuple[Diagnostic, ...], ...] = ()
    """What the checker says of the first documents as they are."""


def renamings(
    checker: Checker, documents: Sequence[Document], places: Sequence[int], new: str, *, diagnosed: int = 0
) -> Future[Renamings]:
    """What renaming the name at each of some places of the first document comes to.

    Args:
        documents: With the texts that edits are made of; those after the first may have the name, too.
        diagnosed: Of so many documents the diagnostics are wanted as well.
    """

    def ask(asked: Sequence[Query]) -> Renamings:
        known = {_file(query.uri) for query in asked}
        meanings: list[Renaming] = []
        refused, unread = "", set[str]()
        for place in places:
            if any(place in one.places for one in meanings):
                continue
            try:
                found = asked[0].rename(place, new)
            except CheckerRefusedError as error:
                refused = refused or str(error)
                continue
            unread |= {uri for uri in found if _file(uri) not in known}
            by_file = {_file(uri): edits for uri, edits in found.items()}
            pairs = ((one, query) for one, query in zip(documents, asked, strict=True) if _file(query.uri) in by_file)
            edits = {one.uri: _edits(query, by_file[_file(query.uri)]) for one, query in pairs}
            here = {edit.start for edit in edits.get(documents[0].uri, ())}
            if edits:
                meanings.append(Renaming(tuple(one for one in places if one in here or one == place), edits))
        diagnostics = tuple(one.diagnostics() for one in asked[:diagnosed])
        return Renamings(tuple(meanings), refused, tuple(sorted(unread)), diagnostics)

    return checker.ask_together(documents, ask)


def _file(uri: str) -> Path | str:
    """What a URI names: checkers and clients escape the same path differently."""
    return path_of(uri) or uri


def _edits(asked: Query, given: Sequence[object]) -> tuple[Edit, ...]:
    edits = {edit for one in given if (edit := asked.edit(one)) is not None}
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))
