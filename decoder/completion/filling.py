"""Fills in at a cursor: `complete` searches for the most probable text that is accepted."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from decoder.calibration import Begun
from decoder.completion.attempt import Attempt, attempt
from decoder.completion.preparation import Kept, prepare, prompt_of
from decoder.completion.ranking import rank
from decoder.completion.result import (
    Completion,
    beginnings_of,
    completion_of,
    features_by_length,
    probabilities,
    readable,
)
from decoder.models.waiting import asked_for
from decoder.prompt.healing import heal
from decoder.search import NotAccepted, SearchBudget, search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    with asked_for(task.document):
        return _with_controller(model, task, cancel or Event(), kept=kept or Kept(), constraint=constraint)


def _with_controller(
    model: Model,
    task: CompletionTask,
    cancel: Event,
    *,
    kept: Kept,
    constraint: Callable[[str], ConstraintState] | None,
) -> Completion:
    """Search while the task's controller is loaded, if it has one."""
    if task.controller is None:
        return _search(model, task, cancel, kept=kept, constraint=constraint, session=None)
    from decoder.controller.control import session_of  # noqa: PLC0415 - it loads machines that few requests need

    around = heal(task.prefix).prefix, task.suffix
    with session_of(task.controller, task.symbols, around, task.surroundings, task.prior) as session:
        return _search(model, task, cancel, kept=kept, constraint=constraint, session=session)


def _search(
    model: Model,
    task: CompletionTask,
    cancel: Event,
    *,
    kept: Kept,
    constraint: Callable[[str], ConstraintState] | None,
    session: ProgramSession | None,
) -> Completion:
    """Prepare the place of the task, and search for a text there."""
    started = time.perf_counter()
    prepared = prepare(model, task, kept, constraint, session)
    calibration = model.card.calibration
    budget = _budget(task, prepared, calibration)
    filling = _Filling(model, task, cancel, prepared, calibration, budget)
    result = search(filling.write, filling.verify, budget, is_over=filling.is_over)
    return completion_of(result, prepared, calibration, started, filling.accepted_lengths)


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
        """See `decoder.search.Write`. Notes which beginnings of the text are probable enough."""
        beginning, least = None if parent is None else (parent, stem), self.budget.least
        candidate = attempt(
            self.model, self.task, self.prepared, banned_prefixes, self.cancel,
            floor=floor, least=least, beginning=beginning,
        )  # fmt: skip
        if not self.shows_all:
            self.probable_lengths[candidate.text] = self._probable_lengths(candidate)
        return candidate

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


def rank_names(
    model: Model,
    task: CompletionTask,
    names: Sequence[str],
    *,
    budget_forwards: int | None = None,
    cancel: Event | None = None,
    notify: Callable[[Mapping[str, float]], None] = lambda _scores: None,
) -> dict[str, float]:
    """The model's log-probability (natural) of each name at the cursor, in place of the half-typed word.

    Names that the budget did not reach have an estimate. The result is empty if the request was cancelled before the
    prompt was read.

    Args:
        budget_forwards, cancel, notify: As in `rank`.
    """
    healed = heal(task.prefix)
    space = " " if healed.word.startswith(" ") else ""
    prompt = prompt_of(model, task, healed.prefix)
    spelled = {space + name: name for name in names}

    def by_name(scores: Mapping[str, float]) -> dict[str, float]:
        return {spelled[text]: score for text, score in scores.items()}

    with asked_for(task.document):
        scores = rank(
            model, prompt, list(spelled), budget_forwards=budget_forwards, cancel=cancel,
            notify=lambda known: notify(by_name(known)),
        )  # fmt: skip
    return by_name(scores)
