"""Write a text anew as an instruction says: the text itself is the draft, so that only its changes cost.

A rewriting goes on in slices, between which others may use the model; it has a cache of its own. What it writes is
held to the syntax of the whole file and to names in scope. It writes one attempt after another for `decoder.search`:
each begins like the one before, up to the first token that was banned, and costs what comes after that. Only a text
that the model ended by itself is a result; whether it may stand is for a verifier to judge. Knows nothing of files,
editors and of what an instruction says: the model reads that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

from decoder.draft import Counts, Drafter, Kind, Late
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.grouping import steady
from decoder.loop import decode
from decoder.observer import Margins, Scores
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.attempt import Attempt
from decoder.rewriting.constraint import rewrite_constraint
from decoder.rewriting.frame import Frame
from decoder.rewriting.task import RegionTooLongError
from decoder.sampling import Sampler
from decoder.search import Budget, Found, search
from decoder.stops import Stop, repeats_itself

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from decoder.models.model import Model
    from decoder.rewriting.task import RewriteTask
    from decoder.search import Verify

_GROWTH = 2
"""How much longer than the original a result may be, and by `_ROOM` tokens more."""
_ROOM = 256
_FORWARDS = 100
"""Of all attempts together, and one for each token of the original; a region is half a prompt, so most cost less."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a rewriting is."""

    written: int
    """Tokens."""
    expected: int
    """Tokens of the original; a result may have fewer, or more."""
    counts: Counts


class Rewriting:
    """One task, attempt by attempt and slice by slice. Belongs to the model's thread.

    Args:
        model: Its weights are used, its cache is not.

    Raises:
        RegionTooLongError: the region does not fit the model's context.
        ConstraintFaultError: a rule broke.
    """

    def __init__(self, model: Model, task: RewriteTask, cancel: Event | None = None) -> None:
        self._task, self._cancel = task, cancel or Event()
        self._frame = Frame.of(task.text)
        self._expected = len(model.vocabulary.encode(self._frame.body))
        context = steady(model, ())[0].context
        language = None if task.symbols is None else task.symbols.language
        around = task.prefix, task.suffix
        room = context - self._most(self._expected)
        prompt = rewrite_prompt(
            model.vocabulary, language, task.instruction, self._frame.body, around=around, room=room
        )
        self._prompt = prompt.tokens
        self._model, self._grouping = steady(model.branch(), prompt.tokens)
        self._vocabulary = model.vocabulary.ended_by(prompt.end)
        if len(self._prompt) + self._expected > self._model.context:
            raise RegionTooLongError(
                f"{self._expected} tokens are to be read and written, and the model reads {self._model.context} in all"
            )
        with constraint_faults():
            self._constraint = rewrite_constraint(task, self._frame)
        self._repeats = _new_repetition(self._frame.body, self._vocabulary.decode)
        self._spent, self._forwards = 0.0, 0
        """Seconds of forwards, and their number, for attempts before this one."""
        self._run, self._scores, self._margins = self._new_run()
        self._steps = self._decode(self._run)

    def begin(self, parent: Attempt, stem: bytes, banned: frozenset[bytes]) -> None:
        """Start an attempt that begins with a part of another's output, and with nothing banned."""
        self._spent += self._run.forward_seconds
        self._forwards += self._run.ledger.forwards
        self._run, self._scores, self._margins = self._new_run(banned)
        count = parent.count(stem)
        self._run.begin_as(parent.run, count)
        self._scores.values += parent.scores.values[:count]
        self._margins.values += parent.margins.values[:count]
        self._steps = self._decode(self._run)

    def _new_run(self, banned: frozenset[bytes] = frozenset()) -> tuple[Generation, Scores, Margins]:
        scores, margins = Scores(), Margins()
        run = Generation(
            self._constraint,
            None,
            max_tokens=max(0, min(self._most(self._expected), self._model.context - len(self._prompt))),
            deadline=self._task.deadline,
            cancel=self._cancel,
            repeats=self._repeats,
            vocabulary=self._vocabulary,
            banned_prefixes=banned,
            observers=(scores, margins),
        )
        return run, scores, margins

    def advance(self, seconds: float) -> Attempt | None:
        """Go on for about so long; the attempt once it has ended.

        Raises:
            ConstraintFaultError: a rule broke.
            OutOfDeviceMemoryError: the device has no room for it.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                next(self._steps)
            except StopIteration as stop:
                return Attempt(self._run, self._scores, self._margins, stop.value, self._frame)
            if time.monotonic() >= end:
                return None

    @property
    def budget(self) -> Budget:
        """A rewrite is verified as soon as it is written; another attempt turns back to what was rejected."""
        return Budget(forwards=_FORWARDS + self._expected, ahead=0)

    def progress(self) -> Progress:
        """How far the attempt is."""
        return Progress(len(self._run.tokens), self._expected, self.counts(self._run))

    def counts(self, run: Generation) -> Counts:
        """What became of the draft in one attempt; the forwards are those of all."""
        counts = run.ledger.counts(run.tokens)
        before = self._forwards if run is self._run else 0
        return replace(counts, forwards=counts.forwards + before)

    def pieces(self, counts: Counts) -> tuple[tuple[Kind, str], ...]:
        """The output and what was rejected, in order, as text."""
        return tuple((span.kind, self._vocabulary.decode(span.tokens)) for span in counts.spans)

    @property
    def forward_seconds(self) -> float:
        """Time inside the model so far."""
        return self._spent + self._run.forward_seconds

    @staticmethod
    def _most(expected: int) -> int:
        return _GROWTH * expected + _ROOM

    def _decode(self, run: Generation) -> Generator[None, None, Stop]:
        if run.room <= 0:
            return Stop.LENGTH
        drafter = Late(lambda: self._drafter(run))
        sampler = Sampler(self._task.sampling)
        return (yield from decode(self._model, self._prompt, run, sampler, drafter, grouping=self._grouping))

    def _drafter(self, run: Generation) -> Drafter:
        """Made once the prompt is read, as forwards are measured after it."""
        prediction = self._task.prediction
        if prediction.text is not None:
            text = Frame.of(prediction.text).body
            text = text.replace("\r\n", "\n") if self._frame.carriage_returns else text
            prediction = replace(prediction, text=text)
        return prediction.drafter(self._prompt, self._model, run.ledger)


def rewrite(
    model: Model, task: RewriteTask, verify: Verify = lambda _text: None, cancel: Event | None = None
) -> tuple[Rewriting, Found[Attempt]]:
    """Write anew at one go.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        OutOfDeviceMemoryError: the caller may try again on the CPU.
        RegionTooLongError: the region does not fit the model's context.
    """
    rewriting = Rewriting(model, task, cancel)

    def write(parent: Attempt | None, stem: bytes, banned: frozenset[bytes], _floor: float) -> Attempt:
        if parent is not None:
            rewriting.begin(parent, stem, banned)
        while (attempt := rewriting.advance(60.0)) is None:
            pass
        return attempt

    return rewriting, search(write, verify, rewriting.budget)


def _new_repetition(original: str, decode: Callable[[Sequence[int]], str]) -> Callable[[list[int]], int]:
    """Loops, unless the original says the same over and over, too."""

    def surplus(tokens: list[int]) -> int:
        count = repeats_itself(tokens)
        return count if count and decode(tokens[-count:]) not in original else 0

    return surplus
