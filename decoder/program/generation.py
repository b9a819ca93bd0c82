"""Makes a model write a text that a program allows."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from decoder.candidate import Output
from decoder.constraint.balance import Balance
from decoder.constraint.protocol import Refusal, Rule
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState
from decoder.errors import ProgramError, constraint_faults
from decoder.generation import Generation
from decoder.grammar import Entries
from decoder.grouping import steady
from decoder.loop import generate
from decoder.observer import TracedRecord
from decoder.program.program import Program
from decoder.prompt.families import PromptSource
from decoder.prompt.packing import packer_for
from decoder.sampling import Sampler, SamplingOptions
from decoder.search import NotAccepted, SearchBudget, SearchResult, search
from decoder.stops import Stop

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext
    from decoder.constraint.protocol import Constraint
    from decoder.draft import Counts, Prediction
    from decoder.models.model import Model
    from decoder.observer import TokenTrace
    from decoder.search import Verify

_CLOSING_TOKENS = 512
"""Tokens beyond `max_tokens` in which a text may be brought to its end."""
_FORWARDS = 8_192
"""The budget of one search, the first text included."""
_MOST_REJECTED = 64
"""Whole texts that may be rejected, none of them accepted: then the place is wrong, and the next text would be, too."""


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """A program, and what the model sees before it writes."""

    program: Program
    prompt: str = ""
    """Shown to the model as a comment."""
    prefix: str = ""
    suffix: str = ""
    symbols: SymbolContext | None = None
    """What is in scope between prefix and suffix: the text is held to the syntax and the names there, too."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    max_tokens: int = 256
    """After these the text is brought to its end in the shortest way."""
    prediction: Prediction | None = None
    """The expected text; it changes how fast the text is written, never the text."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """A whole text that the program allows, and how it was written."""

    text: str
    closed: bool
    """Whether its tokens were used up, so that it was brought to its end in the shortest way."""
    tokens: int
    seconds: float
    trace: tuple[TokenTrace, ...]
    counts: Counts
    """What became of the prediction."""


@dataclass(frozen=True, slots=True)
class _Attempt(Output):
    """One text, from its first token to where it ends or nothing can follow. See `decoder.search.WrittenText`."""

    record: TracedRecord
    closed: bool

    @property
    def text(self) -> str:
        """The search's key: two attempts with the same text are the same."""
        return repr(self.output)

    @property
    def is_unfinished(self) -> bool:
        """Never: nothing is too improbable for a program."""
        return False

    @property
    def unfinished(self) -> Refusal | None:
        """Why the program does not end here."""
        with constraint_faults():
            return self.run.states[-1].may_stop()

    def beginning(self, _length: int) -> bytes:
        """The whole: a program may allow few texts, and a checker reports some errors before their cause."""
        return self.output


def write(
    model: Model, task: ProgramTask, cancel: Event | None = None, verify: Verify = lambda _text: None
) -> ProgramResult:
    """Run the program on the model.

    Each rule is asked on its own whether a text may go on, so all may agree to a beginning that no text completes: a
    program may want five letters where the only name in scope that begins so has three. Then the search turns back, as
    it does from a whole text that is rejected.

    Raises:
        ProgramError: the program fails, allows nothing, does not come to an end, or writes nothing that is verified.
    """
    started = time.perf_counter()
    constraint = ConstraintState((task.program.constraint().limited(task.max_tokens), *_rules(task)))
    room = min(task.max_tokens + _CLOSING_TOKENS, model.context // 2)
    prompt = _prompt(model, task, model.context - room)
    cancel, attempts = cancel or Event(), dict[str, _Attempt]()
    whole: list[_Attempt] = []
    grouping = None
    if task.prediction is not None:  # else the text could depend on how tokens are grouped into forwards
        model, grouping = steady(model, prompt)

    def attempt(parent: _Attempt | None, stem: bytes, banned: frozenset[bytes], _floor: float) -> _Attempt:
        record = TracedRecord()
        run = Generation(
            constraint, None, max_tokens=model.context - len(prompt), deadline=None, cancel=cancel,
            repeats=lambda _tokens: 0, banned_prefixes=banned, observers=(record,),
        )  # fmt: skip
        if parent is not None:
            parent.begin(run, record, stem)
        drafter = task.prediction.drafter(prompt, model, run.ledger) if task.prediction is not None else None
        stop = generate(model, prompt, run, Sampler(task.sampling), drafter, grouping=grouping)
        found = _Attempt(run, record, stop, closed=len(run.tokens) > task.max_tokens)
        attempts[found.text] = found
        if found.unfinished is None:
            whole.append(found)
        return found

    def judged(text: str) -> NotAccepted | None:
        found = attempts[text]
        if found.unfinished is None:
            return verify(found.output.decode())
        return NotAccepted() if found.stop is Stop.STUCK else None

    budget = SearchBudget(forwards=_FORWARDS, ahead=0, nats=math.inf)
    found = search(attempt, judged, budget, is_over=lambda: len(whole) > _MOST_REJECTED)  # the last one is not judged
    best = _best_whole(found)
    run = best.run
    return ProgramResult(
        text=run.output.decode(),
        closed=best.closed,
        tokens=len(run.tokens),
        seconds=time.perf_counter() - started,
        trace=best.record.trace.steps(),
        counts=run.ledger.counts(run.tokens),
    )


def _best_whole(found: SearchResult[_Attempt]) -> _Attempt:
    """The best text of a search.

    Raises:
        ProgramError: none was accepted, or none is whole.
    """
    best = (found.accepted or found.written)[0]
    if not found.accepted and any(one.unfinished is None for one in found.written):
        raise ProgramError("nothing that the program writes is accepted at the place")
    if (unfinished := best.unfinished) is not None:
        raise ProgramError(_why_unfinished(best.stop, unfinished))
    return best


def _why_unfinished(stop: Stop, unfinished: Refusal) -> str:
    if stop is Stop.LENGTH:
        return "the program's text does not come to an end within what the model can read"
    if stop is not Stop.STUCK:
        return f"the program's text was not finished ({stop})"
    if unfinished.rule is Rule.PROGRAM:
        return "the program has come to where nothing that it allows can follow"
    return f"what the program allows cannot stand at the place ({unfinished.rule}: {unfinished.what!r:.60})"


def _rules(task: ProgramTask) -> tuple[Constraint, ...]:
    """The rules of the place where the text will stand; none where the task has no place."""
    symbols, prefix, suffix = task.symbols, task.prefix, task.suffix
    if symbols is None:
        return ()
    written, language = task.program.language, symbols.language
    if written.family != language.family:
        raise ProgramError(f"the program writes {written}, and the file at the place is {language}")
    with constraint_faults():
        entry = Entries(language).enter(prefix + suffix, len(prefix))
        balance = Balance.at(prefix, suffix, language=language)
        if entry.state is None:
            return (balance,)
        return balance, ScopeConstraint.of(entry, symbols)


def _prompt(model: Model, task: ProgramTask, budget: int) -> tuple[int, ...]:
    mark = task.program.language.record.lexis.comment
    comment = "".join(f"{mark} {line}".rstrip() + "\n" for line in task.prompt.splitlines())
    head = task.prefix + "\n" if comment and task.prefix and not task.prefix.endswith("\n") else task.prefix
    source = PromptSource(task.program.language, head + comment, task.suffix)
    return tuple(packer_for(model.vocabulary).pack(source, budget).tokens)
