"""Have a model write what a program allows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

from decoder.constraint.balance import Balance
from decoder.constraint.guard import Guard
from decoder.constraint.protocol import Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.errors import constraint_faults
from decoder.grammar import Entries
from decoder.program.constraint import ProgramConstraint
from decoder.program.nodes import ProgramError
from decoder.program.output import Output
from decoder.program.program import Program
from decoder.prompt.families import Source
from decoder.prompt.packing import packer_for
from decoder.sampling import SamplingOptions
from decoder.stops import Stop

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext
    from decoder.constraint.protocol import Constraint
    from decoder.models.model import Model
    from decoder.observer import TokenTrace

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
    symbols: SymbolContext | None = None
    """What is in scope between prefix and suffix: the text is held to the syntax and the names there, too."""
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
    rules = (start, *_rules(task))
    room = min(task.max_tokens + _CLOSING_TOKENS, model.context // 2)
    prompt = _prompt(model, task, model.context - room)
    output = Output(model, prompt, Guard(rules), task.sampling, cancel or Event())
    stop = output.go_on(min(task.max_tokens, room))
    closed = stop is Stop.LENGTH and _unfinished(output.guard) is not None
    if closed:
        output.drop_partial()  # a character that was begun need not be on the shortest way
        state, *others = output.guard.rules
        assert isinstance(state, ProgramConstraint)  # noqa: S101 - the guard was made with one
        output.hold_to(replace(output.guard, rules=(replace(state, closing=True), *others)))
        stop = output.go_on(model.context - len(prompt))
    if (unfinished := _unfinished(output.guard)) is not None:
        raise ProgramError(_sentence(stop, unfinished))
    return Written(output.text, closed, len(output.trace), time.perf_counter() - started, output.trace)


def _sentence(stop: Stop, unfinished: Refusal) -> str:
    if stop is Stop.LENGTH:
        return "the program's text does not come to an end within what the model can read"
    if stop is not Stop.STUCK:
        return f"the program's text was not finished ({stop})"
    if unfinished.rule is Rule.PROGRAM:
        return "the program has come to where nothing that it allows can follow"
    return f"what the program allows cannot stand at the place ({unfinished.rule}: {unfinished.what!r:.60})"


def _rules(task: ProgramTask) -> tuple[Constraint, ...]:
    """What holds at the place where the text will stand, if there is one."""
    symbols, prefix, suffix = task.symbols, task.prefix, task.suffix
    if symbols is None:
        return ()
    written, language = task.program.language, symbols.language
    if written.is_python is not language.is_python:
        raise ProgramError(f"the program writes {written}, and the file at the place is {language}")
    with constraint_faults():
        entry = Entries(language).enter(prefix + suffix, len(prefix), len(prefix))
        balance = Balance.at(prefix, suffix, python=language.is_python)
        if entry.state is None:
            return (balance,)
        return balance, ScopeConstraint.of(entry, symbols, prefix=prefix, suffix=suffix)


def _prompt(model: Model, task: ProgramTask, budget: int) -> tuple[int, ...]:
    mark = "#" if task.program.language.is_python else "//"
    comment = "".join(f"{mark} {line}".rstrip() + "\n" for line in task.prompt.splitlines())
    head = task.prefix + "\n" if comment and task.prefix and not task.prefix.endswith("\n") else task.prefix
    source = Source(task.program.language, head + comment, task.suffix)
    return tuple(packer_for(model.vocabulary).pack(source, budget).tokens)


def _unfinished(guard: Guard) -> Refusal | None:
    with constraint_faults():
        return guard.may_stop()
