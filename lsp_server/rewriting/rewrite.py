"""Write a file or a part of it anew: the pipeline, on one screen.

Regions that fit the model -> each written in slices, others using the model in between -> is the whole no worse than
before? -> the new text, or a failed attempt and its reason. Blocks until it is done and may be called from any thread;
knows neither LSP nor the command line, and writes no file.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from context_index import Edit, RegionError, names_from_outside, path_of, regions, whole_lines
from decoder import ConstraintFaultError, Kind, Policy, RewriteTask, Rewriting, SamplingOptions, Stop, longest_region
from lsp_server.rewriting.broken import around, broken, is_to_mend, spared
from lsp_server.rewriting.edits import applied, edits_between
from lsp_server.rewriting.objections import objections
from lsp_server.rewriting.parts import due, edited, new_names, part_of
from lsp_server.rewriting.verdict import Failed, worse
from lsp_server.rewriting.wish import read_wish
from lsp_server.verification import Unverified

if TYPE_CHECKING:
    from context_index import SymbolContext, Syntax
    from decoder import Model, Rewrite
    from lsp_server.rewriting.broken import Span
    from lsp_server.rewriting.wish import Wish
    from lsp_server.service import Service

_SLICE = 0.04
"""Seconds of the model's time at once; somebody who types waits for one slice at most."""


_ENDINGS = {
    Stop.CANCELLED: (Failed.CANCELLED, "The rewrite was cancelled."),
    Stop.DEADLINE: (Failed.DEADLINE, "The time was over before the model came to an end."),
    Stop.LENGTH: (Failed.UNFINISHED, "The model did not come to an end."),
    Stop.REPETITION: (Failed.UNFINISHED, "The model began to repeat itself and did not come to an end."),
    Stop.STUCK: (Failed.STUCK, "Nothing that the model wanted to say was allowed here."),
}


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """What is to be written anew, and as what."""

    syntax: Syntax
    instruction: str
    start: int
    end: int
    """Widened to whole lines."""
    draft: str | None
    """What the whole file is expected to become; its own text, as a rule. None where nothing is expected."""
    policy: Policy = Policy.ALIGNED
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    deadline_ms: float | None = None
    cancel: Event = field(default_factory=Event)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is."""

    written: int
    """Tokens."""
    expected: int
    """Tokens of the original; a rewrite may end up with fewer, or more."""
    counts: Counter[Kind]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What came of it."""

    text: str
    """The whole file; as it was, where the attempt failed."""
    attempt: str
    """The whole file as it would be."""
    failed: Failed | None
    reason: str
    """One sentence for people, where it failed."""
    counts: Counter[Kind]
    """Tokens of each kind."""
    forwards: int
    pieces: tuple[tuple[Kind, str], ...]
    """What was written and what was rejected, in order; blank lines between regions were accepted as they stand."""
    latency_ms: float
    forward_ms: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be written."""

    wish: Wish
    symbols: SymbolContext
    parts: list[Span]
    """The regions, in order."""
    expected: int
    """Their tokens."""


class Rewriter:
    """Rewrites with a service's model and workspace."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def run(self, request: RewriteRequest, progress: Callable[[Progress], None] = lambda _now: None) -> Rewritten:
        """Write it anew.

        Raises:
            RequestError: the model cannot be had.
        """
        started = time.perf_counter()
        document = request.syntax.document
        start, end = whole_lines(document.text, request.start, request.end)
        path = path_of(document.uri)
        if path is not None and (why := self._service.workspace.excluded(path)):
            return _failure(document.text, Failed.EXCLUDED, f"This file is not to be read: {why}.", started)
        symbols = self._service.workspace.context(request.syntax, start)
        wish = read_wish(request.instruction, request.syntax, start, end, symbols.names)
        stays = broken(request.syntax, start, end) if request.constrained and not is_to_mend(wish.instruction) else []
        spans = around(stays, start, end, document.text)
        if wish.failed is None and stays:
            wish = spared(wish, request.syntax, stays, spans)
        if wish.failed is not None:
            return _failure(document.text, wish.failed, wish.reason, started)
        request = replace(request, instruction=wish.instruction)
        try:
            budget, cost = self._service.host.submit(lambda model: _limits(model, request, symbols)).result()
            parts = [part for span in spans for part in regions(request.syntax, *span, cost, budget)]
            parts = due(request.syntax, wish, symbols.names, parts)
            plan = _Plan(wish, symbols, parts, sum(cost(document.text[a:b]) for a, b in parts))
            done = self._written(request, plan, progress)
        except RegionError as error:
            return _failure(document.text, Failed.TOO_LONG, f"Too long for this model: {error}.", started)
        except ConstraintFaultError as fault:
            return _failure(document.text, Failed.CONSTRAINT_FAULT, f"Nothing is shown unchecked: {fault}.", started)
        except CancelledError:
            return _failure(document.text, Failed.CANCELLED, "The rewrite was cancelled.", started)
        return self._judged(request, plan, done, started)

    def _written(self, request: RewriteRequest, plan: _Plan, progress: Callable[[Progress], None]) -> list[Rewrite]:
        """Each region in turn, until one does not come to its end."""
        text = request.syntax.document.text
        outer = None
        if request.constrained:
            outer = names_from_outside(request.syntax) | new_names(plan.wish, text)
        deadline = None if request.deadline_ms is None else time.monotonic() + request.deadline_ms / 1000
        done: list[Rewrite] = []
        before, behind = "", 0
        for start, end in plan.parts:
            before += text[behind:start]
            task = RewriteTask(
                text=text[start:end],
                instruction=request.instruction,
                symbols=plan.symbols,
                prefix=before,
                suffix=text[end:],
                outer=outer,
                draft=None if request.draft is None else part_of(request.draft, text, start, end),
                meant=None if plan.wish.edits is None else edited(plan.wish.edits, text, start, end),
                objections=partial(objections, request.syntax, before, text[end:]) if request.constrained else None,
                policy=request.policy,
                sampling=request.sampling,
                constrained=request.constrained,
                deadline=deadline,
            )
            done.append(self._region(task, request.cancel, lambda now: progress(_sum(done, now, plan.expected))))
            if done[-1].stop is not Stop.END:
                break
            before, behind = before + done[-1].text, end
        return done

    def _region(self, task: RewriteTask, cancel: Event, progress: Callable[[Rewriting], None]) -> Rewrite:
        submit = self._service.host.submit
        rewriting = submit(lambda model: Rewriting(model, task, cancel)).result()
        while (result := submit(lambda _model: rewriting.advance(_SLICE)).result()) is None:
            progress(rewriting)
        return result

    def _judged(self, request: RewriteRequest, plan: _Plan, done: list[Rewrite], started: float) -> Rewritten:
        before = request.syntax.document
        pieces = [Edit(start, end, one.text) for (start, end), one in zip(plan.parts, done, strict=False)]
        attempt = applied(before.text, pieces)
        unchecked = ""
        failed, reason = next((_ENDINGS[one.stop] for one in done if one.stop is not Stop.END), (None, ""))
        if failed is None and plan.wish.edits is not None and attempt != applied(before.text, list(plan.wish.edits)):
            failed, reason = Failed.MISREAD, "The model would change something else than what was asked for."
        if failed is None and request.constrained and attempt != before.text:
            baseline = self._service.verifier.baseline(request.syntax)
            found = baseline.new_errors(edits_between(before.text, attempt))
            unchecked, errors = (found.why, ()) if isinstance(found, Unverified) else ("", found)
            failed, reason = worse(self._service.workspace, errors, request.syntax, attempt, request.instruction)
        return Rewritten(
            text=before.text if failed else attempt,
            attempt=attempt,
            failed=failed,
            reason=reason,
            counts=_counted(done),
            forwards=sum(one.counts.forwards for one in done),
            pieces=tuple(_pieces(before.text, plan.parts, done)),
            latency_ms=(time.perf_counter() - started) * 1000,
            forward_ms=sum(one.forward_seconds for one in done) * 1000,
            notes=(
                *plan.wish.notes,
                *(f"Names may be missing: {caveat}." for caveat in plan.symbols.caveats if request.constrained),
                *([f"No checker answered: {unchecked}."] if unchecked else ()),
            ),
        )


