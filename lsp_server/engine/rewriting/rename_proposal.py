"""What the checker would rename, before anything is tried: what the refusals, the trial and the notes read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Checker, Document, Renaming, Renamings, Trees, Workspace
    from lsp_server.engine.rewriting.rename_request import RenameRequest


@dataclass(frozen=True, slots=True)
class RenameProposal:
    """A checker's answer to a request, with all that the checker was asked about."""

    workspace: Workspace
    request: RenameRequest
    checker: Checker
    documents: Sequence[Document]
    """The files that were asked about, as they are before the rename; the request's own is the first.

    The index of a document, in `Place`s and elsewhere, is its index here.
    """
    answer: Renamings
    """Has exactly one meaning."""
    trees: Trees
    """Has the documents' trees, or gets them."""

    @property
    def meaning(self) -> Renaming:
        """The one meaning of the name that is renamed."""
        (meaning,) = self.answer.meanings
        return meaning

    def with_all(self) -> RenameProposal:
        """The same proposal, for a request that takes the places that only may have the name as well."""
        return replace(self, request=replace(self.request, takes_all=True))
