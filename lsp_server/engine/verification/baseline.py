"""Judges a text by the checker: which new errors would the document have with this text in it?

A checker is asked about the whole document twice, without the text (the baseline) and with it. An error that is not in
the baseline and touches what the text became part of rejects the text. The parts for each language are in the records
of `languages`; nothing here knows a rule of a language. `Verifier` makes a `Baseline` for each text of a document.
`Judge`, `Verifier` and `inscope generate` call `verify`; rewrites call `new_errors`.

Each step has a module of its own, from the outside to the inside:

- `ClosingChoice` tries one closing after the other, in the order of `ClosingRanking`.
- `ClosedJudge` judges one closing. It tries one `Fill` of it after the other (`Placeholders`), then one import after
  the other. `Comparison` says which errors are new, and `Appraisal` what is said of an accepted text.
- `CheckedDocument` asks the checker.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from itertools import chain
from threading import Thread
from typing import TYPE_CHECKING

from context_index import CheckerAbsentError, CheckerError
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.checked_document import CheckedDocument, seconds_until, wait
from lsp_server.engine.verification.closed_judge import ClosedJudge
from lsp_server.engine.verification.closing_choice import ClosingChoice
from lsp_server.engine.verification.closing_ranking import ClosingRanking
from lsp_server.engine.verification.edited_document import errors_of_edits
from lsp_server.engine.verification.rejections import does_not_parse
from lsp_server.engine.verification.results import Answered, Rejected, Unanswered, Unverified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Document, Edit, Syntax
    from lsp_server.engine.verification.candidate import Candidate
    from lsp_server.engine.verification.closer import DocumentCloser
    from lsp_server.engine.verification.forms import Forms
    from lsp_server.engine.verification.reports import CheckerReport
    from lsp_server.engine.verification.results import NewErrors, Verification


class Baseline:
    """Judges texts in one document by what the checker reports beyond its report on the document without them.

    In its private methods `until` is when an answer must be there, see `checked_document`. `verify` turns the errors of
    waiting into its answer.
    """

    def __init__(self, document: CheckedDocument, closer: DocumentCloser, forms: Forms) -> None:
        self._document, self._closer, self._forms = document, closer, forms
        self._ranking = ClosingRanking(document, closer)
        self._choice = ClosingChoice(document, closer, ClosedJudge(document, closer, self._ranking))
        self._unfinished: dict[Candidate, Future[Answered]] = {}
        """The candidates that were not judged in time; some have been judged since."""

    def is_of(self, syntax: Syntax, revision: int) -> bool:
        """See `CheckedDocument.is_of`."""
        return self._document.is_of(syntax, revision)

    def is_older(self, document: Document) -> bool:
        """See `CheckedDocument.is_older`."""
        return self._document.is_older(document)

    def supersede(self) -> None:
        """See `CheckedDocument.supersede`."""
        self._document.supersede()

    @property
    def own_report(self) -> Future[CheckerReport]:
        """See `CheckedDocument.own_report`."""
        return self._document.own_report

    def new_errors(self, edits: Sequence[Edit], seconds: float | None = None) -> NewErrors | Unverified:
        """See `errors_of_edits`."""
        return errors_of_edits(self._document, edits, seconds)

    def verify(self, candidate: Candidate, seconds: float | None = None) -> Verification:
        """Judge the document with the candidate and its edits applied.

        First our parser: there may be no more errors than before, and what follows must keep the boundaries of its
        tokens. A text that breaks this may have a form that is newer than our grammar; then the checker's parser is
        asked how to read it. Then the checker, which may accept the text only with imports. A late answer is kept for
        the next request about the same candidate.

        Args:
            seconds: How long it may take; None waits for every answer.
        """
        until = None if seconds is None else time.monotonic() + seconds
        closings = self._closer.closings(Applied(self._document.syntax, candidate))
        first = next(closings)
        if not self._ranking.is_torn(first) and self._breaks_syntax(first):
            if (respelled := self._respell(candidate, until)) is None:
                return Rejected((does_not_parse(first),))
            return self.verify(respelled, seconds_until(until))
        if self._document.checker is None:
            return Unverified(self._document.absent)
        try:
            if (late := self._unfinished.get(candidate)) is not None:
                return wait(late, until)
            return self._choice.answer(self._ranking.ranked(chain((first,), closings), until), until)
        except TimeoutError:
            self._finish_in_background(candidate)
            why = "did not answer in time" if self._document.checker.has_answered else "is reading the project"
            return Unanswered(f"{self._document.checker.title} {why}")
        except CheckerAbsentError as error:
            return Unverified(str(error))
        except (CheckerError, CancelledError) as error:
            if self._document.is_superseded:
                return Unanswered("The document has changed")
            return Unverified(f"{self._document.checker.title}: {error}")

    def _finish_in_background(self, candidate: Candidate) -> None:
        """Go on judging a candidate, for the next request that asks about it."""
        if candidate in self._unfinished:
            return
        late = self._unfinished[candidate] = Future[Answered]()

        def judge() -> None:
            try:
                closings = self._closer.closings(Applied(self._document.syntax, candidate))
                late.set_result(self._choice.answer(self._ranking.ranked(closings, None), None))
            except BaseException as fault:  # noqa: BLE001 - raised again where the answer is wanted
                self._unfinished.pop(candidate)
                late.set_exception(fault)

        Thread(target=judge, name="inscope-late", daemon=True).start()

    def _respell(self, candidate: Candidate, until: float | None) -> Candidate | None:
        """The candidate in a spelling that our parser reads, if it has a form that only the checker's parser knows.

        None if that parser, too, finds a fault in the text; what the text leaves open is a fault after it.
        """
        if candidate.spelling or self._document.checker is None:
            return None
        with_text = Applied(self._document.syntax, candidate).with_text
        text = candidate.offset, candidate.offset + len(candidate.text)  # without the candidate's other edits
        read = self._forms.read(with_text, text[1], seconds_until(until), text)
        spelling = read.spelling[slice(*text)]
        return replace(candidate, spelling=spelling) if spelling != candidate.text else None

    def _breaks_syntax(self, closed: Applied) -> bool:
        """Whether our parser finds a new syntax error because of the text, although what it leaves open is closed.

        Args:
            closed: The first closing, which has the fewest faults.
        """
        errors = closed.syntax.errors
        if errors == self._document.syntax.errors and not self._closer.keeps_boundaries(closed):
            return True
        if not errors:
            return False
        return errors > self._closer.without(closed).syntax.errors
