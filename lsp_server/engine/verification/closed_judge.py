"""Judges a document in which a text is closed in one way: the errors that are new with the text reject it.

A text that lacks imports is judged with one import after the other. Knows nothing of other ways to close the text.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from context_index import import_edit
from lsp_server.engine.verification.appraisal import Appraisal
from lsp_server.engine.verification.comparison import Comparison
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.languages.fill import Fill
from lsp_server.engine.verification.placeholders import Placeholders
from lsp_server.engine.verification.rejections import (
    declared_again,
    is_declared,
    is_unresolved,
    not_defined,
    rejection_of,
)
from lsp_server.engine.verification.repairs import distinct, name_at, with_imports_of_checker, with_imports_of_index
from lsp_server.engine.verification.results import Rejected, Rejection, Unverified, Verified
from lsp_server.engine.verification.unmeant import own_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from context_index import Diagnostic, Edit
    from lsp_server.engine.verification.applied import Applied
    from lsp_server.engine.verification.checked_document import CheckedDocument
    from lsp_server.engine.verification.closer import DocumentCloser
    from lsp_server.engine.verification.closing_ranking import ClosingRanking
    from lsp_server.engine.verification.reports import CheckerReport
    from lsp_server.engine.verification.results import Answered
    from lsp_server.engine.verification.unmeant import OwnCalls

_IMPORTS_TRIED = 8
"""The most imports that are tried for one text: a line seldom refers to more than a few new names."""
_PRIVATE = "#"
"""What a private name of ECMAScript begins with."""


class ClosedJudge:
    """Judges closed texts of one document.

    Two parameters go through its methods: `until` is when an answer must be there, see `checked_document`, whose errors
    each method may raise; `fill` says how the judged document is filled in, None if nothing closes it.
    """

    def __init__(self, document: CheckedDocument, closer: DocumentCloser, ranking: ClosingRanking) -> None:
        self._document, self._record = document, record_of(document.syntax.language)
        self._placeholders = Placeholders(document)
        self._comparison = Comparison(document, closer, ranking, self._placeholders)
        self._appraisal = Appraisal(document, ranking)

    def answer(self, closed: Applied, until: float | None) -> Answered:
        """The answer on a closed text, which is filled in one way after the other until the checker accepts one.

        If it accepts none, the answer is the rejection with the fewest errors, and of these the last: what is still to
        come is no fault of the text. The first `Fill` is always asked about. A later one is left out if it fills in
        what was asked about already, as is `YIELDING` if it brings errors that the fill before had not.
        """
        rejected: list[Rejected] = []
        asked: list[Applied] = []
        for fill in self._placeholders.fills(closed):
            last = asked[-1] if asked else None
            filled = closed if fill is None else self._placeholders.filled(closed, fill, last, until)
            if filled is None or any(filled.closing == earlier.closing for earlier in asked):
                continue
            if fill is Fill.YIELDING and not self._errors(filled, until) <= self._errors(asked[-1], until):
                continue  # what is around the text is no generator
            answer = self._judge_filled(filled, fill, until)
            if not isinstance(answer, Rejected):
                return answer
            rejected.append(answer)
            asked.append(filled)
            if self.lacks_name(answer):
                break  # nothing that is filled in defines a name of the text
        return min(reversed(rejected), key=lambda answer: len(answer.rejections))

    def lacks_name(self, rejected: Rejected) -> bool:
        """Whether the text itself has a name that nothing defines."""
        return any(is_unresolved(error.code, self._record) and error.inside for error in rejected.rejections)

    def _errors(self, applied: Applied, until: float | None) -> set[tuple[str, str]]:
        """Codes and messages of the errors in a closed document, besides those in what closes it."""
        return {
            (error.code, error.message)
            for error in self._document.diagnostics(applied.overlay, until)
            if error.is_error and not applied.is_in_closing(error.start, error.end)
        }

    def _judge_filled(
        self, applied: Applied, fill: Fill | None, until: float | None, tries: Iterator[int] | None = None
    ) -> Answered:
        """The answer on a text, closed and filled in; if it lacks imports, on the text with these.

        Args:
            tries: One item for each import that may still be tried.
        """
        members, calls = applied.members, own_calls(applied)
        # TypeScript reports no functions that JavaScript declares twice
        declared = applied.declared if self._document.traits.is_checked_on_request else ()
        report = self._document.report(applied.overlay, (*members, *declared, *calls.places), until)
        new = self._comparison.new_errors(applied, fill, report.diagnostics, until)
        touching = [error for error in new if self._comparison.counts_against(error, applied, fill, until)]
        elsewhere = tuple(rejection_of(error, applied) for error in new if error not in touching)
        undefined = self._undefined(applied, until)
        if again := [declared_again(name, applied) for name in declared if is_declared(name, applied, report)]:
            return Rejected(tuple(again), elsewhere)
        if touching or undefined:
            repairs = self._repairs(applied, touching, undefined, report.diagnostics, until)
            tries = iter(range(_IMPORTS_TRIED)) if tries is None else tries
            rejections = [*undefined.values(), *(rejection_of(error, applied) for error in touching)]
            repaired = self._judge_repaired(repairs, fill, until, tries)
            return repaired or Rejected(tuple(sorted(rejections, key=lambda error: error.start)), elsewhere)
        return self._accepted(applied, report, calls, elsewhere, until)

    def _accepted(
        self,
        applied: Applied,
        report: CheckerReport,
        calls: OwnCalls,
        elsewhere: tuple[Rejection, ...],
        until: float | None,
    ) -> Verified | Unverified:
        """The answer on a text that nothing rejects: what is known of it, and whether anybody may mean it."""
        unreachable = self._document.traits.checker.reports_unreachable
        if unreachable and any(hint.is_unnecessary and applied.has_code_in(hint) for hint in report.diagnostics):
            return Unverified(unreachable)
        unverified = [member for member in applied.members if not report.definitions[member]]
        verified = self._appraisal.verified(applied, report.diagnostics, unverified, elsewhere, until)
        if any(calls.function in report.definitions[name] for name in calls.places):
            return replace(verified, unmeant="The function would only call itself.")
        name = next(self._appraisal.names_declared_again(applied), None)
        return verified if name is None else replace(verified, unmeant=f"{name!r} is declared already.")

    def _judge_repaired(
        self, repairs: Iterator[Applied], fill: Fill | None, until: float | None, tries: Iterator[int]
    ) -> Answered | None:
        """The answer on the candidate with the first import with which nothing else in the document becomes wrong.

        If there is none, the answer is on the first that is verified, else on the first with an error in the text. None
        if no answer is worth reporting.
        """
        best: Answered | None = None
        for repaired in repairs:
            if next(tries, None) is None:
                break
            answer = self._judge_filled(repaired, fill, until, tries)
            if isinstance(answer, Verified) and not answer.errors_elsewhere:
                return answer
            is_worth_saying = not isinstance(answer, Rejected) or any(error.inside for error in answer.rejections)
            if is_worth_saying and (best is None or (isinstance(best, Rejected) and isinstance(answer, Verified))):
                best = answer
        return best

    def _repairs(
        self,
        applied: Applied,
        errors: Sequence[Diagnostic],
        undefined: Mapping[str, Rejection],
        diagnostics: Sequence[Diagnostic],
        until: float | None,
    ) -> Iterator[Applied]:
        """The candidate with each import that it may lack, from the index (the nearest first) and from the checker.

        The checker's come first in TypeScript and checked JavaScript, where it knows the settings for how modules are
        written. Python has one way to write them, and ty's first list takes seconds.

        Args:
            errors: Those that reject the candidate.
            undefined: Names that our own scopes do not know; the checker's errors at these reject nothing.
            diagnostics: Everything that the checker reports.
        """
        places = {rejection.start for rejection in undefined.values()}
        at_undefined = [error for error in diagnostics if applied.without_edits(error.start) in places]
        names = {error: name for error in (*at_undefined, *errors) if (name := name_at(error, applied)) is not None}
        wanted = dict.fromkeys((*filter(applied.candidate.may_import, undefined), *names.values()))
        offers = [
            with_imports_of_index(applied, wanted, partial(self._imports_of, applied=applied)),
            with_imports_of_checker(
                applied, names, lambda document, question: self._document.ask(document, question, until)
            ),
        ]
        document = self._document
        is_index_first = document.traits.checker.imports_from_index or document.is_unchecked_javascript(until)
        return distinct(chain.from_iterable(offers if is_index_first else reversed(offers)))

    def _undefined(self, applied: Applied, until: float | None) -> dict[str, Rejection]:
        """Names of the text that nothing defines, by our own scopes; none unless the file is unchecked JavaScript.

        Private names are looked up in TypeScript and checked JavaScript, too: TypeScript, if it is not strict, accepts
        `this.#name` in an object.
        """
        if not self._document.traits.is_checked_on_request:
            return {}
        only_private = not self._document.is_unchecked_javascript(until)
        if only_private and _PRIVATE not in applied.candidate.text:
            return {}
        known = self._document.workspace.names_at(self._document.syntax, applied.candidate.offset)
        start, end = applied.inserted
        undefined = {}
        for name, (first, last) in applied.undefined(known).items():
            if only_private and not name.startswith(_PRIVATE):
                continue
            inside = (max(first, start) - start, min(last, end) - start) if last > start else None
            place = applied.without_edits(first)
            undefined[name] = not_defined(name, place, place + len(name), inside)
        return undefined

    def _imports_of(self, name: str, applied: Applied) -> Iterator[Edit]:
        """The edits that import a name, as edits of the document with the text in it.

        Without the text, the tree of a document may be broken up to its first line. Of installed packages, the index
        offers only names that begin with the word at the cursor.
        """
        importable = self._document.workspace.context(self._document.syntax, applied.candidate.offset).importable
        around = self._document.workspace.module_kind(self._document.syntax.document)
        return (import_edit(applied.syntax, item, around) for item in importable if item.text == name)
