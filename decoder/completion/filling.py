"""Fills in at a cursor: `complete` searches for the most probable text that is accepted."""

from __future__ import annotations

import math
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from decoder.calibration import Begun
from decoder.choice import HOPELESS
from decoder.completion.preparation import Kept, prepare
from decoder.completion.result import (
    Attempt,
    Completion,
    beginnings_of,
    completion_of,
    features_by_length,
    probabilities,
    readable,
)
from decoder.constraint.protocol import Report
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.loop import generate
from decoder.models.waiting import asked_for
from decoder.observer import Scores, TracedRecord
from decoder.prompt.healing import heal
from decoder.sampling import Sampler
from decoder.search import NotAccepted, SearchBudget, search
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder.calibration import Calibration
    from decoder.completion.preparation import Preparation
    from decoder.completion.task import CompletionTask
    from decoder.constraint.state import ConstraintState
    from decoder.controller.session import ProgramSession
    from decoder.models.model import Model


_BEGINNINGS = 3
"""The most beginnings of a rejected text that are verified, the longest first."""


def complete(
    model: Model,
    task: CompletionTask,
    cancel: Event | None = None,
    *,
    kept: Kept | None = None,
    constraint: Callable[[str], ConstraintState] | None = None,
) -> Completion:
    """Fill in at the end of `task.prefix`.

    Args:
        cancel: Ends the completion once it is set.
        kept: What was kept from the requests before; None keeps nothing.
        constraint: Makes another constraint than the task's own, from the text above the cursor without the half-typed
            word.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        ProgramError: the request's controller was stopped, or gave an answer that cannot be followed.
        OutOfDeviceMemoryError: the caller may try again on the CPU.
        ModelServerError: the completion server has no answer.
    """
    with asked_for(task.document), _session_of(task) as session:
        started = time.perf_counter()
        prepared = prepare(model, task, kept or Kept(), constraint, session)
        calibration = model.card.calibration
        budget = _budget(task, prepared, calibration)
        filling = _Filling(model, task, cancel or Event(), prepared, calibration, budget)
        result = search(filling.write, filling.verify, budget, is_over=filling.is_over)
        return completion_of(result, prepared, calibration, started, filling.accepted_lengths)


def _session_of(task: CompletionTask) -> AbstractContextManager[ProgramSession | None]:
    """A context in which the task's controller is loaded; it has None where there is no controller."""
    if task.controller is None:
        return nullcontext()
    from decoder.controller.control import session_of  # noqa: PLC0415 - it loads machines that few requests need

    around = heal(task.prefix).prefix, task.suffix
    return session_of(task.controller, task.symbols, around, task.workspace_data, task.prior)


@dataclass(frozen=True, slots=True)
class _Filling:
    """The functions that the search of one completion calls, and what they note."""

    model: Model
    task: CompletionTask
    cancel: Event
    prepared: Preparation
    calibration: Calibration
    budget: SearchBudget
    probable_lengths: dict[str, list[int]] = field(default_factory=dict)
    """By text, unless `shows_all`: the lengths of its beginnings that are probable enough, the shortest first."""
    accepted_lengths: dict[str, int] = field(default_factory=dict)
    """By text that was rejected: the length of its beginning that was accepted."""

    @property
    def shows_all(self) -> bool:
        """Whether a text may be shown however improbable it is."""
        return self.task.least_probability <= 0 or self.task.controller is not None

    def write(self, parent: Attempt | None, stem: bytes, banned_prefixes: frozenset[bytes], floor: float) -> Attempt:
        """Write the most probable output of a branch, see `decoder.search.Write`, up to where it may be shown.

        Notes which beginnings of the text are probable enough.

        Raises:
            ConstraintFaultError: a rule broke; nothing may be shown.
            OutOfDeviceMemoryError: the caller may try again on another device.
        """
        model, task, prepared = self.model, self.task, self.prepared
        run, record = self._new_run(banned_prefixes, floor)
        if parent is not None:
            parent.begin(run, record, stem)
        stop = generate(model, prepared.place.prompt, run, Sampler(task.sampling))
        if stop in (Stop.LENGTH, Stop.DEADLINE):
            run.cut_back()
        healed, text, report = prepared.healed.word, "", Report()
        if stop is not Stop.UNSURE:
            with constraint_faults():
                written, ended = run.stoppable()
                text, report = written[len(healed) :], ended.report()
        candidate = Attempt(run, record, stop, healed, text, report)
        if not self.shows_all:
            self.probable_lengths[text] = self._probable_lengths(candidate)
        return candidate

    def _new_run(self, banned_prefixes: frozenset[bytes], floor: float) -> tuple[Generation, TracedRecord]:
        """An empty output that begins with no banned prefix and is given up below `floor`, and its record."""
        model, task, prepared = self.model, self.task, self.prepared
        is_free = prepared.control is not None or task.sampling.temperature > 0  # improbable tokens are wanted then
        most_lost, in_line = math.inf if is_free else task.budget.nats, Begun.of(prepared.healed).line
        record = TracedRecord(Scores(floor, self.budget.least, prepared.healed.word, in_line=in_line), most_lost)
        run = Generation(
            prepared.constraint,
            prepared.endings(),
            max_tokens=min(task.max_tokens, model.context - len(prepared.place.prompt)),
            deadline=task.deadline,
            cancel=self.cancel,
            vocabulary=prepared.place.vocabulary,
            control=prepared.control,
            bias=prepared.place.bias,
            banned_prefixes=banned_prefixes,
            observers=(record,),
            hopeless=HOPELESS if prepared.control is None else -math.inf,  # a program chooses as it likes
        )
        return run, record

    def _probable_lengths(self, candidate: Attempt) -> list[int]:
        begun, beginnings = Begun.of(self.prepared.healed), list(beginnings_of(candidate, self.prepared))
        probability = probabilities(self.calibration, features_by_length(candidate.text, beginnings, begun))
        lengths = readable(candidate.text, beginnings, begun)
        return [length for length in lengths if probability[length] >= self.task.least_probability]

    def verify(self, text: str) -> NotAccepted | None:
        """See `decoder.search.Verify`. If a text is rejected, the longest of its probable beginnings are verified.

        A text without a probable beginning is not verified.
        """
        verify = self.task.verify
        if verify is None or not (self.shows_all or self.probable_lengths[text]):
            return None
        rejected = verify(text)
        if rejected is None or rejected.final or rejected.whole:
            return rejected
        wrong = len(text) if rejected.end is None else rejected.end
        shorter = [length for length in reversed(self.probable_lengths.get(text, ())) if length < wrong]
        for length in shorter[:_BEGINNINGS]:
            if verify(text[:length]) is None:
                self.accepted_lengths[text] = length
                return None
        return rejected

    def is_over(self) -> bool:
        """Whether the request was cancelled, or its deadline has passed."""
        deadline = self.task.deadline
        return self.cancel.is_set() or (deadline is not None and time.monotonic() >= deadline)


def _budget(task: CompletionTask, prepared: Preparation, calibration: Calibration) -> SearchBudget:
    """The task's budget, changed in three cases.

    - A controller's steps cannot be taken back, so one text is written.
    - With a temperature no texts are written ahead: the most probable of several samples would not be a sample.
    - Texts that cannot reach the least probability are given up, unless a controller takes part.
    """
    if prepared.control is not None:
        return SearchBudget(forwards=0)
    least = -math.inf
    if task.controller is None:
        least = calibration.least_score(task.least_probability, Begun.of(prepared.healed))
    budget = replace(task.budget, least=least)
    return replace(budget, ahead=0) if task.sampling.temperature else budget
