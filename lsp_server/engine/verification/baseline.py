"""The compilers judge: which new errors would the document have with this text in it?

A checker is asked about the whole document twice, without the text (the baseline) and with it. An error that is not in
the baseline and touches what the text became part of rejects the text. Nothing here knows a rule of a language.
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
from lsp_server.engine.verification.candidate import Applied, Candidate, without_comments
from lsp_server.engine.verification.closings import Fill, Opened, closing_record
from lsp_server.engine.verification.recursion import own_calls
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from context_index import Checker, Diagnostic, Document, Item, Query, Signatures, Syntax, Workspace
    from lsp_server.engine.verification.candidate import Span
    from lsp_server.engine.verification.checked_files import CheckedFiles
    from lsp_server.engine.verification.closings import DocumentCloser
    from lsp_server.engine.verification.forms import Forms
    from lsp_server.engine.verification.reports import CheckerReport, Reports
    from lsp_server.engine.verification.results import Verification

T = TypeVar("T")
_TRIES = 8
"""The most imports that are tried for one text: a line seldom refers to more than a few new names."""
_CLOSINGS = 3
"""The most closings of one text that a checker is asked about."""
_LOOKED_AT = 8
"""The most others that are compared with the first."""
_PRIVATE = "#"
"""What a private name of ECMAScript begins with."""


class Baseline:
    """A checker's report on the unchanged document; asked for early, awaited late."""

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
        self._record, self._traits = closing_record(syntax.language), syntax.language.record
        self._neutral: dict[tuple[Candidate, Fill], Applied] = {}
        """Documents with nothing, or with a name of ours, in place of a text, closed."""
        self._workspace, self._reports = workspace, reports
        self._revision = workspace.checker_world.revision
        self._absent = ""
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
        self._unfinished: dict[Candidate, Future[Verified | Rejected | Unverified]] = {}
        """The candidates that were not judged in time; some have been judged since."""

    def is_of(self, syntax: Syntax, revision: int) -> bool:
        """Whether nothing has changed since it was asked for, and the parser reads the document alike."""
        known = self._syntax.document, self._syntax.spelling, self._revision
        return known == (syntax.document, syntax.spelling, revision) and not self._has_failed()

    def is_older(self, document: Document) -> bool:
        """Whether a document is a later text of the same one; a slow request may still ask about an earlier text."""
        own = self._syntax.document
        return own.revision < document.revision and own.text != document.text

    def supersede(self) -> None:
        """The document has another text now: candidates for this one are no longer judged."""
        self._superseded.cancel()

    def verify(self, candidate: Candidate, seconds: float | None = None) -> Verification:
        """Judge the document with the candidate and its edits applied.

        Syntax first: no more errors than before, and what follows keeps the boundaries of its tokens. What breaks it
        the checker may yet read, as a form that is newer than our grammar. Then the checker. A name that can be
        imported is imported, and the whole is verified again.
        A late answer is kept for the next request about the same candidate.

        Args:
            seconds: How long it may take; None waits for every answer.
        """
        until = None if seconds is None else time.monotonic() + seconds
        closings = self._closer.closings(Applied(self._syntax, candidate))
        applied = next(closings)
        if self._breaks_syntax(applied):
            if (respelled := self._respelled(candidate, until)) is None:
                return Rejected((_does_not_parse(applied),))
            return self.verify(respelled, None if until is None else max(0.0, until - time.monotonic()))
        if self._checker is None:
            return Unverified(self._absent)
        try:
            late = self._unfinished.get(candidate)
            return self._judged(chain((applied,), closings), until) if late is None else _wait(late, until)
        except TimeoutError:
            self._finish_in_background(applied)
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
        """
        if self._checker is None:
            return Unverified(self._absent)
        document, until = self._syntax.document, None if seconds is None else time.monotonic() + seconds
        syntax = parse(document.edited(edits[::-1], document.revision))
        shown = without_comments(syntax, _changed(edits))
        try:
            reports = [self._reports.of(self._checker, one, Cancellation()) for one in (shown, document)]
            found, before = (_wait(one, until).diagnostics for one in reports)  # though the document may have changed
            is_unchecked = self._is_unchecked_javascript(until)
            level = Level.TYPES if _wait(self._is_checked, until) else Level.NAMES
        except (TimeoutError, CheckerError, CancelledError) as error:
            return Unverified(f"{self._checker.title}: {error}")
        known = Counter((one.code, one.message, moved(one.start, edits)) for one in before)
        errors = binding_errors(found, is_unchecked=is_unchecked)
        new = _without_counterpart(errors, known, lambda one: counterpart(one.start, edits))
        rejections = [Rejection(one.code, one.message, one.start, one.end, None) for one in new]
        return NewErrors((*rejections, *(self._new_names(syntax) if is_unchecked else ())), level)

    def _new_names(self, after: Syntax) -> Iterator[Rejection]:
        """Names that the document newly refers to and nothing defines, by our own scopes."""
        known = self._workspace.names_at(self._syntax, len(self._syntax.document.text))
        old = undefined_names(self._syntax, known)
        for name, (start, end) in undefined_names(after, known).items():
            if name not in old:
                yield _not_defined(name, start, end, None)

    def _finish_in_background(self, applied: Applied) -> None:
        """Go on judging a candidate, for the next request that asks about it."""
        if applied.candidate in self._unfinished:
            return
        late = self._unfinished[applied.candidate] = Future[Verified | Rejected | Unverified]()

        def judge() -> None:
            try:
                late.set_result(self._judged(self._closer.closings(Applied(self._syntax, applied.candidate)), None))
            except BaseException as fault:  # noqa: BLE001 - raised again where the answer is wanted
                self._unfinished.pop(applied.candidate)
                late.set_exception(fault)

        Thread(target=judge, name="inscope-late", daemon=True).start()

    def _respelled(self, candidate: Candidate, until: float | None) -> Candidate | None:
        """The candidate as our parser is to read it, where only the checker reads it as it is; None where it does not.

        What the text leaves open the checker's parser misses at its end, and after it, only.
        """
        if candidate.spelling or self._checker is None:
            return None
        applied = Applied(self._syntax, candidate)
        seconds = None if until is None else max(0.0, until - time.monotonic())
        read = self._forms.read(applied.with_text, applied.inserted[1], seconds, applied.inserted)
        spelling = read.spelling[slice(*applied.inserted)]
        return replace(candidate, spelling=spelling) if spelling != candidate.text else None

    def _breaks_syntax(self, closed: Applied) -> bool:
        """Whether a text is a new error of syntax, however what it leaves open is closed."""
        errors = closed.syntax.errors
        if errors == self._syntax.errors and not self._closer.keeps_boundaries(closed):
            return True
        if not errors:
            return False
        return errors > self._closer.without(closed).syntax.errors

    def _judged(self, closings: Iterator[Applied], until: float | None) -> Verified | Rejected | Unverified:
        """What a checker says of a candidate, closed in one way after the other until it accepts one.

        Another closing is tried where the checker's parser finds a fault in the first, and where the text, closed
        otherwise, is read otherwise: what looks like an undefined name may become a parameter.
        """
        first = next(closings)
        verified = self._judged_closed(first, until)
        if not isinstance(verified, Rejected) and not _lacks_other_closing(verified, first):
            return verified
        judged: list[Verified | Rejected | Unverified] = [verified]
        for closed in islice(closings, _LOOKED_AT) if self._may_be_closed_otherwise(first, verified) else ():
            if isinstance(verified, Rejected) and not self._is_worth_trying(closed, first, verified):
                continue
            other = self._judged_closed(closed, until)
            if not isinstance(other, Rejected) and not _lacks_other_closing(other, closed):
                return other
            judged.append(other)
            if len(judged) == _CLOSINGS:
                break
        accepted = (one for one in judged if not isinstance(one, Rejected))
        of_meaning = (one for one in judged if isinstance(one, Rejected) and not _is_of_syntax(one))
        return next(chain(accepted, of_meaning), judged[0])

    def _may_be_closed_otherwise(self, first: Applied, verified: Verified | Rejected | Unverified) -> bool:
        if not isinstance(verified, Rejected) or self._may_be_read_otherwise(verified):
            return True
        return bool(first.closing) and bool(self._record.comprehensions)

    def _may_be_read_otherwise(self, rejected: Rejected) -> bool:
        return _is_of_syntax(rejected) or any(self._is_unresolved(one.code) for one in rejected.rejections)

    def _is_unresolved(self, code: str) -> bool:
        return code == UNDEFINED_NAME or code in self._record.unresolved

    def _is_worth_trying(self, closed: Applied, first: Applied, rejected: Rejected) -> bool:
        """Whether a further closing may be accepted: with the same reading by another parser, or by another reading.

        A reading changes with what comes after a bracket that is closed first: an undefined name, as in `(a`, may
        become a parameter, and an argument the element of a comprehension. What goes on with the text itself is the
        person's to write.
        """
        is_bracket = any(edit.text.lstrip()[:1] in (*CLOSES, ">") for edit in closed.closing)
        (inside, around), (first_inside, first_around) = closed.reading, first.reading
        if _is_of_syntax(rejected):
            return is_bracket or (inside, around) == (first_inside, first_around)
        if self._may_be_read_otherwise(rejected):
            return is_bracket and (inside, around) != (first_inside, first_around)
        return is_bracket and any(one.endswith(self._record.comprehensions) for one in {*around} - {*first_around})

    def _judged_closed(self, closed: Applied, until: float | None) -> Verified | Rejected | Unverified:
        """What a checker says of a closed candidate, filled in one way after the other until it accepts one."""
        rejected: list[Rejected] = []
        tried: list[Applied] = []
        for fill in self._fills(closed):
            shown = closed if fill is None else self._filled(closed, fill, tried[-1] if tried else None, until)
            if shown is None or any(shown.closing == one.closing for one in tried):
                continue
            if fill is Fill.YIELDING and not self._errors(shown, until) <= self._errors(tried[-1], until):
                continue  # what is around the text is no generator
            verified = self._judged_as(shown, fill, until)
            if not isinstance(verified, Rejected):
                return verified
            rejected.append(verified)
            tried.append(shown)
            if any(self._is_unresolved(one.code) and one.inside for one in verified.rejections):
                break  # nothing that is filled in defines a name of the text
        return min(rejected, key=lambda one: len(one.rejections))  # what is still to come is no fault of the text

    def _errors(self, shown: Applied, until: float | None) -> set[tuple[str, str]]:
        """The errors of a closed document, besides those of what closes it."""
        found = _wait(self._report(shown.overlay), until).diagnostics
        return {
            (one.code, one.message) for one in found if one.is_error and not shown.is_in_closing(one.start, one.end)
        }

    def _fills(self, closed: Applied) -> Iterator[Fill | None]:
        """The ways in which a text is judged, the strictest first; None as it is, where it leaves nothing open."""
        if not closed.closing:
            yield None
        yield from Fill

    def _filled(self, closed: Applied, fill: Fill, asked: Applied | None, until: float | None) -> Applied | None:
        """A closed document with what is still to come; None where nothing is.

        Args:
            asked: The same, closed as it was asked about before.
        """
        found: list[Diagnostic] = []
        if asked is not None:
            for one in _wait(self._report(asked.overlay), until).diagnostics:
                start, end = (closed.place(asked.without_edits(place)) for place in (one.start, one.end))
                found.append(replace(one, start=start, end=end))
        edits = self._record.filled(Opened(closed), fill, found, _Asked(self, closed, until))
        if not edits:
            return closed if closed.closing else None
        return closed.closed(edits)

    def _judged_as(
        self, applied: Applied, fill: Fill | None, until: float | None, tries: Iterator[int] | None = None
    ) -> Verified | Rejected | Unverified:
        """What a checker says of a closed candidate; where it lacks imports, of the candidate with these.

        Of several modules that export a name, the first is taken with which nothing else in the document becomes wrong.

        Args:
            tries: One item for each import that may still be tried.
        """
        # TypeScript reports no functions that JavaScript declares twice
        members, declared = applied.members, applied.declared if self._traits.is_checked_on_request else ()
        own = own_calls(applied)
        report = _wait(self._report(applied.overlay, (*members, *declared, *own.places)), until)
        found = report.diagnostics
        new = self._new(applied, fill, found, until)
        touching = [one for one in new if self._counts_against(one, applied, fill, until)]
        elsewhere = tuple(_rejection(one, applied) for one in new if one not in touching)
        undefined = self._undefined(applied, until)
        if again := [_declared_again(one, applied) for one in declared if _is_declared(one, applied, report)]:
            return Rejected(tuple(again), elsewhere)
        if not touching and not undefined:
            unreachable = self._traits.checker.reports_unreachable
            if unreachable and any(one.is_unnecessary and applied.has_code_in(one) for one in found):
                return Unverified(unreachable)
            unverified = [one for one in members if not report.definitions[one]]
            accepted = self._accepted(applied, found, unverified, elsewhere, until)
            return replace(accepted, is_circular=any(own.function in report.definitions[one] for one in own.places))
        tries = iter(range(_TRIES)) if tries is None else tries
        best: Verified | Rejected | Unverified | None = None
        for repaired in self._repairs(applied, touching, undefined, found, until):
            if next(tries, None) is None:
                break
            verified = self._judged_as(repaired, fill, until, tries)
            if isinstance(verified, Verified) and not verified.errors_elsewhere:
                return verified
            is_worth_saying = not isinstance(verified, Rejected) or any(one.inside for one in verified.rejections)
            if is_worth_saying and (best is None or (isinstance(best, Rejected) and isinstance(verified, Verified))):
                best = verified
        rejections = [*undefined.values(), *(_rejection(one, applied) for one in touching)]
        return best or Rejected(tuple(sorted(rejections, key=lambda one: one.start)), elsewhere)

    def _repairs(
        self,
        applied: Applied,
        errors: Sequence[Diagnostic],
        undefined: Mapping[str, Rejection],
        found: Sequence[Diagnostic],
        until: float | None,
    ) -> Iterator[Applied]:
        """The candidate with each import that it may lack, from the index (the nearest first) and from the checker.

        The checker's come first in TypeScript and checked JavaScript, where it knows the settings for how modules are
        written. Python has one way to write them, and ty's first list takes seconds.

        Args:
            errors: Those that reject the candidate.
            undefined: Names that our own scopes do not know; the checker's errors at these do not bind.
            found: Everything that the checker reports.
        """
        places = {one.start for one in undefined.values()}
        at_undefined = [one for one in found if applied.without_edits(one.start) in places]
        names = {one: name for one in (*at_undefined, *errors) if (name := name_at(one, applied)) is not None}
        wanted = dict.fromkeys((*filter(applied.candidate.may_import, undefined), *names.values()))
        offers = [
            with_imports_of_index(applied, wanted, partial(self._imports_of, applied=applied)),
            with_imports_of_checker(
                applied, names, lambda document, question: _wait(self.asked(document, question), until)
            ),
        ]
        is_index_first = self._traits.checker.imports_from_index or self._is_unchecked_javascript(until)
        return distinct(chain.from_iterable(offers if is_index_first else reversed(offers)))

    def _counts_against(self, new: Diagnostic, applied: Applied, fill: Fill | None, until: float | None) -> bool:
        """Whether a new error counts against the text: it touches what the text became part of, or what comes along.

        One at the import of a name that the text declares is the text's as well. An error of a parser counts wherever
        it is reported, unless it is reported as well with a name in place of the text: in a torn document, a text may
        mend one error and cause another far below.
        """
        if any(_touch(new, part) for part in (*applied.extent, *applied.documentation, *applied.other_edits)):
            return True
        if applied.is_import_of_declared(new):
            return True
        if not new.is_syntax:
            return False
        parsed = not any(one.is_error and one.is_syntax for one in _wait(self._unchanged, until).diagnostics)
        return parsed or not self._is_reported_anyway(new, applied, fill, until)

    def _accepted(
        self,
        applied: Applied,
        found: tuple[Diagnostic, ...],
        members: Sequence[int],
        elsewhere: tuple[Rejection, ...],
        until: float | None,
    ) -> Verified:
        """What is verified of an accepted text.

        Args:
            found: Everything that the checker reports of the document with the text in it.
            members: Those in the text for which it finds no definition.
        """
        first, _ = applied.inserted
        syntax = applied.syntax
        unverified = tuple((place - first, syntax.end(syntax.node_at(place)) - first) for place in members)
        level = Level.TYPES if _wait(self._is_checked, until) and not unverified else Level.NAMES
        broken = [one for one in found if one.is_error and one.is_syntax]
        is_complete = not applied.leaves_line_open and not any(
            max(one.start + 1, one.end) > first  # a slip before the text is not the text's to mend
            and any(one.start < end and one.end > start for start, end in applied.extent)
            for one in broken
        )
        continues = not (broken and applied.is_followed and any(_touch(one, applied.following) for one in broken))
        is_open = bool(applied.closing) and applied.opens_more_than(self._closer.without(applied))
        is_unfinished = applied.is_above_code and (is_open or applied.lacks_sign)
        return Verified(
            level,
            applied.candidate,
            unverified,
            elsewhere,
            parses=not (broken or applied.closing),
            is_complete=is_complete,
            continues=continues and not (applied.lacks_operand or is_unfinished),
            is_open=is_open,
            closed_parses=not broken,
            unexported=self._unexported(applied),
        )

    def _unexported(self, applied: Applied) -> Span | None:
        """See `Verified.unexported`."""
        if not any(PLACEHOLDER in edit.text for edit in applied.closing):
            return None
        syntax, (start, end) = applied.syntax, applied.inserted
        written = {syntax.text(one): syntax.span(one) for one in identifiers(syntax, applied.inserted)}
        imports = imports_of(applied.syntax)
        others = tuple(one for one in imports if one.module != PLACEHOLDER)
        for one in chain.from_iterable(found.names for found in imports if found.module == PLACEHOLDER):
            place = written.get(one.name)
            if place is None:
                continue
            modules, has_more = self._workspace.exporters(applied.syntax, TypedImport("", (one,), others))
            if not (modules or has_more):
                return place[0] - start, min(place[1], end) - start
        return None

    def _new(
        self, applied: Applied, fill: Fill | None, found: Sequence[Diagnostic], until: float | None
    ) -> list[Diagnostic]:
        """The errors that bind and that the baseline does not have with the same code and message at the same place.

        The document is unfinished at the cursor: a call that lacks its arguments has the error that a text would have
        which leaves them out. So an error of the baseline that touches the cursor excuses none, and one in the
        statement around the text only if it is reported with a name in place of the text, too. One at the module of
        an import that the text stands in is the text's: what a module exports that nobody finds is not known. An error
        inside of what closes the document is not the text's.
        """
        errors = [
            one
            for one in binding_errors(found, is_unchecked=self._is_unchecked_javascript(until))
            if not applied.is_in_closing(one.start, one.end)
            and not (one.code in self._record.excused_while_open and self._goes_on(applied))
        ]
        if not errors:
            return []  # whatever the baseline has, which need not be there yet
        baseline, cursor = self._without(applied, "", fill, until), applied.candidate.offset
        known: Counter[tuple[str, str, int]] = Counter()
        to_come: set[str] = set()
        bound_later = self._record.bound_later(applied)
        for one in _wait(self._report(baseline.document), until).diagnostics:
            start, end = baseline.before_edits(one.start), baseline.before_edits(one.end)
            if start is None or (start <= cursor and (end is None or cursor <= end)):
                continue
            known[one.code, one.message, applied.after(start)] += 1
            if self._is_unresolved(one.code) and bound_later.open and bound_later.open[0] <= applied.after(start):
                to_come.add(one.message)
        errors = [one for one in errors if not (self._is_unresolved(one.code) and one.message in to_come)]

        def is_old(one: Diagnostic) -> bool:
            if bound_later.closed and _touch(one, bound_later.closed) and self._is_unresolved(one.code):
                return False
            if applied.specifier is not None and _touch(one, applied.specifier):
                return False
            is_around = any(_touch(one, part) for part in applied.extent)
            return not is_around or self._is_reported_anyway(one, applied, fill, until)

        return list(_without_counterpart(errors, known, lambda one: one.start, is_old))

    @staticmethod
    def _goes_on(applied: Applied) -> bool:
        """Whether the text stands in something that it does not close itself."""
        return bool(applied.closing) or any(True for _ in Opened(applied).bracketed())

    def _without(self, applied: Applied, text: str, fill: Fill | None, until: float | None) -> Applied:
        """The document with a neutral text in place of the candidate's; closed and filled in as the candidate's is.

        Where that is closed bare, its baseline is filled in: a bare one lacks arguments, and would excuse others.
        """
        candidate = replace(applied.candidate, text=text, edits=(), spelling="")
        if fill is None:
            return Applied(self._syntax, candidate) if text else Applied(self._syntax, replace(candidate, replaces=0))
        fill = Fill.FILLED if fill is Fill.BARE else fill
        key = candidate, fill
        if key not in self._neutral:
            self._neutral[key] = self._neutrally_closed(candidate, fill, until)
        return self._neutral[key]

    def _neutrally_closed(self, candidate: Candidate, fill: Fill, until: float | None) -> Applied:
        """A document with a neutral text, in the first closing in which the checker's parser finds no fault."""
        found: list[Applied] = []
        for closed in islice(self._closer.closings(Applied(self._syntax, candidate)), _CLOSINGS):
            bare = self._filled(closed, Fill.BARE, None, until) or closed
            found.append(bare)
            if not any(one.is_error and one.is_syntax for one in _wait(self._report(bare.document), until).diagnostics):
                return self._filled(closed, fill, bare, until) or bare
        return found[0]

    def _is_reported_anyway(self, known: Diagnostic, applied: Applied, fill: Fill | None, until: float | None) -> bool:
        """Whether an error is reported with a name of ours in place of the text, too."""
        probe = self._without(applied, PLACEHOLDER, fill, until)
        start = applied.before_edits(known.start)
        if start is not None:
            start = probe.after(start)
            if start == probe.inserted[0] and applied.before_edits(known.start) == applied.candidate.offset:
                start = probe.inserted[1]
        found = _wait(self._report(probe.document), until).diagnostics
        return any((one.code, one.message, one.start) == (known.code, known.message, start) for one in found)

    def _undefined(self, applied: Applied, until: float | None) -> dict[str, Rejection]:
        """Names of the text that nothing defines, by our own scopes: in JavaScript that no checker checks.

        Private ones in any: TypeScript says nothing of `this.#name` in an object, where it is not strict.
        """
        if not self._traits.is_checked_on_request:
            return {}
        only_private = not self._is_unchecked_javascript(until)
        if only_private and _PRIVATE not in applied.candidate.text:
            return {}
        known = self._workspace.names_at(self._syntax, applied.candidate.offset)
        start, end = applied.inserted
        found = {}
        for name, (first, last) in applied.undefined(known).items():
            if only_private and not name.startswith(_PRIVATE):
                continue
            inside = (max(first, start) - start, min(last, end) - start) if last > start else None
            place = applied.without_edits(first)
            found[name] = _not_defined(name, place, place + len(name), inside)
        return found

    def _imports_of(self, name: str, applied: Applied) -> Iterator[Edit]:
        """The edits that import a name, as edits of the document with the text in it.

        Without the text, the tree of a document may be broken up to its first line. Of installed packages, the index
        offers only names that begin with the word at the cursor.
        """
        importable = self._workspace.context(self._syntax, applied.candidate.offset).importable
        around = self._workspace.module_kind(self._syntax.document)
        return (import_edit(applied.syntax, one, around) for one in importable if one.text == name)

    def _report(self, document: Document, names: Sequence[int] = ()) -> Future[CheckerReport]:
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
class _Asked:
    """Questions about a closed document with more text at a place."""

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
    """Where the texts of edits, which are in order, are after all of them."""
    return ((start := moved(edit.start, edits), start + len(edit.text)) for edit in edits if edit.text)


