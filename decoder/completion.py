"""Fill in at a cursor: text in, a checked suggestion out. Puts prompt, constraint, endings and loop together."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from context_index.symbols import SymbolContext
from decoder.constraint.balance import Balance
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard
from decoder.constraint.names import NamesInScope
from decoder.constraint.protocol import Refusal
from decoder.constraint.syntax import SyntaxConstraint
from decoder.errors import constraint_faults
from decoder.lexical import at_cursor
from decoder.loop import Generation, generate
from decoder.prompt.families import Source
from decoder.prompt.healing import heal
from decoder.prompt.packing import packer_for
from decoder.ranking import rank
from decoder.sampling import Sampler, SamplingOptions
from decoder.stops import Ends, Stop, Until

if TYPE_CHECKING:
    from decoder.constraint.protocol import Constraint, Report
    from decoder.grammar import EntryKind
    from decoder.model import Model
    from decoder.trace import TokenTrace

_NEARBY = 4_000
"""Characters around the cursor in which the lines above and below are looked for."""


@dataclass(frozen=True, slots=True)
class CompletionTask:
    """What is wanted, and where."""

    prefix: str
    suffix: str
    symbols: SymbolContext
    until: Until = Until.STATEMENT
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    max_tokens: int = 64
    deadline: float | None = None
    """On `time.monotonic`'s clock."""
    path: str = ""
    """Where the file stands in its workspace, for models that were trained to read it."""
    syntax_errors: int | None = None
    """ERROR and MISSING nodes of the document's tree, where they have been counted."""
    document: str = ""
    """Whose text it is, from request to request; the key of what is remembered."""
    beginning: str = ""
    """What the output must begin with, the half-typed word before the cursor not included."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What came of it. `text` goes in at the cursor: the half-typed word is not repeated."""

    text: str
    written: str
    """All that the model wrote; `text` is the beginning of it that may stand."""
    stop: Stop
    tokens: tuple[int, ...]
    report: Report
    """Of `text`."""
    start: Guard
    healed: str
    first_token_seconds: float | None
    seconds: float
    forward_seconds: float
    reused: int
    """Prompt tokens that the cache held already."""
    prompt_tokens: int = 0
    entered: EntryKind | None = None
    """How the syntax automaton got to the cursor; None where the task is not constrained."""
    trace: tuple[TokenTrace, ...] = ()
    mean_logprob: float = field(default=-math.inf)
    """Mean natural logarithm of the probability that the unconstrained model gave to each token."""

    def report_of(self, text: str) -> Report:
        """What could not be proven about a beginning of `text`."""
        if text == self.text:
            return self.report
        with constraint_faults():
            ended = self.start.feed((self.healed + text).encode())
            return self.report if isinstance(ended, Refusal) else ended.report()


def complete(
    model: Model, task: CompletionTask, cancel: Event | None = None, *, states: DocumentStates | None = None
) -> Completion:
    """Fill in at the end of `task.prefix`.

    Args:
        states: What is remembered of documents between requests.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        OutOfDeviceMemoryError: the caller may try again on the CPU.
    """
    started = time.perf_counter()
    healed = heal(task.prefix)
    owed = healed.word + task.beginning
    prompt = _prompt(model, task, healed.prefix)
    with constraint_faults():
        start, entered = _guard(task, healed.prefix, owed, states or DocumentStates())
    run = Generation(
        start,
        _ends(task, healed.prefix),
        max_tokens=min(task.max_tokens, model.context - len(prompt)),
        deadline=task.deadline,
        cancel=cancel or Event(),
    )
    stop = generate(model, prompt, run, Sampler(task.sampling))
    with constraint_faults():
        text, guard = run.stoppable()
        report = guard.report()
    return Completion(
        text=text[len(healed.word) :].rstrip(),
        written=run.output.decode("utf-8", "ignore")[len(healed.word) :],
        stop=stop,
        tokens=tuple(run.tokens),
        report=report,
        start=start,
        healed=healed.word,
        first_token_seconds=run.first_token_at - started if run.first_token_at is not None else None,
        seconds=time.perf_counter() - started,
        forward_seconds=run.forward_seconds,
        reused=run.reused,
        prompt_tokens=len(prompt),
        entered=entered,
        trace=tuple(run.trace),
        mean_logprob=sum(step.logprob for step in run.trace) / len(run.trace) if run.trace else -math.inf,
    )


def rank_names(
    model: Model,
    task: CompletionTask,
    names: Sequence[str],
    *,
    budget_forwards: int | None = None,
    cancel: Event | None = None,
) -> dict[str, float]:
    """The model's log-probability of each name at the cursor, in place of the word that is half-typed there.

    Names that the budget did not reach have an estimate; where `cancel` came first, none may have a value.
    """
    healed = heal(task.prefix)
    space = " " if healed.word.startswith(" ") else ""
    prompt = _prompt(model, task, healed.prefix)
    spelled = {space + name: name for name in names}
    scores = rank(model, prompt, list(spelled), budget_forwards=budget_forwards, cancel=cancel)
    return {spelled[text]: score for text, score in scores.items()}


def _prompt(model: Model, task: CompletionTask, prefix: str) -> Sequence[int]:
    source = Source(task.symbols.language, prefix, task.suffix, path=task.path, snippets=task.symbols.snippets)
    room_to_write = min(task.max_tokens, model.context // 4)
    return packer_for(model.vocabulary).pack(source, model.context - room_to_write).tokens


def _guard(task: CompletionTask, prefix: str, owed: str, states: DocumentStates) -> tuple[Guard, EntryKind | None]:
    if not task.constrained:
        return Guard(owed=owed.encode()), None
    symbols = task.symbols
    text, cursor = task.prefix + task.suffix, len(task.prefix)
    entry = states.enter(task.document, symbols.language, text, len(prefix), cursor, known_faults=task.syntax_errors)
    rules: list[Constraint] = [
        Balance.at(prefix, task.suffix, python=symbols.language.is_python),
        NamesInScope.at(prefix, symbols, task.suffix),
    ]
    if syntax := SyntaxConstraint.of(entry):
        rules.append(syntax)
    return Guard(tuple(rules), owed=owed.encode()), entry.kind


def _ends(task: CompletionTask, prefix: str) -> Ends:
    lines = prefix[-_NEARBY:].split("\n")
    current = lines[-1]
    above = next((line for line in reversed(lines[:-1]) if line.strip()), "")
    below = next((line for line in task.suffix[:_NEARBY].split("\n")[1:] if line.strip()), "")
    place = at_cursor(prefix, python=task.symbols.language.is_python)
    indentation = len(current) - len(current.lstrip())
    return Ends(
        task.until,
        place,
        indentation=indentation,
        line=current,
        rest=task.suffix.split("\n", 1)[0],
        above=above if not current.strip() else "",
        below=below,
    )
