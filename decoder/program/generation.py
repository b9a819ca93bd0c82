"""Have a model write what a program allows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from decoder.constraint.guard import Guard
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.loop import generate
from decoder.program.constraint import ProgramConstraint
from decoder.program.nodes import ProgramError
from decoder.program.program import Program
from decoder.prompt.families import Source
from decoder.prompt.packing import packer_for
from decoder.sampling import Sampler, SamplingOptions
from decoder.stops import Stop

if TYPE_CHECKING:
    from decoder.model import Model
    from decoder.trace import TokenTrace

_CLOSING_TOKENS = 512
"""For bringing a text to its end, beyond what it may be long."""


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """A program, and what the model sees before it writes."""

    program: Program
    prompt: str = ""
    """Shown as a comment."""
    prefix: str = ""
    suffix: str = ""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    max_tokens: int = 256
    """After so many the text is brought to its end in the shortest way."""


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it: a text that the program allows, whole."""

    text: str
    closed: bool
    """Whether it had to be brought to its end."""
    tokens: int
    seconds: float
    trace: tuple[TokenTrace, ...]


def write(model: Model, task: ProgramTask, cancel: Event | None = None) -> Written:
    """Run the program on the model.

    Raises:
        ProgramError: the program fails, allows nothing, or does not come to an end.
    """
    started = time.perf_counter()
    start = task.program.constraint()
    room = min(task.max_tokens + _CLOSING_TOKENS, model.context // 2)
    prompt = list(_prompt(model, task, model.context - room))
    run = _run(Guard((start,)), min(task.max_tokens, room), cancel)
    stop = generate(model, prompt, run, Sampler(task.sampling))
    closed = stop is Stop.LENGTH and not _over(run.guards[-1])
    while closed and run.guards[-1].partial:
        run.drop(1)  # a character that was begun need not be on the shortest way
    text, trace = bytes(run.output), run.trace[: len(run.tokens)] if closed else run.trace
    if closed:
        prompt += run.tokens
        last = run.guards[-1]
        (state,) = last.rules
        assert isinstance(state, ProgramConstraint)  # noqa: S101 - the guard was made with one
        run = _run(replace(last, rules=(replace(state, closing=True),)), model.context - len(prompt), cancel)
        stop = generate(model, prompt, run, Sampler(task.sampling))
        text, trace = text + run.output, [*trace, *run.trace]
    if not _over(run.guards[-1]):
        raise ProgramError(_UNFINISHED.get(stop, f"the program's text was not finished ({stop})"))
    return Written(text.decode(), closed, len(trace), time.perf_counter() - started, tuple(trace))


_UNFINISHED = {
    Stop.STUCK: "the program has come to where nothing that it allows can follow",
    Stop.LENGTH: "the program's text does not come to an end within what the model can read",
}


def _prompt(model: Model, task: ProgramTask, budget: int) -> tuple[int, ...]:
    mark = "#" if task.program.language.is_python else "//"
    comment = "".join(f"{mark} {line}".rstrip() + "\n" for line in task.prompt.splitlines())
    head = task.prefix + "\n" if comment and task.prefix and not task.prefix.endswith("\n") else task.prefix
    source = Source(task.program.language, head + comment, task.suffix)
    return tuple(packer_for(model.vocabulary).pack(source, budget).tokens)


def _run(guard: Guard, tokens: int, cancel: Event | None) -> Generation:
    return Generation(
        guard, None, max_tokens=tokens, deadline=None, cancel=cancel or Event(), repeats=lambda _tokens: 0
    )


def _over(guard: Guard) -> bool:
    with constraint_faults():
        return guard.may_stop() is None
