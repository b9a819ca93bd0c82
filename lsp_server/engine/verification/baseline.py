"""Judges a text by the checker: which new errors would the document have with this text in it?

A checker is asked about the whole document twice, without the text (the baseline) and with it. An error that is not in
the baseline and touches what the text became part of rejects the text. The parts for each language are in the records
of `languages`; nothing here knows a rule of a language. `Verifier` makes a `Baseline` for each text of a document.
`Judge`, `Verifier` and `inscope generate` call `verify`; rewrites call `new_errors`.

`verify` asks from the outside to the inside, and each method goes on until one answer accepts:

- `_judge` tries one closing after the other: `f(a` may be closed as `f(a)`, or as `f(a=inscope_any)`.
- `_judge_closed` tries one `Fill` of this closing after the other: the arguments that are still to come.
- `_judge_filled` asks the checker, and with `_judge_repaired` tries one import after the other.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from context_index import (
    CLOSES,
    Cancellation,
    CheckerAbsentError,
    CheckerError,
    Edit,
    Imported,
    TypedImport,
    identifiers,
    import_edit,
    imports_of,
    is_syntax_code,
    parse,
    undefined_names,
    word_end,
)
from decoder import PLACEHOLDER
from lsp_server.engine.edits import counterpart, moved
from lsp_server.engine.suggestion import Level
from lsp_server.engine.verification.binding import binding_errors
from lsp_server.engine.verification.candidate import Applied, Candidate, is_about_code, without_comments
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.languages.fill import Fill
from lsp_server.engine.verification.languages.opened import Opened
from lsp_server.engine.verification.repairs import distinct, name_at, with_imports_of_checker, with_imports_of_index
from lsp_server.engine.verification.reports import has_failed
from lsp_server.engine.verification.results import (
    DECLARED_TWICE,
    SYNTAX,
    UNDEFINED_NAME,
    NewErrors,
    Rejected,
    Rejection,
    Unanswered,
    Unverified,
    Verified,
)
from lsp_server.engine.verification.unmeant import declarations, own_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from context_index import Checker, Diagnostic, Document, Item, Query, Signatures, Syntax, Workspace
    from lsp_server.engine.verification.candidate import Span
    from lsp_server.engine.verification.checked_files import CheckedFiles
    from lsp_server.engine.verification.closer import DocumentCloser
    from lsp_server.engine.verification.forms import Forms
    from lsp_server.engine.verification.reports import CheckerReport, Reports
    from lsp_server.engine.verification.results import Verification

T = TypeVar("T")
_Answer = Verified | Rejected | Unverified
"""What comes of a candidate once the checker has answered."""
_IMPORTS_TRIED = 8
"""The most imports that are tried for one text: a line seldom refers to more than a few new names."""
_CLOSINGS_ASKED = 3
"""The most closings of one text that a checker is asked about."""
_CONTINUATIONS_ASKED = 12
"""The most kinds of code a checker is asked about that may come after a text that ends with a blank."""
_CLOSINGS_RANKED = 12
"""The most closings that a checker's parser is asked about where our tree is torn."""
_CLOSINGS_COMPARED = 8
"""The most further closings that are compared with the first, to find those worth asking about."""
_PRIVATE = "#"
"""What a private name of ECMAScript begins with."""


