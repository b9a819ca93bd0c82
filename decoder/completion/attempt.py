"""One output of a completion, from its first token to what of it may stand and whether that may be shown."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.errors import constraint_faults
from decoder.generation import CUT_SHORT, Generation
from decoder.loop import generate
from decoder.sampling import Sampler
from decoder.second import Verdict

if TYPE_CHECKING:
    from threading import Event

    from decoder.completion.preparation import Prepared
    from decoder.completion.task import CompletionTask
    from decoder.constraint.protocol import Report
    from decoder.models.model import Model
    from decoder.second import Thoughts
    from decoder.stops import Stop


@dataclass(frozen=True, slots=True)
class Attempt:
    """An output, and what was made of it."""

    run: Generation
    stop: Stop
    text: str
    """What of it may stand at the cursor: the half-typed word is not repeated."""
    report: Report
    """Of `text`."""
    unknown: frozenset[str]
    """Names in `text` of which a type checker says that they do not exist."""
    verdict: Verdict
    """Whether it is shown."""

    @property
    def score(self) -> float:
        """Natural logarithm of the probability of all that was written."""
        return self.run.score


def attempt(
    model: Model,
    task: CompletionTask,
    prepared: Prepared,
    thoughts: Thoughts,
    cancel: Event,
    *,
    floor: float,
    rival: bool = False,
) -> Attempt:
    """Write an output that turns off where `thoughts` says, and judge it.

    Args:
        floor: Natural logarithm of a probability under which it is not gone on with.
        rival: Whether another may be shown already, as probable as `floor`: what is no more probable, or a part of a
            text, is no better than that, and nobody judges it.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        OutOfDeviceMemoryError: the caller may try again elsewhere.
    """
    run = Generation(
        prepared.guard,
        prepared.endings(),
        max_tokens=min(task.max_tokens, model.context - len(prepared.prompt)),
        deadline=task.deadline,
        cancel=cancel,
        control=prepared.control,
        bias=prepared.bias,
        goes_back=prepared.control is None and not task.sampling.temperature,
        avoided=thoughts.turns.avoided,
        scored=True,
        floor=floor,
    )
    stop = generate(model, prepared.prompt, run, Sampler(task.sampling))
    with constraint_faults():
        written, ended = run.stoppable(stop)
        text = stripped(written[len(prepared.healed.word) :])
        report = ended.report()
        if rival and (stop in CUT_SHORT or run.score <= floor):
            return Attempt(run, stop, text, report, frozenset(), Verdict.SILENCE)
        verdict = thoughts.verdict(run, stop, text, ended)
    return Attempt(run, stop, text, report, thoughts.unknown, verdict)


def stripped(text: str) -> str:
    """A text without white space at its end, but for a blank that a backslash makes part of a string.

    Of what is white space to Python (U+0085) some is none to other languages, so no more than ASCII's is taken away.
    """
    bare = text.rstrip(string.whitespace)
    is_escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return text[: len(bare) + 1] if is_escaped and text[len(bare) :][:1] in (" ", "\t") else bare
