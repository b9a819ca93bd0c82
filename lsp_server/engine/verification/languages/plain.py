"""The record of a language of which no more than its grammar is known: it adds nothing to what the grammar proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsp_server.engine.verification.languages.fill import BoundLater

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Diagnostic, Edit
    from lsp_server.engine.verification.applied import Applied
    from lsp_server.engine.verification.languages.fill import Asked, Fill
    from lsp_server.engine.verification.languages.opened import Opened


class PlainRecord:
    """Answers every question with nothing; `record.Record` describes the questions."""

    comprehensions: tuple[str, ...] = ()
    excused_while_open: frozenset[str] = frozenset()
    mended_inside: frozenset[str] = frozenset()
    unresolved: frozenset[str] = frozenset()
    flush_in_blocks: bool = False

    def mismatches(self, opened: Opened) -> int:  # noqa: ARG002 - as the record has it
        """See `Record`."""
        return 0

    def required(self, opened: Opened) -> list[Edit]:  # noqa: ARG002 - as the record has it
        """See `Record`."""
        return []

    def bound_later(self, applied: Applied) -> BoundLater:  # noqa: ARG002 - as the record has it
        """See `Record`."""
        return BoundLater()

    def filled(self, opened: Opened, fill: Fill, diagnostics: Sequence[Diagnostic], checker: Asked) -> list[Edit]:  # noqa: ARG002 - as the record has it
        """See `Record`."""
        return []