class Baseline:
    """A checker's report on the unchanged document; asked for early, awaited late.

    Two parameters go through its private methods:

    - `until` is when an answer must be there, on `time.monotonic`'s clock; None waits for every answer. Each wait for a
      checker may raise a TimeoutError, a CheckerError or a CancelledError, which `verify` turns into its answer.
    - `fill` says how the judged document is filled in, so that the document with a neutral text, with which it is
      compared, is filled in as well. None if it is judged as it is, without a closing.
    """

    def __init__(  # noqa: PLR0917 - all that the verifier keeps for its documents
        self,
        syntax: Syntax,
        workspace: Workspace,
        reports: Reports,
        checked: CheckedFiles,
        closer: DocumentCloser,
        forms: Forms,
    ) -> None:
        self._syntax, self._closer, self._forms = syntax, closer, forms
        self._record, self._traits = record_of(syntax.language), syntax.language.record
        self._neutral: dict[tuple[Candidate, Fill], Applied] = {}
        """The documents that `_neutral_document` has closed."""
        self._without_text: dict[Candidate, Applied] = {}
        """The documents that `_without` has closed."""
        self._workspace, self._reports = workspace, reports
        self._revision = workspace.checker_world.revision
        self._absent = ""
        """Why there is no checker."""
        self._superseded = Cancellation()
        try:
            self._checker: Checker | None = workspace.checker_of(syntax.document)
        except CheckerAbsentError as error:
            self._checker, self._absent = None, str(error)
        self._unchanged = self._report(syntax.document)
        self._is_checked: Future[bool] = (
            _failed(CheckerAbsentError(self._absent))
            if self._checker is None
            else checked.includes(self._checker, syntax)
        )
        """Whether the checker checks the file at all."""
        self._unfinished: dict[Candidate, Future[_Answer]] = {}
        """The candidates that were not judged in time; some have been judged since."""

    def is_of(self, syntax: Syntax, revision: int) -> bool:
        """Whether nothing has changed since it was asked for, and the parser reads the document alike."""
        present = self._syntax.document, self._syntax.spelling, self._revision
        return present == (syntax.document, syntax.spelling, revision) and not self._has_failed()

    def is_older(self, document: Document) -> bool:
        """Whether a document is a later text of the same one; a slow request may still ask about an earlier text."""
        present = self._syntax.document
        return present.revision < document.revision and present.text != document.text

    def supersede(self) -> None:
        """The document has another text now: candidates for this one are no longer judged."""
        self._superseded.cancel()

    def verify(self, candidate: Candidate, seconds: float | None = None) -> Verification:
        """Judge the document with the candidate and its edits applied.

        First our parser: there may be no more errors than before, and what follows must keep the boundaries of its
        tokens. A text that breaks this may have a form that is newer than our grammar; then the checker's parser is
        asked how to read it. Then the checker. If a name can be imported, it is imported and the whole is verified
        again. A late answer is kept for the next request about the same candidate.

        Args:
            seconds: How long it may take; None waits for every answer.
        """
        until = None if seconds is None else time.monotonic() + seconds
        closings = self._closer.closings(Applied(self._syntax, candidate))
        first = next(closings)
        if not self._is_torn(first) and self._breaks_syntax(first):
            if (respelled := self._respell(candidate, until)) is None:
                return Rejected((_does_not_parse(first),))
            return self.verify(respelled, _seconds_until(until))
        if self._checker is None:
            return Unverified(self._absent)
        try:
            if (late := self._unfinished.get(candidate)) is not None:
                return _wait(late, until)
            return self._judge(self._ranked(chain((first,), closings), until), until)
        except TimeoutError:
            self._finish_in_background(candidate)
            why = "did not answer in time" if self._checker.has_answered else "is reading the project"
            return Unanswered(f"{self._checker.title} {why}")
        except CheckerAbsentError as error:
            return Unverified(str(error))
        except (CheckerError, CancelledError) as error:
            if self._superseded.is_cancelled:
                return Unanswered("The document has changed")
            return Unverified(f"{self._checker.title}: {error}")

    def new_errors(self, edits: Sequence[Edit], seconds: float | None = None) -> NewErrors | Unverified:
        """The errors that the document would have after edits of it, and does not have.

        Args:
            edits: In order and without overlap.
            seconds: How long it may take; None waits for every answer.
        """
        if self._checker is None:
            return Unverified(self._absent)
        document, until = self._syntax.document, None if seconds is None else time.monotonic() + seconds
        syntax = parse(document.edited(edits[::-1], document.revision))
        changed = [*_changed(edits)]
        shown = without_comments(syntax, changed)
        try:
            # with a cancellation that nobody cancels: they are wanted even if the document has changed
            reports = [self._reports.of(self._checker, text, Cancellation()) for text in (shown, document)]
            after, before = (_wait(report, until).diagnostics for report in reports)
            is_unchecked = self._is_unchecked_javascript(until)
            level = Level.TYPES if _wait(self._is_checked, until) else Level.NAMES
        except (TimeoutError, CheckerError, CancelledError) as error:
            return Unverified(f"{self._checker.title}: {error}")
        known = Counter((error.code, error.message, moved(error.start, edits)) for error in before)
        errors = binding_errors(after, is_unchecked=is_unchecked)
        new = _without_counterpart(errors, known, lambda error: counterpart(error.start, edits))
        rejections = [Rejection(error.code, error.message, error.start, error.end, None) for error in new]
        found = NewErrors((*rejections, *(self._new_names(syntax) if is_unchecked else ())), level)
        unnecessary = [hint for hint in after if hint.is_unnecessary]
        is_unreachable = any(is_about_code(hint, syntax, span) for hint in unnecessary for span in changed)
        unreachable = self._traits.checker.reports_unreachable
        return Unverified(unreachable) if unreachable and is_unreachable and not found.errors else found

    def _new_names(self, after: Syntax) -> Iterator[Rejection]:
        """Names that the document newly refers to and nothing defines, by our own scopes."""
        known = self._workspace.names_at(self._syntax, len(self._syntax.document.text))
        old = undefined_names(self._syntax, known)
        for name, (start, end) in undefined_names(after, known).items():
            if name not in old:
                yield _not_defined(name, start, end, None)

    def _finish_in_background(self, candidate: Candidate) -> None:
        """Go on judging a candidate, for the next request that asks about it."""
        if candidate in self._unfinished:
            return
        late = self._unfinished[candidate] = Future[_Answer]()

        def judge() -> None:
            try:
                closings = self._closer.closings(Applied(self._syntax, candidate))
                late.set_result(self._judge(self._ranked(closings, None), None))
            except BaseException as fault:  # noqa: BLE001 - raised again where the answer is wanted
                self._unfinished.pop(candidate)
                late.set_exception(fault)

        Thread(target=judge, name="inscope-late", daemon=True).start()

    def _respell(self, candidate: Candidate, until: float | None) -> Candidate | None:
        """The candidate with the spelling in which our parser reads it, if the checker's parser reads it as it is.

        None if that does not help. What the text leaves open is no fault: the checker's parser misses it only at the
        text's end and after it.
        """
        if candidate.spelling or self._checker is None:
            return None
        applied = Applied(self._syntax, candidate)
        read = self._forms.read(applied.with_text, applied.inserted[1], _seconds_until(until), applied.inserted)
        spelling = read.spelling[slice(*applied.inserted)]
        return replace(candidate, spelling=spelling) if spelling != candidate.text else None

    def _breaks_syntax(self, closed: Applied) -> bool:
        """Whether our parser finds a new syntax error because of the text, although what it leaves open is closed.

        Args:
            closed: The first closing, which has the fewest faults.
        """
        errors = closed.syntax.errors
        if errors == self._syntax.errors and not self._closer.keeps_boundaries(closed):
            return True
        if not errors:
            return False
        return errors > self._closer.without(closed).syntax.errors

    def _is_torn(self, closed: Applied) -> bool:
        """Whether our tree may be wrong because of a preprocessor, so that only the checker's parser can read it."""
        return self._checker is not None and self._closer.is_torn(closed)

    def _ranked(self, closings: Iterator[Applied], until: float | None) -> Iterator[Applied]:
        """The same closings; where our tree is torn, those in which the checker's parser finds no fault come first.

        A fault is one that the document without the text has not, in its best closing. Where there is no text, each is.
        """
        first = next(closings)
        if not self._is_torn(first):
            yield from chain((first,), closings)
            return
        least = self._faults(self._without(first, until), until) if first.candidate.text else self._no_faults
        others: list[tuple[tuple[int, bool, int], int, Applied]] = []
        likeliest_first = sorted(
            islice(chain((first,), closings), _CLOSINGS_RANKED), key=self._closer.leaves_block_open
        )
        for index, closed in enumerate(likeliest_first):
            faults = self._faults(closed, until)
            if faults <= least:
                yield closed
            else:
                others.append((faults, index, closed))
        yield from (closed for *_, closed in sorted(others, key=lambda ranked: ranked[:2]))

    @property
    def _no_faults(self) -> tuple[int, bool, int]:
        """What `_faults` says of a document without faults: the first one is behind its end."""
        return -len(self._syntax.document.text) - 1, False, 0

    def _faults(self, closed: Applied, until: float | None) -> tuple[int, bool, int]:
        """How badly the checker's parser reads a closed document from the text on; the least is the best closing.

        Three things are compared, one after the other:

        - The negative place of the first fault. If a block is left open, or closed twice, the next function is a fault,
          and the parser may give up there. So the number of faults says little.
        - Whether the block is left open, by its tokens.
        - How many errors there are outside of the text.
        """
        errors = [error for error in _wait(self._report(closed.overlay), until).diagnostics if error.is_error]
        faults = [
            closed.before_edits(error.start) for error in errors if error.is_syntax and error.end > closed.inserted[0]
        ]
        places = (closed.candidate.offset if place is None else place for place in faults)
        first = -min(places, default=-self._no_faults[0])
        elsewhere = sum(not _touches(error, closed.inserted) for error in errors)
        return first, self._closer.leaves_block_open(closed), elsewhere

    def _without(self, closed: Applied, until: float | None) -> Applied:
        """See `DocumentCloser.without`; where our tree is torn, in the closing that the checker's parser reads best."""
        without = self._closer.without(closed)
        if not self._is_torn(without):
            return without
        candidate = without.candidate
        if candidate not in self._without_text:
            self._without_text[candidate] = next(
                self._ranked(self._closer.closings(Applied(self._syntax, candidate)), until)
            )
        return self._without_text[candidate]

    def _judge(self, closings: Iterator[Applied], until: float | None) -> _Answer:
        """The answer on a candidate that is closed in one way after the other until the checker accepts one.

        Another closing is tried if the checker's parser finds a fault in the first, and if the text is read otherwise
        with it: what looks like an undefined name may become a parameter. If the checker accepts none, the answer is
        the first of these: an acceptance by a parser that finds a fault in the closing, a rejection for another reason
        than syntax, the answer on the first closing.

        Args:
            closings: From `DocumentCloser.closings`; there is one at least.
        """
        first = next(closings)
        answer = self._judge_closed(first, until)
        if not isinstance(answer, Rejected) and not _lacks_other_closing(answer, first):
            return answer
        answers = [answer]
        for closed in islice(closings, _CLOSINGS_COMPARED) if self._may_be_closed_otherwise(first, answer) else ():
            if isinstance(answer, Rejected) and not self._is_worth_asking(closed, first, answer):
                continue
            other = self._judge_closed(closed, until)
            if not isinstance(other, Rejected) and not _lacks_other_closing(other, closed):
                return other
            answers.append(other)
            if len(answers) == _CLOSINGS_ASKED:
                break
        if (continued := self._judge_continued(first, answer, until)) is not None:
            return continued
        accepted = (other for other in answers if not isinstance(other, Rejected))
        of_meaning = (other for other in answers if isinstance(other, Rejected) and not _is_of_syntax(other))
        return next(chain(accepted, of_meaning), answer)

    def _judge_continued(self, first: Applied, answer: _Answer, until: float | None) -> _Answer | None:
        """The answer on a rejected text that goes on; None if nothing that may come next makes it right.

        A name that nothing defines stays wrong, unless the text's last token is no name any more: `async ` before `()`
        is a keyword, and `(row) ` before `=>` declares `row`. `row ` before `=>` would, too, but so would each name.

        Languages with a preprocessor are left out: clang checks nothing of an initialiser that has a name it does not
        know, such as our placeholder, so `{ .no_such_field = 1, ` would become right.
        """
        if not isinstance(answer, Rejected) or self._traits.lexis.directive:
            return None
        lacks_name = any(self._is_unresolved(error.code) and error.inside for error in answer.rejections)
        continuations = (
            closed
            for closed in self._closer.continuations(Applied(self._syntax, first.candidate))
            if not lacks_name or not (closed.ends_with_name or closed.reading[0] == first.reading[0])
        )
        for closed in islice(continuations, _CONTINUATIONS_ASKED):
            other = self._judge_closed(closed, until)
            if isinstance(other, Verified) and other.closed_parses:
                return other
        return None

    def _may_be_closed_otherwise(self, first: Applied, answer: _Answer) -> bool:
        """Whether further closings are looked at, after the answer on the first.

        After errors of types they are where the text may be in a comprehension: `[row.id` may go on with `for`.
        """
        if not isinstance(answer, Rejected) or self._may_be_read_otherwise(answer):
            return True
        return bool(first.closing) and bool(self._record.comprehensions)

    def _may_be_read_otherwise(self, rejected: Rejected) -> bool:
        """Whether a text with these errors may be right if it is another kind of code: `(a` begins a parameter list."""
        return _is_of_syntax(rejected) or any(self._is_unresolved(error.code) for error in rejected.rejections)

    def _is_unresolved(self, code: str) -> bool:
        """Whether a code is of an error at a name that nothing defines."""
        return code == UNDEFINED_NAME or code in self._record.unresolved

    def _is_worth_asking(self, closed: Applied, first: Applied, rejected: Rejected) -> bool:
        """Whether a checker may accept a further closing, after it has rejected the first.

        That depends on the error, and on whether one of the closing's insertions begins with a closing bracket:

        - After a syntax error: if a bracket is closed, or the text is read as in the first.
        - After an undefined name: if a bracket is closed and the text is read otherwise, as `(a` with `) => {}`.
        - After another error: if a bracket is closed and the text is in a comprehension now.
        """
        is_bracket = any(edit.text.lstrip()[:1] in (*CLOSES, ">") for edit in closed.closing)
        (inside, around), (first_inside, first_around) = closed.reading, first.reading
        if _is_of_syntax(rejected):
            return is_bracket or (inside, around) == (first_inside, first_around)
        if self._may_be_read_otherwise(rejected):
            return is_bracket and (inside, around) != (first_inside, first_around)
        return is_bracket and any(kind.endswith(self._record.comprehensions) for kind in {*around} - {*first_around})

    def _judge_closed(self, closed: Applied, until: float | None) -> _Answer:
        """The answer on a closed candidate that is filled in one way after the other until the checker accepts one.

        If it accepts none, the answer is the rejection with the fewest errors: what is still to come is no fault of the
        text. A document that was asked about already is left out, as is `YIELDING` if it brings errors that the fill
        before had not.
        """
        rejected: list[Rejected] = []
        asked: list[Applied] = []
        for fill in self._fills(closed):
            filled = closed if fill is None else self._fill_in(closed, fill, asked[-1] if asked else None, until)
            if filled is None or any(filled.closing == earlier.closing for earlier in asked):
                continue
            if fill is Fill.YIELDING and not self._errors(filled, until) <= self._errors(asked[-1], until):
                continue  # what is around the text is no generator
            answer = self._judge_filled(filled, fill, until)
            if not isinstance(answer, Rejected):
                return answer
            rejected.append(answer)
            asked.append(filled)
            if any(self._is_unresolved(error.code) and error.inside for error in answer.rejections):
                break  # nothing that is filled in defines a name of the text
        return min(rejected, key=lambda answer: len(answer.rejections))

    def _errors(self, applied: Applied, until: float | None) -> set[tuple[str, str]]:
        """Codes and messages of the errors in a closed document, besides those in what closes it."""
        return {
            (error.code, error.message)
            for error in _wait(self._report(applied.overlay), until).diagnostics
            if error.is_error and not applied.is_in_closing(error.start, error.end)
        }

    def _fills(self, closed: Applied) -> Iterator[Fill | None]:
        """The ways in which a text is judged, the strictest first. None fills nothing in, and needs no closing."""
        if not closed.closing:
            yield None
        yield from Fill

    def _fill_in(self, closed: Applied, fill: Fill, asked: Applied | None, until: float | None) -> Applied | None:
        """A closed document with what is still to come; None if nothing is still to come and nothing closes it.

        Args:
            asked: The same document as the checker was asked about it last, filled in otherwise; None at first. The
                record reads from its errors what is missing; their places are moved to `closed`.
        """
        diagnostics: list[Diagnostic] = []
        if asked is not None:
            for diagnostic in _wait(self._report(asked.overlay), until).diagnostics:
                ends = diagnostic.start, diagnostic.end
                start, end = (closed.place(asked.without_edits(offset)) for offset in ends)
                diagnostics.append(replace(diagnostic, start=start, end=end))
        edits = self._record.filled(Opened(closed), fill, diagnostics, _Questions(self, closed, until))
        if not edits:
            return closed if closed.closing else None
        return closed.closed(edits)

    def _judge_filled(
        self, applied: Applied, fill: Fill | None, until: float | None, tries: Iterator[int] | None = None
    ) -> _Answer:
        """The answer on a candidate, closed and filled in; if it lacks imports, on the candidate with these.

        Args:
            tries: One item for each import that may still be tried.
        """
        # TypeScript reports no functions that JavaScript declares twice
        members, declared = applied.members, applied.declared if self._traits.is_checked_on_request else ()
        calls = own_calls(applied)
        report = _wait(self._report(applied.overlay, (*members, *declared, *calls.places)), until)
        diagnostics = report.diagnostics
        new = self._beyond_baseline(applied, fill, diagnostics, until)
        touching = [error for error in new if self._counts_against(error, applied, fill, until)]
        elsewhere = tuple(_rejection(error, applied) for error in new if error not in touching)
        undefined = self._undefined(applied, until)
        if again := [_declared_again(name, applied) for name in declared if _is_declared(name, applied, report)]:
            return Rejected(tuple(again), elsewhere)
        if touching or undefined:
            repairs = self._repairs(applied, touching, undefined, diagnostics, until)
            tries = iter(range(_IMPORTS_TRIED)) if tries is None else tries
            rejections = [*undefined.values(), *(_rejection(error, applied) for error in touching)]
            repaired = self._judge_repaired(repairs, fill, until, tries)
            return repaired or Rejected(tuple(sorted(rejections, key=lambda error: error.start)), elsewhere)
        unreachable = self._traits.checker.reports_unreachable
        if unreachable and any(hint.is_unnecessary and applied.has_code_in(hint) for hint in diagnostics):
            return Unverified(unreachable)
        unverified = [member for member in members if not report.definitions[member]]
        verified = self._verified(applied, diagnostics, unverified, elsewhere, until)
        if any(calls.function in report.definitions[name] for name in calls.places):
            return replace(verified, unmeant="The function would only call itself.")
        name = next(self._declared_again(applied), None)
        return verified if name is None else replace(verified, unmeant=f"{name!r} is declared already.")

    def _declared_again(self, applied: Applied) -> Iterator[str]:
        """The names that a text declares although its block does, or a module exports that the file imports from."""
        for declaration in declarations(applied):
            if declaration.is_in_block or (declaration.is_of_module and self._is_exported_to_file(declaration.name)):
                yield declaration.name

    def _is_exported_to_file(self, name: str) -> bool:
        """Whether a module that the file imports from exports a name; False of a name that the file imports.

        That may be declared once it is imported under another name: `from m import A as B` above `class A(B)`.
        """
        imports = tuple(imports_of(self._syntax))
        is_given = any(imported.name == name for statement in imports for imported in statement.names)
        if is_given or self._traits.lexis.directive:
            return False
        modules = dict.fromkeys(statement.module for statement in imports)
        typed = (TypedImport(module, (Imported(name, name),), imports) for module in modules)
        return any(each.typed in self._workspace.exporters(self._syntax, each)[0] for each in typed)

    def _judge_repaired(
        self, repairs: Iterator[Applied], fill: Fill | None, until: float | None, tries: Iterator[int]
    ) -> _Answer | None:
        """The answer on the candidate with the first import with which nothing else in the document becomes wrong.

        If there is none, the answer is on the first that is verified, else on the first with an error in the text. None
        if no answer is worth reporting.
        """
        best: _Answer | None = None
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
            undefined: Names that our own scopes do not know; the checker's errors at these do not bind.
            diagnostics: Everything that the checker reports.
        """
        places = {rejection.start for rejection in undefined.values()}
        at_undefined = [error for error in diagnostics if applied.without_edits(error.start) in places]
        names = {error: name for error in (*at_undefined, *errors) if (name := name_at(error, applied)) is not None}
        wanted = dict.fromkeys((*filter(applied.candidate.may_import, undefined), *names.values()))
        offers = [
            with_imports_of_index(applied, wanted, partial(self._imports_of, applied=applied)),
            with_imports_of_checker(
                applied, names, lambda document, question: _wait(self.asked(document, question), until)
            ),
        ]
        is_index_first = self._traits.checker.imports_from_index or self._is_unchecked_javascript(until)
        return distinct(chain.from_iterable(offers if is_index_first else reversed(offers)))

    def _counts_against(self, error: Diagnostic, applied: Applied, fill: Fill | None, until: float | None) -> bool:
        """Whether a new error counts against the text: it touches what the text became part of, or what comes along.

        An error at the import of a name that the text declares is the text's as well. A syntax error counts wherever it
        is, unless it is also reported with a name in place of the text: in a broken document, a text may mend one error
        and cause another far below.
        """
        if any(_touches(error, part) for part in (*applied.extent, *applied.documentation, *applied.other_edits)):
            return True
        if applied.is_import_of_declared(error):
            return True
        if not error.is_syntax:
            return False
        unchanged = _wait(self._unchanged, until).diagnostics
        parsed = not any(known.is_error and known.is_syntax for known in unchanged)
        return parsed or not self._is_reported_anyway(error, applied, fill, until)

    def _verified(
        self,
        applied: Applied,
        diagnostics: tuple[Diagnostic, ...],
        members: Sequence[int],
        elsewhere: tuple[Rejection, ...],
        until: float | None,
    ) -> Verified:
        """What is verified of an accepted text; `unmeant` is left out.

        Args:
            diagnostics: Everything that the checker reports of the document with the text in it.
            members: Those in the text for which it finds no definition.
            elsewhere: New errors that do not count against the text.
        """
        first, _ = applied.inserted
        syntax = applied.syntax
        unverified = tuple((place - first, syntax.end(syntax.node_at(place)) - first) for place in members)
        level = Level.TYPES if _wait(self._is_checked, until) and not unverified else Level.NAMES
        broken = [error for error in diagnostics if error.is_error and error.is_syntax]
        is_complete = not applied.leaves_line_open and not any(
            max(error.start + 1, error.end) > first  # a slip before the text is not the text's to mend
            and any(error.start < end and error.end > start for start, end in applied.extent)
            for error in broken
        )
        is_cut_off = (
            bool(broken) and applied.is_followed and any(_touches(error, applied.following) for error in broken)
        )
        is_open = bool(applied.closing) and applied.opens_more_than(self._without(applied, until))
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
        """See `Verified.unexported`."""
        if not any(PLACEHOLDER in edit.text for edit in applied.closing):
            return None
        syntax, (start, end) = applied.syntax, applied.inserted
        written = {syntax.text(node): syntax.span(node) for node in identifiers(syntax, applied.inserted)}
        imports = imports_of(applied.syntax)
        others = tuple(statement for statement in imports if statement.module != PLACEHOLDER)
        for name in chain.from_iterable(item.names for item in imports if item.module == PLACEHOLDER):
            place = written.get(name.name)
            if place is None:
                continue
            modules, has_more = self._workspace.exporters(applied.syntax, TypedImport("", (name,), others))
            if not (modules or has_more):
                return place[0] - start, min(place[1], end) - start
        return None

    def _beyond_baseline(
        self, applied: Applied, fill: Fill | None, diagnostics: Sequence[Diagnostic], until: float | None
    ) -> list[Diagnostic]:
        """The errors that bind and that the baseline does not have with the same code and message at the same place.

        An error that touches what the text became part of is old only if it is also reported with a name in place of
        the text. One at the module of an import that the text is in never is: what a module exports that nobody finds
        is not known. An error in what closes the document is not the text's.
        """
        errors = [
            error
            for error in binding_errors(diagnostics, is_unchecked=self._is_unchecked_javascript(until))
            if not applied.is_about_closing(error) and not self._is_mendable(error, applied)
        ]
        if not errors:
            return []  # without waiting for the baseline
        bound_later = self._record.bound_later(applied)
        known, to_come = self._known_errors(applied, fill, bound_later.open, until)
        errors = [error for error in errors if not (self._is_unresolved(error.code) and error.message in to_come)]

        def is_old(error: Diagnostic) -> bool:
            if bound_later.closed and _touches(error, bound_later.closed) and self._is_unresolved(error.code):
                return False
            if applied.specifier is not None and _touches(error, applied.specifier):
                return False
            is_around = any(_touches(error, part) for part in applied.extent)
            return not is_around or self._is_reported_anyway(error, applied, fill, until)

        return list(_without_counterpart(errors, known, lambda error: error.start, is_old))

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
        for error in _wait(self._report(baseline.document), until).diagnostics:
            start, end = baseline.before_edits(error.start), baseline.before_edits(error.end)
            if start is None or (start <= cursor and (end is None or cursor <= end)):
                continue
            place = applied.after(start)
            known[error.code, error.message, place] += 1
            if self._is_unresolved(error.code) and open_brackets and open_brackets[0] <= place:
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
        name of ours, it shows which errors come with any text. A document for `Fill.BARE` is filled in all the same:
        without its arguments it has errors that would excuse the text's own.

        Args:
            text: Nothing, or a name of ours.
        """
        candidate = replace(applied.candidate, text=text, edits=(), spelling="")
        # a parser behind a preprocessor gives up at an open bracket: without a text that closes one, we do
        if fill is None and not self._traits.lexis.directive:
            return Applied(self._syntax, candidate) if text else Applied(self._syntax, replace(candidate, replaces=0))
        fill = Fill.FILLED if fill in {None, Fill.BARE} else fill
        key = candidate, fill
        if key not in self._neutral:
            self._neutral[key] = self._close_neutrally(candidate, fill, until)
        return self._neutral[key]

    def _close_neutrally(self, candidate: Candidate, fill: Fill, until: float | None) -> Applied:
        """A document with a neutral text, in the first closing in which the checker's parser finds no fault."""
        tried: list[Applied] = []
        closings = self._ranked(self._closer.closings(Applied(self._syntax, candidate)), until)
        for closed in islice(closings, _CLOSINGS_ASKED):
            bare = self._fill_in(closed, Fill.BARE, None, until) or closed
            tried.append(bare)
            diagnostics = _wait(self._report(bare.document), until).diagnostics
            if not any(error.is_error and error.is_syntax for error in diagnostics):
                return self._fill_in(closed, fill, bare, until) or bare
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
        reported = _wait(self._report(probe.document), until).diagnostics
        return (error.code, error.message, start) in {(other.code, other.message, other.start) for other in reported}

    def _undefined(self, applied: Applied, until: float | None) -> dict[str, Rejection]:
        """Names of the text that nothing defines, by our own scopes; none unless the file is unchecked JavaScript.

        Private names are looked up in TypeScript and checked JavaScript, too: TypeScript, if it is not strict, accepts
        `this.#name` in an object.
        """
        if not self._traits.is_checked_on_request:
            return {}
        only_private = not self._is_unchecked_javascript(until)
        if only_private and _PRIVATE not in applied.candidate.text:
            return {}
        known = self._workspace.names_at(self._syntax, applied.candidate.offset)
        start, end = applied.inserted
        undefined = {}
        for name, (first, last) in applied.undefined(known).items():
            if only_private and not name.startswith(_PRIVATE):
                continue
            inside = (max(first, start) - start, min(last, end) - start) if last > start else None
            place = applied.without_edits(first)
            undefined[name] = _not_defined(name, place, place + len(name), inside)
        return undefined

    def _imports_of(self, name: str, applied: Applied) -> Iterator[Edit]:
        """The edits that import a name, as edits of the document with the text in it.

        Without the text, the tree of a document may be broken up to its first line. Of installed packages, the index
        offers only names that begin with the word at the cursor.
        """
        importable = self._workspace.context(self._syntax, applied.candidate.offset).importable
        around = self._workspace.module_kind(self._syntax.document)
        return (import_edit(applied.syntax, item, around) for item in importable if item.text == name)

    def _report(self, document: Document, names: Sequence[int] = ()) -> Future[CheckerReport]:
        """The checker's report on a document; `names` are offsets, see `Reports.of`."""
        if self._checker is None:
            return _failed(CheckerAbsentError(self._absent))
        return self._reports.of(self._checker, document, self._superseded, names)

    def asked(self, document: Document, question: Callable[[Query], T]) -> Future[T]:
        """The answer to a question about a document."""
        if self._checker is None:
            return _failed(CheckerAbsentError(self._absent))
        return self._checker.ask(document, question, cancellation=self._superseded)

    def _is_unchecked_javascript(self, until: float | None) -> bool:
        """Whether this is JavaScript that neither its project nor the file itself has checked."""
        return self._traits.is_checked_on_request and not _wait(self._is_checked, until)

    def _has_failed(self) -> bool:
        return has_failed(self._unchanged) or has_failed(self._is_checked)


