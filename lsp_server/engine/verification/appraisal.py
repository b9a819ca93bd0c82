"""What is said of a text that the checker accepts (`Appraisal`): how far it is verified, and what it leaves open.

Such a text may still be cut off, or be nothing that anybody means: it declares a name again, or imports one that no
module exports. Knows nothing of texts that are rejected.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from context_index import Imported, TypedImport, identifiers, imports_of
from decoder import PLACEHOLDER
from lsp_server.engine.suggestion import Level
from lsp_server.engine.verification.results import Rejection, Verified
from lsp_server.engine.verification.spans import touches
from lsp_server.engine.verification.unmeant import declarations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index import Diagnostic
    from lsp_server.engine.verification.applied import Applied
    from lsp_server.engine.verification.checked_document import CheckedDocument
    from lsp_server.engine.verification.closing_ranking import ClosingRanking
    from lsp_server.engine.verification.spans import Span


class Appraisal:
    """Appraises texts of one document; `until` is when the checker's answers must be there, see `checked_document`."""

    def __init__(self, document: CheckedDocument, ranking: ClosingRanking) -> None:
        self._document, self._ranking = document, ranking

    def verified(
        self,
        applied: Applied,
        diagnostics: tuple[Diagnostic, ...],
        members: Sequence[int],
        elsewhere: tuple[Rejection, ...],
        until: float | None,
    ) -> Verified:
        """What is verified of an accepted text, and what it leaves open; `Verified.unmeant` is not set yet.

        Args:
            diagnostics: Everything that the checker reports of the document with the text in it.
            members: The offsets of the members in the text for which it finds no definition.
            elsewhere: New errors that do not count against the text.
        """
        first, _ = applied.inserted
        syntax = applied.syntax
        unverified = tuple((place - first, syntax.end(syntax.node_at(place)) - first) for place in members)
        level = Level.TYPES if self._document.is_checked(until) and not unverified else Level.NAMES
        broken = [error for error in diagnostics if error.is_error and error.is_syntax]
        is_complete = not applied.leaves_line_open and not any(_is_in_statement(error, applied) for error in broken)
        is_open = bool(applied.closing) and applied.opens_more_than(self._ranking.without(applied, until))
        # the three cases of `Verified.continues`, in its order
        is_cut_off = bool(broken) and applied.is_followed and any(touches(error, applied.following) for error in broken)
        is_unfinished = applied.is_above_code and (is_open or applied.lacks_sign)
        return Verified(
            level,
            applied.candidate,
            unverified,
            elsewhere,
            parses=not (broken or applied.closing),
            is_complete=is_complete,
            continues=not (is_cut_off or applied.lacks_operand or is_unfinished),
            is_open=is_open,
            closed_parses=not broken,
            unexported=self._unexported(applied),
        )

    def _unexported(self, applied: Applied) -> Span | None:
        """See `Verified.unexported`. The closing wrote a placeholder where the module's name is still to come."""
        if not any(PLACEHOLDER in edit.text for edit in applied.closing):
            return None
        syntax, (start, end) = applied.syntax, applied.inserted
        spans = {syntax.text(node): syntax.span(node) for node in identifiers(syntax, applied.inserted)}
        imports = imports_of(applied.syntax)
        others = tuple(statement for statement in imports if statement.module != PLACEHOLDER)
        for name in chain.from_iterable(statement.names for statement in imports if statement.module == PLACEHOLDER):
            span = spans.get(name.name)
            if span is None:
                continue
            modules, has_more = self._document.workspace.exporters(applied.syntax, TypedImport("", (name,), others))
            if not (modules or has_more):
                return span[0] - start, min(span[1], end) - start
        return None

    def names_declared_again(self, applied: Applied) -> Iterator[str]:
        """The names that a text declares and that are there already.

        Its block declares them, too, or a module from which the file imports other names exports them.
        """
        for declaration in declarations(applied):
            if declaration.is_in_block or (declaration.is_of_module and self._is_exported_to_file(declaration.name)):
                yield declaration.name

    def _is_exported_to_file(self, name: str) -> bool:
        """Whether a module from which the file imports other names exports a name.

        False of a name that the file imports: under another one, it may be declared, as in `from m import A as B` above
        `class A(B)`. False also in languages with an `#include`, which brings all names.
        """
        imports = tuple(imports_of(self._document.syntax))
        is_imported = any(imported.name == name for statement in imports for imported in statement.names)
        if is_imported or self._document.traits.lexis.directive:
            return False
        modules = dict.fromkeys(statement.module for statement in imports)
        wanted = (TypedImport(module, (Imported(name, name),), imports) for module in modules)
        return any(each.typed in self._document.workspace.exporters(self._document.syntax, each)[0] for each in wanted)


def _is_in_statement(error: Diagnostic, applied: Applied) -> bool:
    """Whether an error is in what the text became part of; not one before the text, which cannot mend it."""
    ends_before_text = max(error.start + 1, error.end) <= applied.inserted[0]
    return not ends_before_text and any(error.start < end and error.end > start for start, end in applied.extent)
