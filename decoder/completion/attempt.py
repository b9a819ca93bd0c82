"""One output of a completion: `attempt` writes it and keeps the part of it that may be shown.

`filling.complete` calls it for each branch of the search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.calibration import Begun
from decoder.candidate import Output
from decoder.choice import HOPELESS
from decoder.constraint.protocol import Report
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.loop import generate
from decoder.observer import Scores, TracedRecord
from decoder.sampling import Sampler
from decoder.stops import Stop

if TYPE_CHECKING:
    from threading import Event

    from decoder.completion.preparation import Preparation
    from decoder.completion.task import CompletionTask
    from decoder.models.model import Model


@dataclass(frozen=True, slots=True)
class Attempt(Output):
    """An output, and the part of it that may be shown. See `decoder.search.WrittenText`."""

    record: TracedRecord
    healed: str
    """The half-typed word. The output begins with it, and `text` does not."""
    text: str
    """The part of the output that may be inserted at the cursor; empty if the output was given up."""
    report: Report
    """The report about `text`."""

    @property
    def is_unfinished(self) -> bool:
        """Whether it was given up as too improbable."""
        return self.stop is Stop.UNSURE

    def beginning(self, length: int) -> bytes:
        """See `decoder.search.WrittenText`."""
        return self.up_to(len((self.healed + self.text[:length]).encode()))


def attempt(
    model: Model,
    task: CompletionTask,
    prepared: Preparation,
    banned_prefixes: frozenset[bytes],
    cancel: Event,
    *,
    floor: float,
    least: float,
    beginning: tuple[Attempt, bytes] | None = None,
) -> Attempt:
    """Write the most probable output that begins with no banned prefix.

    Args:
        floor: Natural logarithm of a probability; the output is given up once it is less probable.
        least: The same for its first beginning that is worth reading.
        beginning: Another output and a beginning of it, with which this one begins; that part is not written anew.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        OutOfDeviceMemoryError: the caller may try again on another device.
    """
    is_free = prepared.control is not None or task.sampling.temperature > 0  # improbable tokens are wanted then
    most_lost, in_line = math.inf if is_free else task.budget.nats, Begun.of(prepared.healed).line
    record = TracedRecord(Scores(floor, least, prepared.healed.word, in_line=in_line), most_lost)
    run = Generation(
        prepared.constraint,
        prepared.endings(),
        max_tokens=min(task.max_tokens, model.context - len(prepared.place.prompt)),
        deadline=task.deadline,
        cancel=cancel,
        vocabulary=prepared.place.vocabulary,
        control=prepared.control,
        bias=prepared.place.bias,
        banned_prefixes=banned_prefixes,
        observers=(record,),
        hopeless=HOPELESS if prepared.control is None else -math.inf,  # a program chooses as it likes
    )
    if beginning is not None:
        parent, stem = beginning
        parent.begin(run, record, stem)
    stop = generate(model, prepared.place.prompt, run, Sampler(task.sampling))
    if stop in (Stop.LENGTH, Stop.DEADLINE):
        run.cut_back()
    healed, text, report = prepared.healed.word, "", Report()
    if stop is not Stop.UNSURE:
        with constraint_faults():
            written, ended = run.stoppable()
            text, report = written[len(healed) :], ended.report()
    return Attempt(run, record, stop, healed, text, report)