@dataclass(frozen=True, slots=True)
class _Questions:
    """The questions of `languages.fill.Asked`, put to a baseline's checker about one closed document."""

    baseline: Baseline
    closed: Applied
    until: float | None

    def signatures(self, place: int, text: str) -> Signatures | None:
        """See `Asked`."""
        return self._answer(place, text, lambda query: query.signatures(place + len(text)))

    def completions(self, place: int, text: str) -> Sequence[Item]:
        """See `Asked`."""
        return self._answer(place, text, lambda query: query.completions(place + len(text)))

    def _answer(self, place: int, text: str, question: Callable[[Query], T]) -> T:
        document = self.closed.document
        with_text = document.edited([Edit(place, place, text)], document.revision)
        return _wait(self.baseline.asked(with_text, question), self.until)


def _changed(edits: Sequence[Edit]) -> Iterator[Span]:
    """The spans of the edits' texts in the document after all edits. The edits are in order."""
    return ((start := moved(edit.start, edits), start + len(edit.text)) for edit in edits if edit.text)


def _seconds_until(until: float | None) -> float | None:
    return None if until is None else max(0.0, until - time.monotonic())


def _wait(answer: Future[T], until: float | None) -> T:
    return answer.result(_seconds_until(until))


def _failed(error: Exception) -> Future[T]:
    future: Future[T] = Future()
    future.set_exception(error)
    return future


