"""Rewrites a region as an instruction says; with the region itself as the draft, only its changes take time.

A `Rewriting` runs in slices of time, between which others may use the model, and has a key-value cache of its own. Its
output is held to the syntax of the whole file and to the names in scope. It writes one attempt after another for
`decoder.search`: each begins like an earlier one, up to the token that must differ, and only the rest is computed. An
attempt is a result if the model ended it by itself and the verifier accepts it. Knows nothing of files and editors, and
not what an instruction means: only the model reads it.
"""

from __future__ import annotations

import codecs
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from context_index.symbols import Name, NameKind, Origin
from decoder.choice import HOPELESS
from decoder.constraint.documents import DocumentStates
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.constraint.state import ConstraintState
from decoder.draft import Counts, Drafter, TokenOrigin
from decoder.errors import RegionTooLongError, constraint_faults
from decoder.generation import Generation
from decoder.grouping import steady
from decoder.loop import decode
from decoder.observer import ScoreRecord
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.attempt import RewriteAttempt
from decoder.rewriting.probability import is_strange, probability, surprise
from decoder.rewriting.region_frame import RegionFrame
from decoder.sampling import Sampler
from decoder.search import SearchBudget, SearchResult, search
from decoder.stops import Stop, repeats_itself

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from decoder.models.model import Model
    from decoder.prompt.rewriting import RewritePrompt
    from decoder.rewriting.task import RewriteTask
    from decoder.search import Verify

_GROWTH = 2
_ROOM = 256
"""A result may have `_GROWTH` times the tokens of the original, and `_ROOM` more."""
_FARTHEST = 10_000
"""The distance, in scopes, of a name that is visible everywhere."""
_FORWARDS = 100
"""The budget of forwards for all attempts together, in addition to one for each token of the original."""

Slice = Callable[[], RewriteAttempt | None]
"""Begins an attempt, or computes a slice of it; returns the attempt if it has ended."""


@dataclass(frozen=True, slots=True)
class RewritingProgress:
    """How far the current attempt is."""

    written: int
    """The number of tokens written."""
    expected: int
    """The number of tokens of the original; the result may have fewer or more."""
    counts: Counts
    """See `Rewriting.counts`."""


