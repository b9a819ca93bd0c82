"""Rewrites a region of a file as an instruction says; `kinds` calls `Rewriter.run`, which takes these steps.

Find the region -> the model rewrites it, in slices between which others may use the model -> the checker judges the
whole file, and the search goes back to the token that it rejects -> the files that import this one are checked. Blocks
until all is done; may be called from any thread. Knows neither LSP nor the command line, and writes no file.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from context_index import (
    Document,
    ParserAbsentError,
    identifiers,
    leading_comments,
    names_from_outside,
    new_fault,
    parse,
    path_of,
)
from decoder import (
    ConstraintFaultError,
    NotAccepted,
    Prediction,
    RegionTooLongError,
    RewriteTask,
    Rewriting,
    SamplingOptions,
    Stop,
    TokenOrigin,
)
from lsp_server.engine.edits import edits_between
from lsp_server.engine.rewriting.breaks import breaks_in_importers
from lsp_server.engine.rewriting.region import region_of, without_place
from lsp_server.engine.rewriting.result import Break, RewriteFailure, RewriteResult, failed_result
from lsp_server.engine.suggestion import Level
from lsp_server.engine.verification import Unverified
from lsp_server.wording import counted

if TYPE_CHECKING:
    from context_index import Syntax
    from decoder import RewriteAttempt, RewritingProgress
    from lsp_server.engine.service import Service

_SLICE = 0.04
"""Seconds of one slice: a completion waits for the model at most so long."""
_BUILT_IN = (
    "The built-in model could not do this; instructions need a larger model (--model, in editors `inscope.model`)."
)
_ENDINGS = {
    Stop.CANCELLED: (RewriteFailure.CANCELLED, "The rewrite was cancelled."),
    Stop.DEADLINE: (RewriteFailure.DEADLINE, "Time ran out before the model finished."),
    Stop.LENGTH: (RewriteFailure.UNFINISHED, "The token limit was reached before the model finished."),
    Stop.REPETITION: (RewriteFailure.UNFINISHED, "The model began to repeat itself and did not finish."),
    Stop.STUCK: (RewriteFailure.STUCK, "Nothing that the model wanted to write was allowed here."),
}
_UNCHANGED = "The model wrote the text as it was."


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """A file, a region of it and an instruction."""

    uri: str
    text: str
    """The whole file."""
    syntax: Syntax | None
    """Its tree; None for plain text, which is neither constrained nor verified."""
    instruction: str
    chosen: tuple[int, int] | None = None
    """Start and end offset of what may change, widened to whole lines; None lets `region.region_of` decide."""
    cursor: int | None = None
    """See `region.region_of`."""
    prediction: Prediction = field(default_factory=Prediction)
    """What the region is expected to become; if it has no text, the region as it is."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    deadline_ms: float | None = None
    cancel: Event = field(default_factory=Event)