def _without_counterpart(
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


def _does_not_parse(applied: Applied) -> Rejection:
    """The rejection of a whole text: a tree does not say which part of it is wrong."""
    start, end = applied.inserted
    place = applied.without_edits(start), applied.without_edits(end)
    return Rejection(SYNTAX, "it breaks the file's syntax", *place, (0, end - start))


def _is_of_syntax(rejected: Rejected) -> bool:
    """Whether a parser of a checker rejects a text."""
    return any(is_syntax_code(error.code) for error in rejected.rejections)


def _lacks_other_closing(answer: Verified | Unverified, closed: Applied) -> bool:
    """Whether a checker's parser finds a fault in what closes the text, though it rejects nothing of the text."""
    return isinstance(answer, Verified) and not answer.closed_parses and bool(closed.closing)


def _not_defined(name: str, start: int, end: int, inside: Span | None) -> Rejection:
    return Rejection(UNDEFINED_NAME, f"'{name}' is not defined here", start, end, inside)


def _is_declared(name: int, applied: Applied, report: CheckerReport) -> bool:
    """Whether the document has another declaration of the name at an offset, outside of comments."""
    places = (place for place in report.definitions[name] if place is not None and not applied.is_in_comment(place))
    return any(place != name for place in places)


def _declared_again(name: int, applied: Applied) -> Rejection:
    """The rejection of a text that declares the name at an offset, which the file declares already."""
    start, end = applied.inserted
    stop = word_end(applied.document.text, name)
    place = applied.without_edits(name), applied.without_edits(stop)
    message = f"'{applied.document.text[name:stop]}' is declared in this file already"
    return Rejection(DECLARED_TWICE, message, *place, (max(name, start) - start, min(stop, end) - start))


def _rejection(error: Diagnostic, applied: Applied) -> Rejection:
    start, end = applied.inserted
    first, last = max(error.start, start), min(error.end, end)
    inside = (first - start, last - start) if first < last or (first == last and start <= first < end) else None
    place = applied.without_edits(error.start), applied.without_edits(error.end)
    return Rejection(error.code, error.message, *place, inside)


def _touches(error: Diagnostic, part: Span) -> bool:
    """Whether an error and a part of the text have a character in common; an empty one counts as one character."""
    start, end = part
    return error.start < max(end, start + 1) and max(error.end, error.start + 1) > start
