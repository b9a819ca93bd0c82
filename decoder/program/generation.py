"""Makes a model write a text that a program allows: `write`, for `inscope generate`."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

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
from decoder.output import Output
from decoder.program.program import Program
from decoder.prompt.families import PromptSource
from decoder.prompt.packing import pack
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
"""After `max_tokens`, a text may take so many more tokens until it is brought to its end."""
_FORWARDS = 8_192
"""The most forwards of one search, the first text included."""
_MOST_REJECTED = 64
"""The search ends after so many whole texts were rejected and none accepted: the next one would be rejected, too."""


@dataclass(frozen=True, slots=True)
class ProgramTask:
    """A program, and what the model sees before it writes."""

    program: Program
    prompt: str = ""
    """Shown to the model as a comment."""
    prefix: str = ""
    """The file before the place where the text is to be inserted."""
    suffix: str = ""
    """The file after that place."""
    symbols: SymbolContext | None = None
    """The names in scope at the place. Then the text is held to its syntax and names as well; with None, to neither."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    max_tokens: int = 256
    """After so many tokens the text is brought to its end in the shortest way."""
    prediction: Prediction | None = None
    """The expected text; it changes how fast the text is written, never the text."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """A whole text that the program allows, and how it was written."""

    text: str
    closed: bool
    """Whether `ProgramTask.max_tokens` was reached, so that the text was brought to its end in the shortest way."""
    tokens: int
    seconds: float
    trace: tuple[TokenTrace, ...]
    """One item for each token."""
    counts: Counts
    """What became of the prediction."""


@dataclass(frozen=True, slots=True)
class _Attempt(Output):
    """One text, from its first token to where it ends or nothing can follow. See `decoder.search.WrittenText`."""

    record: TracedRecord
    closed: bool
    """As in `ProgramResult`."""

    @property
    def text(self) -> str:
        """The key by which the search knows the text: its bytes, which may end within a character, as Python code."""
        return repr(self.output)

    @property
    def unfinished(self) -> Refusal | None:
        """Why the text is not whole; None where it is."""
        with constraint_faults():
            return self.run.states[-1].may_stop()

    def beginning(self, _length: int) -> bytes:
        """The whole text is what a rejection bans.

        A program may allow few texts, and a checker reports some errors before their cause.
        """
        return self.output


def write(
    model: Model, task: ProgramTask, cancel: Event | None = None, verify: Verify = lambda _text: None
) -> ProgramResult:
    """Write a text that the task's program allows.

    Each rule is asked on its own whether a text may go on. So all may allow a beginning that no text completes: a
    program may want five letters where the only name in scope that begins so has three. Then the search backtracks, as
    it does from a whole text that is rejected.

    Args:
        cancel: If it is set, writing ends early, which is an error.
        verify: Rejects a whole text, or accepts it by returning None.

    Raises:
        ProgramError: the program fails, allows nothing or does not come to an end; or no text of it is accepted.
    """
    started = time.perf_counter()
    writer = _Writer(model, task, cancel or Event(), verify)
    budget = SearchBudget(forwards=_FORWARDS, ahead=0, nats=math.inf)
    best = _best_whole(search(writer.write, writer.judge, budget, is_over=writer.is_over))
    run = best.run
    return ProgramResult(
        text=run.output.decode(),
        closed=best.closed,
        tokens=len(run.tokens),
        seconds=time.perf_counter() - started,
        trace=best.record.trace.steps(),
        counts=run.ledger.counts(run.tokens),
    )


class _Writer:
    """Writes and judges the texts of one task; `decoder.search` calls its methods."""

    def __init__(self, model: Model, task: ProgramTask, cancel: Event, verify: Verify) -> None:
        self._task, self._cancel, self._verify = task, cancel, verify
        self._constraint = ConstraintState((task.program.constraint().limited(task.max_tokens), *_rules(task)))
        room = min(task.max_tokens + _CLOSING_TOKENS, model.context // 2)
        self._prompt = _prompt(model, task, model.context - room)
        # with a prediction, the text must not depend on how tokens are grouped into forwards
        self._model, self._grouping = (model, None) if task.prediction is None else steady(model, self._prompt)
        self._attempts: dict[str, _Attempt] = {}
        """By `_Attempt.text`."""
        self._whole_count = 0

    def write(self, parent: _Attempt | None, stem: bytes, banned: frozenset[bytes], _floor: float) -> _Attempt:
        """Write one text; `decoder.search` says what the arguments are."""
        task, model, prompt, record = self._task, self._model, self._prompt, TracedRecord()
        run = Generation(
            self._constraint, None, max_tokens=model.context - len(prompt), deadline=None, cancel=self._cancel,
            repeats=lambda _tokens: 0, banned_prefixes=banned, observers=(record,),
        )  # fmt: skip
        if parent is not None:
            parent.begin(run, record, stem)
        drafter = task.prediction.drafter(prompt, model, run.ledger) if task.prediction is not None else None
        stop = generate(model, prompt, run, Sampler(task.sampling), drafter, grouping=self._grouping)
        attempt = _Attempt(run, record, stop, closed=len(run.tokens) > task.max_tokens)
        self._attempts[attempt.text] = attempt
        self._whole_count += attempt.unfinished is None
        return attempt

    def judge(self, text: str) -> NotAccepted | None:
        """Reject a text that is stuck, and one that `verify` rejects. Any other text ends the search."""
        attempt = self._attempts[text]
        if attempt.unfinished is None:
            return self._verify(attempt.output.decode())
        return NotAccepted() if attempt.stop is Stop.STUCK else None

    def is_over(self) -> bool:
        """Whether `_MOST_REJECTED` whole texts were rejected, and one more was written, which is not judged."""
        return self._whole_count > _MOST_REJECTED


def _best_whole(result: SearchResult[_Attempt]) -> _Attempt:
    """The best text of a search.

    Raises:
        ProgramError: none was accepted, or none is whole.
    """
    best = (result.accepted or result.written)[0]
    if not result.accepted and any(attempt.unfinished is None for attempt in result.written):
        raise ProgramError("nothing that the program writes is accepted at the place")
    if (unfinished := best.unfinished) is not None:
        raise ProgramError(_why_unfinished(best.stop, unfinished))
    return best


def _why_unfinished(stop: Stop, unfinished: Refusal) -> str:
    """Why there is no whole text, for people."""
    if stop is Stop.LENGTH:
        return "the program's text does not come to an end within what the model can read"
    if stop is not Stop.STUCK:
        return f"the program's text was not finished ({stop})"
    if unfinished.rule is Rule.PROGRAM:
        return "the program has come to where nothing that it allows can follow"
    return f"what the program allows cannot stand at the place ({unfinished.rule}: {unfinished.what!r:.60})"


def _rules(task: ProgramTask) -> tuple[Constraint, ...]:
    """The rules of the place where the text will be inserted; none where the task has no place.

    Raises:
        ProgramError: the program writes another language than that of the place.
    """
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
    """The prompt's tokens, at most `budget`: the place, with the task's prompt as a comment before it."""
    mark = task.program.language.record.lexis.comment
    comment = "".join(f"{mark} {line}".rstrip() + "\n" for line in task.prompt.splitlines())
    head = task.prefix + "\n" if comment and task.prefix and not task.prefix.endswith("\n") else task.prefix
    source = PromptSource(task.program.language, head + comment, task.suffix)
    return tuple(pack(model.card, source, budget).tokens)