class Rewriting:
    """Writes the attempts of one task. To be used on the model's thread only, but for `search`.

    The first attempt is begun at once, further ones by `search`. `advance` computes a slice of the current one.

    Args:
        model: Only its weights are used, not its cache.
        cancel: Ends the current attempt once it is set.

    Raises:
        RegionTooLongError: the region does not fit the model's context.
        ConstraintFaultError: a rule raised an exception.
    """

    def __init__(self, model: Model, task: RewriteTask, cancel: Event | None = None) -> None:
        self._task, self._cancel = task, cancel or Event()
        self._kept = task.comments if model.card.family.rewrites else 0
        level = 0 if task.symbols is None else task.symbols.language.record.indentation
        self._frame = RegionFrame.of(task.text, self._kept, level)
        self._expected = len(model.vocabulary.encode(self._frame.body))
        """The number of tokens of the original."""
        context = steady(model, ())[0].context  # a model that computes in blocks has a smaller one
        self.instruction, prompt, self.surprise = self._asked(model, room=context - self._most_tokens(self._expected))
        """What the model is asked, and how strange that is to the built-in model, in nats; None for any other."""
        self._prompt = prompt.tokens
        # `steady` again: the grouping needs the prompt, and the branch has a cache of its own
        self._model, self._grouping = steady(model.branch(), prompt.tokens)
        self._vocabulary = model.vocabulary.ended_by(prompt.end)
        if len(self._prompt) + self._expected > self._model.context:
            rest = len(self._prompt) - self._expected  # the prompt holds the region, too
            raise RegionTooLongError(self._expected, rest, self._model.context)
        with constraint_faults():
            self._constraint = _constraint(task, self._frame)
        self._repeats = _repeats_unlike(self._frame.body, self._vocabulary.decode)
        self._earlier_seconds, self._earlier_forwards = 0.0, 0
        """The time inside the model, and the forwards, of the attempts before the current one."""
        self._run, self._record = self._new_run()
        self._steps = self._decode(self._run)

    def _asked(self, model: Model, room: int) -> tuple[str, RewritePrompt, float | None]:
        """The instruction, or the first of its wordings that is not strange to the built-in model if it is.

        With its prompt, and with how strange it is to the built-in model; None for any other.

        Args:
            room: See `rewrite_prompt`.
        """
        task = self._task
        language, around = None if task.symbols is None else task.symbols.language, (task.prefix, task.suffix)

        def prompt_with(wording: str) -> RewritePrompt:
            return rewrite_prompt(model.card, language, wording, self._frame.body, around=around, room=room)

        prompt = prompt_with(task.instruction)
        if not model.card.family.rewrites:
            return task.instruction, prompt, None
        nats = surprise(model, prompt.tokens)
        for wording in task.wordings if is_strange(nats) else ():
            shorter = prompt_with(wording)
            if not is_strange(of_shorter := surprise(model, shorter.tokens)):
                return wording, shorter, of_shorter
        return task.instruction, prompt, nats

    def search(
        self,
        verify: Verify = lambda _text: None,
        run: Callable[[Slice], RewriteAttempt | None] = lambda compute: compute(),
        *,
        seconds: float = math.inf,
        notify: Callable[[RewritingProgress], None] = lambda _now: None,
    ) -> SearchResult[RewriteAttempt]:
        """Write attempts until `verify` accepts one, or the budget is spent; may be called on another thread.

        Each attempt is verified as soon as it is written, before another is begun.

        Args:
            run: Has a slice computed on the model's thread, and returns its result.
            seconds: How long a slice takes, about.
            notify: Called between slices.

        Raises:
            ConstraintFaultError: a rule raised an exception; nothing may be shown.
            OutOfDeviceMemoryError: the device has not enough memory.
        """

        def write(
            parent: RewriteAttempt | None, stem: bytes, banned: frozenset[bytes], _floor: float
        ) -> RewriteAttempt:
            if parent is not None:
                run(partial(self._begin, parent, stem, banned))
            while (attempt := run(partial(self.advance, seconds))) is None:
                notify(self.progress())
            return attempt

        return search(write, verify, SearchBudget(forwards=_FORWARDS + self._expected, ahead=0))

    def _begin(self, parent: RewriteAttempt, stem: bytes, banned: frozenset[bytes]) -> None:
        """Begin another attempt, whose output begins with `stem`, as the parent's does, and with no banned prefix."""
        self._earlier_seconds += self._run.forward_seconds
        self._earlier_forwards += self._run.ledger.forwards
        self._run, self._record = self._new_run(banned)
        parent.begin(self._run, self._record, stem)
        self._steps = self._decode(self._run)

    def _new_run(self, banned: frozenset[bytes] = frozenset()) -> tuple[Generation, ScoreRecord]:
        """An empty output that begins with no banned prefix, and its record."""
        record = ScoreRecord()
        run = Generation(
            self._constraint,
            None,  # the model or a limit ends the output
            max_tokens=max(0, min(self._most_tokens(self._expected), self._model.context - len(self._prompt))),
            deadline=self._task.deadline,
            cancel=self._cancel,
            repeats=self._repeats,
            vocabulary=self._vocabulary,
            banned_prefixes=banned,
            observers=(record,),
            hopeless=HOPELESS,
        )
        return run, record

    def advance(self, seconds: float) -> RewriteAttempt | None:
        """Compute for about `seconds`. The attempt if it has ended, else None.

        Raises:
            ConstraintFaultError: a rule raised an exception.
            OutOfDeviceMemoryError: the device has not enough memory.
        """
        end = time.monotonic() + seconds
        while True:
            try:
                next(self._steps)
            except StopIteration as stop:
                return RewriteAttempt(self._run, self._record, stop.value, self._frame)
            if time.monotonic() >= end:
                return None

    def progress(self) -> RewritingProgress:
        """How far the current attempt is."""
        return RewritingProgress(len(self._run.tokens), self._expected, self.counts(self._run))

    def counts(self, run: Generation) -> Counts:
        """What became of the tokens of one attempt.

        `forwards` are those of all attempts so far if `run` is the current one, else only its own.
        """
        counts = run.ledger.counts(run.tokens)
        before = self._earlier_forwards if run is self._run else 0
        return replace(counts, forwards=counts.forwards + before)

    def pieces(self, counts: Counts) -> tuple[tuple[TokenOrigin, str], ...]:
        """The output and the rejected tokens of the draft as texts with their origins, in order.

        A character whose bytes are in several pieces is in the last of these.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        texts = (
            self._vocabulary.decode(span.tokens)
            if span.kind is TokenOrigin.REJECTED
            else decoder.decode(b"".join(self._vocabulary.token_bytes[token] for token in span.tokens))
            for span in counts.spans
        )
        return tuple((span.kind, text) for span, text in zip(counts.spans, texts, strict=True) if text)

    def probability(self, attempt: RewriteAttempt) -> float | None:
        """The probability that an attempt is what was meant; None for any model but the built-in one."""
        return None if self.surprise is None else probability(attempt, self.surprise)

    @property
    def forward_seconds(self) -> float:
        """The time spent inside the model so far, for all attempts."""
        return self._earlier_seconds + self._run.forward_seconds

    @staticmethod
    def _most_tokens(expected: int) -> int:
        """The most tokens of a result for an original of `expected` tokens."""
        return _GROWTH * expected + _ROOM

    def _decode(self, run: Generation) -> Generator[None, None, Stop]:
        """The decode loop of an attempt; yields after each forward and returns why the output ended."""
        if run.room <= 0:
            return Stop.LENGTH
        sampler, drafter = Sampler(self._task.sampling), self._drafter(run)
        return (yield from decode(self._model, self._prompt, run, sampler, drafter, grouping=self._grouping))

    def _drafter(self, run: Generation) -> Drafter:
        """The drafter of an attempt, whose draft has the output's form: no blank lines around it, line feeds alone."""
        prediction = self._task.prediction
        if prediction.text is not None:
            has_kept = prediction.text.startswith(self._task.text[: self._kept])
            text = RegionFrame.of(prediction.text, self._kept if has_kept else 0).body
            text = text.replace("\r\n", "\n") if self._frame.carriage_returns else text
            prediction = replace(prediction, text=text)
        return prediction.drafter(self._prompt, self._model, run.ledger)


