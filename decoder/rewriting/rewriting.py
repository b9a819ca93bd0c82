"""Write a text anew as an instruction says: the text itself is the draft, so that only its changes cost.

A rewriting goes on in slices, between which others may use the model; it has a cache of its own. What it writes is
held to the syntax of the whole file and to names that can be meant: one that the original declares and what is written
does not is refused, and a word that neither the file nor the instruction says is less probable. What goes on with the
original is more probable than the model thinks (`copy_bias`). Where the whole result shows that one of its
words is wrong (`const` before a name that is assigned again), it is written anew from that word on, itself the draft.
Where another text may be more probable as a whole, it is looked for (`second_thoughts`), first of all what the
instruction may have meant (`guesses`). Only a text that the model ended by itself is a result; whether it may
stand is for the caller to judge. Knows nothing of files and editors.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING

from decoder.bias import Biases
from decoder.constraint.objections import Objection, Objections
from decoder.draft import Aligned, Counts, Draft, Drafter, Kind, Late, Reference, Undrafted, costs_of
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.grouping import steady
from decoder.loop import decode
from decoder.observer import Scores
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.frame import Frame
from decoder.rewriting.guard import rewrite_guard
from decoder.rewriting.guesses import Guesses
from decoder.rewriting.second_thoughts import SLACK, Branch, SecondThoughts, is_certain
from decoder.rewriting.task import Policy, Rewrite, RewriteTask
from decoder.sampling import Sampler
from decoder.stops import Stop, repeats_itself

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from context_index.symbols import SymbolContext
    from decoder.models.model import Model

_GROWTH = 1.5
"""How much longer than the original a result may be, and by `_ROOM` tokens more."""
_ROOM = 64
_MOST_OBJECTIONS = 8
"""Each costs a prompt that is known already and the tokens behind its place, which are drafted."""
_INTERRUPTED = frozenset({Stop.CANCELLED, Stop.DEADLINE})
_SLACK = 8
"""Tokens that joining texts may cost beyond the sum of their counts."""


class Rewriting:
    """One task, slice by slice. Belongs to the model's thread.

    Args:
        model: Its weights are used, its cache is not.
    """

    def __init__(self, model: Model, task: RewriteTask, cancel: Event | None = None) -> None:
        self._started = time.perf_counter()
        self._frame = Frame.of(task.text)
        prompt = rewrite_prompt(model.vocabulary, task.symbols.language, task.instruction, self._frame.body)
        self._prompt = prompt.tokens
        self._model, self._grouping = steady(model.branch(), prompt.tokens)
        self._vocabulary = model.vocabulary.ended_by(prompt.end)
        self.expected = len(model.vocabulary.encode(self._frame.body))
        """Tokens of the original."""
        with constraint_faults():
            self._guard = rewrite_guard(task, self._frame)
        self._cancel = cancel or Event()
        self._task = task
        self._objections: tuple[Objection, ...] = ()
        self._spent, self._forwards = 0.0, 0
        """Seconds of forwards, and their number, for other texts than the one that is being written."""
        self._guesses = Guesses(task, self._frame.body, self._vocabulary)
        self._draft = task.draft
        self._run = self._new_run()
        self._steps = self._write()

    def _new_run(self, bias: Biases | None = None) -> Generation:
        self._scores = Scores()
        longest = int(_GROWTH * self.expected) + _ROOM
        guard = self._guard
        if self._objections:
            guard = replace(guard, rules=(Objections(self._objections), *guard.rules))
        return Generation(
            guard,
            None,
            max_tokens=max(0, min(longest, self._model.context - len(self._prompt))),
            deadline=self._task.deadline,
            cancel=self._cancel,
            repeats=_new_repetition(self._frame.body, self._vocabulary.decode),
            vocabulary=self._vocabulary,
            bias=bias or self._guesses.bias(),
            observers=(self._scores,),
        )

    @property
    def written(self) -> int:
        """Tokens so far."""
        return len(self._run.tokens)

    def advance(self, seconds: float) -> Rewrite | None:
        """Go on for about so long; the result once it is there.

        Raises:
            ConstraintFaultError: a rule broke.
            OutOfDeviceMemoryError: the device has no room for it.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                next(self._steps)
            except StopIteration as stop:
                return self._result(stop.value)
            if time.monotonic() >= end:
                return None

    def counts(self) -> Counts:
        """What became of the draft so far."""
        counts = self._run.ledger.counts(self._run.tokens)
        return replace(counts, forwards=counts.forwards + self._forwards)

    def _write(self) -> Generator[None, None, Stop]:
        """What is surely meant, if it can be; else the text, anew as long as somebody objects to it, thought over."""
        if (meant := self._guesses.meant) is not None:
            self._leave(self._new_run(self._guesses.bias(toward=True)), self._frame.around(meant.text))
            stop = yield from self._decode()
            is_made = stop is Stop.END and meant.is_made_in(self._written())
            if stop in _INTERRUPTED or (is_made and self._objection() is None):
                return stop
            self._leave(self._new_run(), self._task.draft)
        while (stop := (yield from self._decode())) is Stop.END and (objection := self._objection()) is not None:
            self._objections += (objection,)
            self._leave(self._new_run(), self._frame.around(self._written()))
        if self._is_settled(stop):
            return stop
        return (yield from self._reconsidered(stop))

    def _objection(self) -> Objection | None:
        """The first word of the result that somebody objects to, unless that was said before or too much was said."""
        if self._task.objections is None or len(self._objections) >= _MOST_OBJECTIONS:
            return None
        written = self._written()
        with constraint_faults():
            made = self._task.objections(self._frame.around(written))
        placed = (replace(one, offset=self._frame.within(written, one.offset)) for one in made)
        first = min(placed, key=lambda one: one.offset, default=None)
        return None if first in self._objections else first

    def _leave(self, run: Generation, draft: str | None) -> None:
        """Go on with another text."""
        self._spent += self._run.forward_seconds
        self._forwards += self._run.ledger.forwards
        self._run, self._draft = run, draft

    def _is_settled(self, stop: Stop) -> bool:
        """Whether no other text is looked for: a sample is one of many, and what is certain needs no second look."""
        if stop in _INTERRUPTED or self._task.sampling.temperature or not self._model.rolls_back:
            return True
        return stop is Stop.END and not self._worth(self._run) and is_certain(self._scores.values)

    def _worth(self, run: Generation) -> float:
        """What a text that the model has ended is worth beside its probability: it should be another one."""
        return self._guesses.worth.of(run.output.decode("utf-8", "ignore"))

    def _reconsidered(self, stop: Stop) -> Generator[None, None, Stop]:
        """Look for a text that is more probable than the one that stopped so."""
        first = self._run
        thoughts = SecondThoughts(self._model, self._prompt, self._vocabulary, self._worth)
        yield from thoughts.read(first, ended=stop is Stop.END)
        again: Stop | None = None
        for bias, draft in self._guesses.beside(self._written()):
            if again in _INTERRUPTED:
                break
            self._leave(self._new_run(bias), self._frame.around(draft))
            again = yield from self._decode()
            if again is Stop.END and self._may_stand(stop):
                self._run.bias = self._guesses.bias()
                yield from thoughts.read(self._run, ended=True)
        while again not in _INTERRUPTED and (branch := thoughts.next()) is not None:
            parent = branch.parent.output.decode("utf-8", "ignore")
            self._leave(self._new_run(), self._frame.around(parent))
            again = yield from self._gone_on(branch, thoughts.score)
            if again is Stop.END and self._may_stand(stop):
                yield from thoughts.read(self._run, ended=True)
            elif again not in (None, Stop.END) and again not in _INTERRUPTED:
                yield from thoughts.read(self._run, ended=False)
        self._leave(thoughts.best or first, None)
        self._forwards += thoughts.forwards - self._run.ledger.forwards
        self._spent += thoughts.forward_seconds - self._run.forward_seconds
        if again is Stop.CANCELLED:
            return again
        return stop if thoughts.best is None else Stop.END

    def _may_stand(self, stop: Stop) -> bool:
        """Whether a text is a result, where the first one stopped so: none is better than the original then."""
        is_better = stop is Stop.END or not self._guesses.worth.is_unchanged(self._written())
        return is_better and self._objection() is None

    def _gone_on(self, branch: Branch, best: float) -> Generator[None, None, Stop | None]:
        """Write what follows a choice that was made the other way; None once that cannot become the best any more."""
        run = self._run
        run.begin_as(branch.parent, branch.place)
        self._scores.values = [branch.score]
        run.append(branch.token, self._vocabulary.token_bytes[branch.token], branch.guard)
        run.ledger.take(Kind.GENERATED)
        steps = self._decode()
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]  # a Stop, as `decode` says
            if self._scores.total < best - SLACK:
                return None
            yield

    def _written(self) -> str:
        return self._run.output.decode("utf-8", "ignore")

    def _decode(self) -> Generator[None, None, Stop]:
        if not self._run.room:
            return Stop.LENGTH
        sampler = Sampler(self._task.sampling)
        drafter = Late(self._drafter)
        steps = decode(self._model, self._prompt, self._run, sampler, drafter, grouping=self._grouping)
        return (yield from steps)

    def _drafter(self) -> Drafter:
        """Made once the prompt is read, as forwards are measured behind it."""
        task = self._task
        if task.policy is Policy.PLAIN or not self._model.rolls_back:
            return Undrafted()
        text = "" if self._draft is None else Frame.of(self._draft).body
        if self._frame.carriage_returns:
            text = text.replace("\r\n", "\n")
        draft = Draft.of(self._model.vocabulary.encode(text))
        if task.policy is Policy.REFERENCE:
            return Reference(draft)
        return Aligned(draft, self._prompt, costs=costs_of(self._model))

    def _result(self, stop: Stop) -> Rewrite:
        run, counts = self._run, self.counts()
        return Rewrite(
            text=self._frame.around(self._written()),
            stop=stop,
            counts=counts,
            pieces=tuple((span.kind, self._vocabulary.decode(span.tokens)) for span in counts.spans),
            prompt_tokens=len(self._prompt),
            seconds=time.perf_counter() - self._started,
            forward_seconds=self._spent + run.forward_seconds,
        )


def rewrite(model: Model, task: RewriteTask, cancel: Event | None = None) -> Rewrite:
    """Write anew at one go.

    Raises:
        ConstraintFaultError: a rule broke; nothing may be shown.
        OutOfDeviceMemoryError: the caller may try again on the CPU.
    """
    rewriting = Rewriting(model, task, cancel)
    while (done := rewriting.advance(60.0)) is None:
        pass
    return done


def longest_region(model: Model, instruction: str, symbols: SymbolContext) -> int:
    """Tokens that a text may have, so that it fits into the model's context twice: read, and written with changes."""
    context = steady(model, ())[0].context
    fixed = len(rewrite_prompt(model.vocabulary, symbols.language, instruction, "").tokens)
    return int((context - fixed - _ROOM - _SLACK) / (1 + _GROWTH))


def _new_repetition(original: str, decode: Callable[[Sequence[int]], str]) -> Callable[[list[int]], int]:
    """Loops, unless the original says the same over and over, too."""

    def surplus(tokens: list[int]) -> int:
        count = repeats_itself(tokens)
        return count if count and decode(tokens[-count:]) not in original else 0

    return surplus