def _limits(model: Model, request: RewriteRequest, symbols: SymbolContext) -> tuple[int, Callable[[str], int]]:
    encode = model.vocabulary.encode
    return longest_region(model, request.instruction, symbols), lambda text: len(encode(text))


def _sum(done: list[Rewrite], now: Rewriting, expected: int) -> Progress:
    counts = _counted(done)
    current = now.counts()
    counts.update({kind: getattr(current, kind) for kind in Kind})
    written = sum(counts[kind] for kind in Kind if kind is not Kind.REJECTED)
    return Progress(written, expected, counts)


def _counted(done: list[Rewrite]) -> Counter[Kind]:
    return Counter({kind: sum(getattr(one.counts, kind) for one in done) for kind in Kind})


def _pieces(text: str, parts: list[Span], done: list[Rewrite]) -> Iterator[tuple[Kind, str]]:
    """Those of all regions, and what stayed between them."""
    behind = parts[0][0] if parts else 0
    for (start, end), one in zip(parts, done, strict=False):
        if start > behind:
            yield Kind.ACCEPTED, text[behind:start]
        yield from _framed(one)
        behind = end


def _framed(one: Rewrite) -> Iterator[tuple[Kind, str]]:
    """The pieces of a region with the blank lines around it, which no model writes."""
    body = "".join(piece for kind, piece in one.pieces if kind is not Kind.REJECTED).strip("\n").rstrip()
    text = one.text.replace("\r\n", "\n")
    head, _, tail = text.partition(body) if body and body in text else ("", "", "")
    yield from ((kind, piece) for kind, piece in ((Kind.ACCEPTED, head), *one.pieces, (Kind.ACCEPTED, tail)) if piece)


def _failure(text: str, failed: Failed, reason: str, started: float) -> Rewritten:
    latency = (time.perf_counter() - started) * 1000
    return Rewritten(text, text, failed, reason, Counter(), 0, (), latency, 0.0)
