"""One output of a completion, from its first token to what of it may be shown."""

from __future__ import annotations

import math
import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.candidate import Output, begin_as
from decoder.choice import HOPELESS
from decoder.constraint.protocol import Report
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.loop import generate, generate_each
from decoder.models.model import Branching
from decoder.observer import Record
from decoder.sampling import Sampler
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from decoder.completion.preparation import Preparation
    from decoder.completion.task import CompletionTask
    from decoder.models.model import Model
    from decoder.search import Start


@dataclass(frozen=True, slots=True)
class Attempt(Output):
    """An output, and what was made of it. See `decoder.search.Candidate`."""

    record: Record
    healed: str
    """The half-typed word, with which the output begins and `text` does not."""
    text: str
    """What of it may stand at the cursor; nothing of what was given up."""
    report: Report
    """The report about `text`."""

    @property
    def is_unfinished(self) -> bool:
        """Whether it was given up as too improbable."""
        return self.stop is Stop.UNSURE

    def beginning(self, length: int) -> bytes:
        """The output up to and with the token that covers the last of the text's first `length` characters."""
        return self.up_to(len((self.healed + self.text[:length]).encode()))


def attempts(
    model: Model,
    task: CompletionTask,
    prepared: Preparation,
    starts: Sequence[Start[Attempt]],
    cancel: Event,
    *,
    least: float,
) -> Sequence[Attempt]:
    """Write the most probable output of each start; of several token by token together, where the model can.

    Args:
        least: Natural logarithm of a probability under which a first line is not gone on with.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        OutOfDeviceMemoryError: the caller may try again elsewhere.
    """
    begun = [_begun(model, task, prepared, start, cancel, least=least) for start in starts]
    runs, sampler = [run for run, _ in begun], Sampler(task.sampling)
    if len(runs) > 1 and isinstance(model, Branching) and model.branches:
        stops = generate_each(model, prepared.prompt, runs, sampler)
    else:
        stops = [generate(model, prepared.prompt, run, sampler) for run in runs]
    return [_ended(run, record, stop, prepared.healed.word) for (run, record), stop in zip(begun, stops, strict=True)]


def _begun(
    model: Model, task: CompletionTask, prepared: Preparation, start: Start[Attempt], cancel: Event, *, least: float
) -> tuple[Generation, Record]:
    record = Record(start.floor, least)
    run = Generation(
        prepared.constraint,
        prepared.endings(),
        max_tokens=min(task.max_tokens, model.context - len(prepared.prompt)),
        deadline=task.deadline,
        cancel=cancel,
        control=prepared.control,
        bias=prepared.bias,
        banned_prefixes=start.banned,
        observers=(record,),
        hopeless=HOPELESS if prepared.control is None else -math.inf,  # a program chooses as it likes
    )
    if start.parent is not None:
        begin_as(run, record, start.parent, start.parent.record, start.stem)
    return run, record


def _ended(run: Generation, record: Record, stop: Stop, healed: str) -> Attempt:
    if stop is Stop.UNSURE:
        return Attempt(run, record.scores, record.margins, stop, record, healed, "", Report())
    with constraint_faults():
        written, ended = run.stoppable(stop)
        text = stripped(written[len(healed) :])
        return Attempt(run, record.scores, record.margins, stop, record, healed, text, ended.report())


def stripped(text: str) -> str:
    """A text without white space at its end, but for a blank that a backslash makes part of a string.

    Of what is white space to Python (U+0085) some is none to other languages, so no more than ASCII's is taken away.
    """
    bare = text.rstrip(string.whitespace)
    is_escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return text[: len(bare) + 1] if is_escaped and text[len(bare) :][:1] in (" ", "\t") else bare