def _repeats_unlike(original: str, decode: Callable[[Sequence[int]], str]) -> Callable[[list[int]], int]:
    """`repeats_itself`, but a repetition that the original has, too, does not count."""

    def repeats(tokens: list[int]) -> int:
        count = repeats_itself(tokens)
        return count if count and decode(tokens[-count:]) not in original else 0

    return repeats


def _constraint(task: RewriteTask, frame: RegionFrame) -> ConstraintState:
    """The constraint of a rewrite: the syntax of its whole file, the names in scope, its indentation.

    It has no rules in plain text, for an unconstrained task, and where the text above does not parse.
    """
    symbols = task.symbols
    if symbols is None or not task.constrained:
        return ConstraintState()
    before = task.prefix + frame.head
    text = task.prefix + task.text + task.suffix
    entry = DocumentStates().enter("", symbols.language, text, len(before))
    required_prefix = frame.indentation.encode()
    if entry.state is None:
        return ConstraintState(required_prefix=required_prefix)

    def rule_with(further_names: frozenset[str]) -> ScopeConstraint:
        visible = {word: Name(word, NameKind.CLASS, Origin.GLOBAL, _FARTHEST) for word in further_names}
        all_names = replace(symbols, names={**symbols.names, **visible})
        return ScopeConstraint.of(entry, all_names)

    strict = rule_with(task.names)
    if isinstance(strict.advance(frame.body), Refusal):
        # the original itself refers to names that no scope has, so all identifiers of the file are allowed
        return ConstraintState((rule_with(task.names | task.words),), required_prefix)
    return ConstraintState((strict,), required_prefix)
