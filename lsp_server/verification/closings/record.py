"""What closing needs to know of a language: what no grammar knows, and nobody can be asked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

from lsp_server.verification.closings.ecmascript import EcmaScript
from lsp_server.verification.closings.python import Python

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Diagnostic, Edit, Language
    from lsp_server.verification.candidate import Applied
    from lsp_server.verification.closings.fill import Asked, BoundLater, Fill
    from lsp_server.verification.closings.opened import Opened


class Record(Protocol):
    """One language's record."""

    @property
    def comprehensions(self) -> tuple[str, ...]:
        """The endings of the types of nodes that name their elements before they bind them."""

    @property
    def unbound(self) -> frozenset[str]:
        """Codes of errors that bind only where the person's own text closes the body that they are in."""

    @property
    def unresolved(self) -> frozenset[str]:
        """Codes of errors at names that nothing defines."""

    def mismatches(self, opened: Opened) -> int:
        """How many nodes around the text are closed by what closes another, as the grammar allows."""

    def required(self, opened: Opened) -> list[Edit]:
        """What a compiler misses at the text and the grammar does not, as insertions of the closed document."""

    def bound_later(self, applied: Applied) -> BoundLater:
        """Where a name may stand before what binds it: in brackets around the text."""

    def filled(self, opened: Opened, fill: Fill, found: Sequence[Diagnostic], asked: Asked) -> list[Edit]:
        """What is filled in, as insertions of the closed document.

        Args:
            found: What the checker reports of the closed document.
        """


@cache
def record_of(language: Language) -> Record:
    """The record of a language."""
    return Python() if language.is_python else EcmaScript(typed=language.is_typed)