def _wait(asked: Future[T], until: float | None) -> T:
    return asked.result(None if until is None else max(0.0, until - time.monotonic()))


def _failed(error: Exception) -> Future[T]:
    future: Future[T] = Future()
    future.set_exception(error)
    return future


def _without_counterpart(
    errors: Iterable[Diagnostic],
    known: Counter[tuple[str, str, int]],
    place: Callable[[Diagnostic], int],
    is_old: Callable[[Diagnostic], bool] = lambda _one: True,
) -> Iterator[Diagnostic]:
    """The errors beyond those that are known by code, message and place.

    Args:
        is_old: Whether a known error may have been there before.
    """
    for one in errors:
        key = one.code, one.message, place(one)
        if known[key] and is_old(one):
            known[key] -= 1
        else:
            yield one


def _does_not_parse(applied: Applied) -> Rejection:
    """The rejection of a whole text: a tree does not say which part of it is wrong."""
    start, end = applied.inserted
    place = applied.without_edits(start), applied.without_edits(end)
    return Rejection(SYNTAX, "it breaks the file's syntax", *place, (0, end - start))


def _is_of_syntax(rejected: Rejected) -> bool:
    """Whether a parser of a checker rejects a text."""
    return any(is_syntax_code(one.code) for one in rejected.rejections)


