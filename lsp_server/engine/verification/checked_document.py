"""One text of a document and the checker that is asked about it (`CheckedDocument`): each question goes through here.

The checker is asked for its report on the document at once, as that is needed most. Methods with `until` wait for the
answer up to that time on `time.monotonic`'s clock, and None waits for every answer. Each wait may raise a TimeoutError,
a CheckerError or a CancelledError. Knows nothing of candidates.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from context_index import Cancellation, CheckerAbsentError
from lsp_server.engine.verification.reports import has_failed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from context_index import Checker, Diagnostic, Document, Query, Syntax, Workspace
    from lsp_server.engine.verification.checked_files import CheckedFiles
    from lsp_server.engine.verification.reports import CheckerReport, Reports

T = TypeVar("T")


class CheckedDocument:
    """A text of a document, its checker, and what the checker says of it and of texts that differ from it a little."""

    def __init__(self, syntax: Syntax, workspace: Workspace, reports: Reports, checked: CheckedFiles) -> None:
        self.syntax, self.workspace, self._reports = syntax, workspace, reports
        self.traits = syntax.language.record
        self.checker: Checker | None = None
        self.absent = ""
        """Why there is no checker."""
        self._revision = workspace.checker_world.revision
        """When the checker was asked: see `World.revision`."""
        self._superseded = Cancellation()
        try:
            self.checker = workspace.checker_of(syntax.document)
        except CheckerAbsentError as error:
            self.absent = str(error)
        self._own_report = self._report(syntax.document)
        self._is_checked: Future[bool] = (
            self._failed() if self.checker is None else checked.includes(self.checker, syntax)
        )

    def is_of(self, syntax: Syntax, revision: int) -> bool:
        """Whether the answers count for a document that is read so, at a revision of the world.

        Answers that failed count for none, so that the checker is asked again.
        """
        present = self.syntax.document, self.syntax.spelling, self._revision
        has_answer = not (has_failed(self._own_report) or has_failed(self._is_checked))
        return present == (syntax.document, syntax.spelling, revision) and has_answer

    def is_older(self, document: Document) -> bool:
        """Whether a document is a later text of the same one; a slow request may still ask about an earlier text."""
        present = self.syntax.document
        return present.revision < document.revision and present.text != document.text

    def supersede(self) -> None:
        """The document has another text now: questions about this one are no longer answered."""
        self._superseded.cancel()

    @property
    def is_superseded(self) -> bool:
        """Whether the document has another text now."""
        return self._superseded.is_cancelled

    @property
    def own_report(self) -> Future[CheckerReport]:
        """The checker's report on the document as it is; it fails with a CheckerError, or is cancelled."""
        return self._own_report

    def own_diagnostics(self, until: float | None) -> Sequence[Diagnostic]:
        """What the checker reports of the document as it is."""
        return wait(self._own_report, until).diagnostics

    def diagnostics(self, document: Document, until: float | None) -> Sequence[Diagnostic]:
        """What the checker reports of another text of the document."""
        return wait(self._report(document), until).diagnostics

    def report(self, document: Document, names: Sequence[int], until: float | None) -> CheckerReport:
        """The same, with the definitions of the names at some offsets, see `Reports.of`."""
        return wait(self._report(document, names), until)

    def uncancelled_report(self, document: Document) -> Future[CheckerReport]:
        """The checker's report on a text of the document, which is wanted even once the document is superseded."""
        return self._failed() if self.checker is None else self._reports.of(self.checker, document, Cancellation())

    def ask(self, document: Document, question: Callable[[Query], T], until: float | None) -> T:
        """The answer to a question about a text of the document."""
        if self.checker is None:
            raise CheckerAbsentError(self.absent)
        return wait(self.checker.ask(document, question, cancellation=self._superseded), until)

    def is_checked(self, until: float | None) -> bool:
        """Whether the checker checks the file at all."""
        return wait(self._is_checked, until)

    def is_unchecked_javascript(self, until: float | None) -> bool:
        """Whether this is JavaScript that neither its project nor the file itself has checked."""
        return self.traits.is_checked_on_request and not self.is_checked(until)

    def _report(self, document: Document, names: Sequence[int] = ()) -> Future[CheckerReport]:
        if self.checker is None:
            return self._failed()
        return self._reports.of(self.checker, document, self._superseded, names)

    def _failed(self) -> Future[T]:
        """The answer to any question where there is no checker."""
        future: Future[T] = Future()
        future.set_exception(CheckerAbsentError(self.absent))
        return future


def seconds_until(until: float | None) -> float | None:
    """The seconds that are left up to a time, at least 0; None without one."""
    return None if until is None else max(0.0, until - time.monotonic())


def wait(answer: Future[T], until: float | None) -> T:
    """An answer, which must be there at a time."""
    return answer.result(seconds_until(until))
