"""Compares what a checker reports of a document with and without a text (`Comparison`): which errors are the text's?

An error is the text's if the document without the text, the baseline, does not have it. An error that touches what the
text became part of is compared with the document in which a name of ours is in place of the text as well: there it is
old only if it comes with any text. Nothing here knows a rule of a language: those are in the records of `languages`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from decoder import PLACEHOLDER
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.languages.fill import Fill
from lsp_server.engine.verification.languages.opened import Opened
from lsp_server.engine.verification.rejecting_codes import rejecting_errors
from lsp_server.engine.verification.rejections import is_unresolved
from lsp_server.engine.verification.spans import touches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from context_index import Diagnostic
    from lsp_server.engine.verification.candidate import Candidate
    from lsp_server.engine.verification.checked_document import CheckedDocument
    from lsp_server.engine.verification.closer import DocumentCloser
    from lsp_server.engine.verification.closing_ranking import ClosingRanking
    from lsp_server.engine.verification.placeholders import Placeholders
    from lsp_server.engine.verification.spans import Span

_CLOSINGS_ASKED = 3
"""The most closings of a document with a neutral text that a checker is asked about."""


class Comparison:
    """Compares candidates' documents with one document without them.

    Two parameters go through its methods:

    - `until` is when the checker's answers must be there, see `checked_document`.
    - `fill` says how the judged document is filled in, so that the document with a neutral text, with which it is
      compared, is filled in as well. None if it is judged as it is, without a closing.
    """

    def __init__(
        self, document: CheckedDocument, closer: DocumentCloser, ranking: ClosingRanking, placeholders: Placeholders
    ) -> None:
        self._document, self._closer, self._ranking, self._placeholders = document, closer, ranking, placeholders
        self._record = record_of(document.syntax.language)
        self._neutral: dict[tuple[Candidate, Fill], Applied] = {}
        """The documents that `_neutral_document` has closed."""

    def new_errors(
        self, applied: Applied, fill: Fill | None, diagnostics: Sequence[Diagnostic], until: float | None
    ) -> list[Diagnostic]:
        """The errors that may reject a text, without those that the baseline has with the same code and message there.

        An error that touches what the text became part of is old only if it is also reported with a name in place of
        the text. One at the module of an import that the text is in never is: what a module exports that nobody finds
        is not known. An error in what closes the document is not the text's.
        """
        errors = [
            error
            for error in rejecting_errors(diagnostics, is_unchecked=self._document.is_unchecked_javascript(until))
            if not applied.is_about_closing(error) and not self._is_mendable(error, applied)
        ]
        if not errors:
            return []  # without waiting for the baseline
        bound_later = self._record.bound_later(applied)
        known, to_come = self._known_errors(applied, fill, bound_later.open, until)
        errors = [
            error for error in errors if not (error.message in to_come and is_unresolved(error.code, self._record))
        ]

        def is_old(error: Diagnostic) -> bool:
            if bound_later.closed and touches(error, bound_later.closed) and is_unresolved(error.code, self._record):
                return False
            if applied.specifier is not None and touches(error, applied.specifier):
                return False
            is_around = any(touches(error, part) for part in applied.extent)
            return not is_around or self._is_reported_anyway(error, applied, fill, until)

        return list(without_counterpart(errors, known, lambda error: error.start, is_old))

    def counts_against(self, error: Diagnostic, applied: Applied, fill: Fill | None, until: float | None) -> bool:
        """Whether a new error counts against the text: it touches what the text became part of, or what comes along.

        An error at the import of a name that the text declares is the text's as well. A syntax error counts wherever it
        is, unless it is also reported with a name in place of the text: in a broken document, a text may mend one error
        and cause another far below.
        """
        if any(touches(error, part) for part in (*applied.extent, *applied.documentation, *applied.other_edits)):
            return True
        if applied.is_import_of_declared(error):
            return True
        if not error.is_syntax:
            return False
        unchanged = self._document.own_diagnostics(until)
        parsed = not any(known.is_error and known.is_syntax for known in unchanged)
        return parsed or not self._is_reported_anyway(error, applied, fill, until)

    def _known_errors(
        self, applied: Applied, fill: Fill | None, open_brackets: Span | None, until: float | None
    ) -> tuple[Counter[tuple[str, str, int]], set[str]]:
        """The errors of the baseline, and the messages of those that the text's rest may still mend.

        The errors are counted by code, message and place in `applied`. The messages are of undefined names in
        `open_brackets`, such as `x` in `[x for ^`. The document is unfinished at the cursor: a call that lacks its
        arguments has the error that a text would have which leaves them out. So errors that touch the cursor are left
        out.

        Args:
            open_brackets: Brackets around the text in which a name may be bound later; None if there are none.
        """
        baseline, cursor = self._neutral_document(applied, "", fill, until), applied.candidate.offset
        known: Counter[tuple[str, str, int]] = Counter()
        to_come: set[str] = set()
        for error in self._document.diagnostics(baseline.document, until):
            start, end = baseline.before_edits(error.start), baseline.before_edits(error.end)
            if start is None or (start <= cursor and (end is None or cursor <= end)):
                continue
            place = applied.after(start)
            known[error.code, error.message, place] += 1
            if is_unresolved(error.code, self._record) and open_brackets and open_brackets[0] <= place:
                to_come.add(error.message)
        return known, to_come

    def _is_mendable(self, error: Diagnostic, applied: Applied) -> bool:
        """Whether code that is still to come may mend an error, see `Record.excused_while_open`."""
        if error.code not in self._record.excused_while_open:
            return False
        if applied.closes_body(error, is_own=error.code in self._record.mended_inside):
            return False
        return bool(applied.closing) or any(True for _ in Opened(applied).bracketed())

    def _neutral_document(self, applied: Applied, text: str, fill: Fill | None, until: float | None) -> Applied:
        """The document with a neutral text in place of the candidate's, closed and filled in as the candidate's is.

        With nothing as the text, it is the baseline: the unchanged document, if the candidate's is not closed. With a
        name of ours, it shows which errors come with any text. Such a document is filled in even if the candidate's is
        not, as is one for `Fill.BARE`: without its arguments it has errors that would excuse the text's own.

        Args:
            text: Nothing, or a name of ours.
        """
        candidate = replace(applied.candidate, text=text, edits=(), spelling="")
        # a parser behind a preprocessor gives up at an open bracket: without a text that closes one, we do
        if fill is None and not text and not self._document.traits.lexis.directive:
            return Applied(self._document.syntax, replace(candidate, replaces=0))
        fill = Fill.FILLED if fill in {None, Fill.BARE} else fill
        key = candidate, fill
        if key not in self._neutral:
            self._neutral[key] = self._close_neutrally(candidate, fill, until)
        return self._neutral[key]

    def _close_neutrally(self, candidate: Candidate, fill: Fill, until: float | None) -> Applied:
        """A document with a neutral text, in the first closing in which the checker's parser finds no fault."""
        tried: list[Applied] = []
        closings = self._ranking.ranked(self._closer.closings(Applied(self._document.syntax, candidate)), until)
        for closed in islice(closings, _CLOSINGS_ASKED):
            bare = self._placeholders.filled(closed, Fill.BARE, None, until) or closed
            tried.append(bare)
            diagnostics = self._document.diagnostics(bare.document, until)
            if not any(error.is_error and error.is_syntax for error in diagnostics):
                return self._placeholders.filled(closed, fill, bare, until) or bare
        return tried[0]

    def _is_reported_anyway(self, error: Diagnostic, applied: Applied, fill: Fill | None, until: float | None) -> bool:
        """Whether an error is also reported with a name of ours in place of the text."""
        probe = self._neutral_document(applied, PLACEHOLDER, fill, until)
        start = applied.before_edits(error.start)
        if start is not None:
            is_at_cursor = start == applied.candidate.offset
            start = probe.after(start)
            if is_at_cursor and start == probe.inserted[0]:
                start = probe.inserted[1]  # what follows the text has the cursor's offset in `before`
        reported = self._document.diagnostics(probe.document, until)
        return (error.code, error.message, start) in {(other.code, other.message, other.start) for other in reported}


def without_counterpart(
    errors: Iterable[Diagnostic],
    known: Counter[tuple[str, str, int]],
    place: Callable[[Diagnostic], int],
    is_old: Callable[[Diagnostic], bool] = lambda _error: True,
) -> Iterator[Diagnostic]:
    """The errors beyond those that are known.

    Args:
        known: How often an error was there before, by its code, message and place.
        place: Where an error would have been before.
        is_old: Whether an error that was there before is excused by that.
    """
    for error in errors:
        key = error.code, error.message, place(error)
        if known[key] and is_old(error):
            known[key] -= 1
        else:
            yield error