class Rewriter:
    """Rewrites with a service's model and workspace."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def run(
        self, request: RewriteRequest, progress: Callable[[RewritingProgress], None] = lambda _now: None
    ) -> RewriteResult:
        """Rewrite the region; nothing is written to disk.

        Raises:
            RequestError: the model cannot be loaded.
        """
        started = time.perf_counter()
        text, path = request.text, path_of(request.uri)
        if path is not None and (why := self._service.workspace.excluded(path)):
            return failed_result(text, RewriteFailure.EXCLUDED, f"This file is not to be read: {why}.")
        start, end = region_of(text, request.syntax, request.instruction, request.chosen, request.cursor)
        if not text[start:end].strip():
            what = "the lines are blank" if text.strip() else "the file is empty"
            return failed_result(text, RewriteFailure.EMPTY, f"There is nothing to rewrite: {what}.")
        judge = RegionJudge(self._service, request, start, end)
        try:
            result = self._search(request, self._task(request, start, end), judge, progress)
        except RegionTooLongError as error:
            result = failed_result(text, RewriteFailure.TOO_LONG, _too_long(error, text[start:end]))
        except ConstraintFaultError as fault:
            result = failed_result(text, RewriteFailure.CONSTRAINT_FAULT, f"Nothing is shown unchecked: {fault}.")
        except CancelledError:
            result = failed_result(text, RewriteFailure.CANCELLED, "The rewrite was cancelled.")
        return replace(result, region=(start, end), latency_ms=(time.perf_counter() - started) * 1000)

    def _task(self, request: RewriteRequest, start: int, end: int) -> RewriteTask:
        """The region, and what is around it, as plain data for the decoder."""
        text, syntax, prediction = request.text, request.syntax, request.prediction
        return RewriteTask(
            text=text[start:end],
            instruction=request.instruction,
            wordings=() if syntax is None else without_place(syntax, request.instruction, (start, end)),
            symbols=None if syntax is None else self._service.workspace.context(syntax, start),
            prefix=text[:start],
            suffix=text[end:],
            comments=0 if syntax is None else leading_comments(syntax, start, end),
            names=frozenset() if syntax is None else names_from_outside(syntax),
            words=frozenset() if syntax is None else frozenset(map(syntax.text, identifiers(syntax))),
            prediction=replace(prediction, text=text[start:end]) if prediction.text is None else prediction,
            sampling=request.sampling,
            constrained=request.constrained,
            deadline=None if request.deadline_ms is None else time.monotonic() + request.deadline_ms / 1000,
        )

    def _search(
        self,
        request: RewriteRequest,
        task: RewriteTask,
        judge: RegionJudge,
        progress: Callable[[RewritingProgress], None],
    ) -> RewriteResult:
        """The result of the first attempt that the judge accepts; else of the last one, as a failure."""
        submit = self._service.host.submit
        rewriting = submit(lambda model: Rewriting(model, task, request.cancel)).result()
        attempts = rewriting.search(
            judge.verify, lambda compute: submit(lambda _model: compute()).result(), seconds=_SLICE, notify=progress
        )
        attempt = attempts.accepted[0] if attempts.accepted else attempts.written[-1]
        counts = rewriting.counts(attempt.run)
        is_built_in = rewriting.surprise is not None  # only the built-in model has one
        failure, reason = judge.failure(attempt, is_accepted=bool(attempts.accepted), is_built_in=is_built_in)
        whole = judge.whole(attempt.whole) if attempt.written else request.text
        breaks, notes = judge.breaks(whole) if failure is None else ((), ())
        is_shorter = rewriting.instruction != task.instruction
        asked = (f"The model was asked `{rewriting.instruction}`; the other words say where.",) if is_shorter else ()
        return RewriteResult(
            text=request.text if failure else whole,
            attempted_text=whole,
            failure=failure,
            reason=reason,
            counts=Counter({kind: getattr(counts, kind) for kind in TokenOrigin}),
            forwards=counts.forwards,
            pieces=rewriting.pieces(counts),
            forward_ms=rewriting.forward_seconds * 1000,
            verified=Level.NONE if failure else judge.level,
            probability=rewriting.probability(attempt) if failure is None else None,
            breaks=breaks,
            notes=(*asked, *judge.notes, *(f"Breaks {error}" for error in breaks), *notes),
        )


class RegionJudge:
    """Verifies texts for one region in the whole file, and remembers what came of the last one."""

    def __init__(self, service: Service, request: RewriteRequest, start: int, end: int) -> None:
        self._service, self._request = service, request
        self._start, self._end = start, end
        self.level = Level.NONE
        """How much of the last text was verified, if it was accepted."""
        self.notes: tuple[str, ...] = ()
        """Sentences for people about what nobody could check in the last text."""
        self._why: tuple[RewriteFailure, str] | None = None
        """Why the last rejected text was rejected: the code and a sentence for people."""
        syntax = request.syntax if request.constrained else None
        self._baseline = None if syntax is None else service.verifier.baseline(syntax)

    def whole(self, region: str) -> str:
        """The whole file with another text for the region."""
        return self._request.text[: self._start] + region + self._request.text[self._end :]

    def verify(self, region: str) -> NotAccepted | None:
        """Ask the parser, the checker and the language's own parser about the whole file; None accepts the text."""
        request, after = self._request, self.whole(region)
        if self._baseline is None or request.syntax is None or after == request.text:
            return None
        syntax = parse(Document(request.uri, request.syntax.language, after))
        if (more := self._new_syntax_errors(syntax)) > 0:
            what = counted(more, "new syntax error")
            self._why = RewriteFailure.SYNTAX_ERROR, f"The file would not parse: {what}."
            return NotAccepted()
        answer = self._baseline.new_errors(edits_between(request.text, after))
        if isinstance(answer, Unverified):
            self.level, self.notes = answer.level, (f"No checker judged it: {answer.why}.",)
            return self._ask_own_parser(request.syntax, syntax, region)
        self.level, self.notes = answer.level, ()
        if not answer.errors:
            return self._ask_own_parser(request.syntax, syntax, region)
        first = min(answer.errors, key=lambda error: error.start)
        line = syntax.document.position(first.start).line + 1
        what = f"{first.message.splitlines()[0]} ({first.code})"
        self._why = RewriteFailure.REJECTED, f"There would be a new error in line {line}: {what}."
        return self._not_accepted(first.end, region)

    def _not_accepted(self, end: int, region: str) -> NotAccepted:
        """The rejection of a text for an error that ends at an offset of the file; it has a place if that is inside."""
        is_within = self._start < end <= self._start + len(region)
        return NotAccepted(end - self._start if is_within else None)

    def _new_syntax_errors(self, after: Syntax) -> int:
        """How many more syntax errors there are, not counting forms that the checker knows and our grammar lacks."""
        assert self._request.syntax is not None  # noqa: S101 - only such a text is verified
        before = self._request.syntax
        if after.errors > before.errors:
            read = self._service.verifier.read_whole
            before, after = read(before), read(after)
        return after.errors - before.errors

    def _ask_own_parser(self, before: Syntax, after: Syntax, region: str) -> NotAccepted | None:
        """Ask the language's own parser about the file; None if it accepts the file or, with a note, is not there."""
        workspace = self._service.workspace
        try:
            fault = new_fault(before, after, workspace.module_kind(after.document), workspace.roots)
        except ParserAbsentError as absent:
            self.notes = (*self.notes, f"The language's own parser was not asked: {absent}.")
            return None
        if fault is None:
            return None
        what = f"{fault.parser} says: {fault.message}"
        self._why = RewriteFailure.SYNTAX_ERROR, f"The file would not parse at line {fault.line + 1}; {what}."
        starts = after.document.lines
        end_of_line = starts[fault.line + 1] - 1 if fault.line + 1 < len(starts) else len(after.document.text)
        return self._not_accepted(end_of_line, region)

    def failure(
        self, attempt: RewriteAttempt, *, is_accepted: bool, is_built_in: bool
    ) -> tuple[RewriteFailure | None, str]:
        """Why the last attempt is not a result, with a sentence for people; None and no sentence if it is one.

        Args:
            is_built_in: Whether the built-in model wrote it; then the sentence recommends a larger model.
        """
        if is_accepted:
            is_same = self.whole(attempt.text) == self._request.text
            failure, reason = (RewriteFailure.UNCHANGED, _UNCHANGED) if is_same else (None, "")
        elif attempt.stop in _ENDINGS:
            failure, reason = _ENDINGS[attempt.stop]
        else:
            failure, reason = self._why or (RewriteFailure.EMPTY, "The model wrote nothing.")
        if is_built_in and failure not in (None, RewriteFailure.CANCELLED, RewriteFailure.DEADLINE):
            reason = f"{_BUILT_IN} {reason}"
        return failure, reason

    def breaks(self, after: str) -> tuple[tuple[Break, ...], tuple[str, ...]]:
        """New errors in the files that import this one, and notes on those that were not asked about."""
        request = self._request
        if request.syntax is None or self._baseline is None:
            return (), ()
        document = request.syntax.document
        return breaks_in_importers(self._service.workspace, document, replace(document, text=after))


def _too_long(error: RegionTooLongError, region: str) -> str:
    """A sentence that says what is too long, and what to do."""
    lines, tokens = len(region.strip("\r\n").splitlines()), counted(error.context, "token")
    if (most := int(lines * error.fits)) < 1:
        what = "The instruction is too long for this model" if error.rest > error.context // 2 else "A line is too long"
        return f"{what}: the model reads and writes {tokens} at once; use a model that reads more (--model)."
    return (
        f"{counted(lines, 'line is', 'lines are')} too many for this model, which reads and writes {tokens} at once: "
        f"choose about {most} of them (--lines, in editors a selection), or use a model that reads more (--model)."
    )