def _lacks_other_closing(found: Verified | Unverified, closed: Applied) -> bool:
    """Whether a checker's parser finds a fault in what closes the text, though it rejects nothing of the text."""
    return isinstance(found, Verified) and not found.closed_parses and bool(closed.closing)


def _not_defined(name: str, start: int, end: int, inside: Span | None) -> Rejection:
    return Rejection(UNDEFINED_NAME, f"'{name}' is not defined here", start, end, inside)


def _is_declared(name: int, applied: Applied, report: CheckerReport) -> bool:
    """Whether the document has another declaration of a name that the text declares."""
    places = (one for one in report.definitions[name] if one is not None and not applied.is_in_comment(one))
    return any(place != name for place in places)


def _declared_again(name: int, applied: Applied) -> Rejection:
    start, end = applied.inserted
    stop = word_end(applied.document.text, name)
    place = applied.without_edits(name), applied.without_edits(stop)
    message = f"'{applied.document.text[name:stop]}' is declared in this file already"
    return Rejection(DECLARED_TWICE, message, *place, (max(name, start) - start, min(stop, end) - start))


def _rejection(found: Diagnostic, applied: Applied) -> Rejection:
    start, end = applied.inserted
    first, last = max(found.start, start), min(found.end, end)
    inside = (first - start, last - start) if first < last or (first == last and start <= first < end) else None
    return Rejection(
        found.code, found.message, applied.without_edits(found.start), applied.without_edits(found.end), inside
    )


def _touch(found: Diagnostic, part: Span) -> bool:
    start, end = part
    return found.start < max(end, start + 1) and max(found.end, found.start + 1) > start
