"""Write a text anew as an instruction says: the text itself is the draft, so that only its changes cost.

A rewriting goes on in slices, between which others may use the model; it has a cache of its own. What it writes is
held to the syntax of the whole file and to names that can be meant: one that the original declares and what is written
does not is refused, and a word that neither the file nor the instruction says is less probable. What goes on with the
original is more probable than the model thinks (`decoder.copy_bias`). Where the whole
result shows that one of its words is wrong (`const` before a name that is assigned again), it is written anew from that
word on, itself the draft. Only a text that the model ended by itself is a result; whether it may stand is for the
caller to judge. Knows nothing of files and editors.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import Event
from typing import TYPE_CHECKING

from context_index.symbols import Name, NameKind, Origin, SymbolContext
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard
from decoder.constraint.objections import Objection, Objections
from decoder.constraint.protocol import Refusal
from decoder.constraint.said import SaidWords
from decoder.constraint.scope import ScopeConstraint
from decoder.copy_bias import CopyBias
from decoder.draft import Aligned, Counts, Draft, Drafter, Kind, Reference, Undrafted, costs_of
from decoder.errors import constraint_faults
from decoder.generation import Generation
from decoder.grouping import steady
from decoder.instruction import names, words
from decoder.loop import decode
from decoder.prompt.rewriting import rewrite_prompt
from decoder.sampling import Sampler, SamplingOptions
from decoder.stops import Stop, repeats_itself

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from decoder.model import Model

_GROWTH = 1.5
"""How much longer than the original a result may be, and by `_ROOM` tokens more."""
_ROOM = 64
_FARTHEST = 10_000
_DECLARED = re.compile(r"\b(?:function\s*\*?|class|interface|type|enum|namespace|const|let|var)\s+([A-Za-z_$][\w$]*)")
"""Names that a text of JavaScript declares, which may stand above that."""
"""Scopes away: a name that is visible wherever one is."""
_MOST_OBJECTIONS = 8
"""Each costs a prompt that is known already and the tokens behind its place, which are drafted."""
_SLACK = 8
"""Tokens that joining texts may cost beyond the sum of their counts."""


class Policy(StrEnum):
    """How a draft is made use of. No output depends on it."""

    ALIGNED = "aligned"
    REFERENCE = "reference"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """What is to be written anew, and as what."""

    text: str
    instruction: str
    symbols: SymbolContext
    prefix: str = ""
    """What stands before `text` in its file; held to, not shown to the model."""
    suffix: str = ""
    outer: frozenset[str] | None = None
    """The names that may be meant anywhere in the file (`context_index.names_from_outside`): another one must be
    declared by what is written, so that a name that has been renamed is gone. None: every word of the file may be
    one."""
    draft: str | None = None
    """What the result is expected to be, if it is."""
    objections: Callable[[str], Sequence[Objection]] | None = None
    """Finds words of a result that cannot stand where they do. Asked about a text that the model has ended."""
    policy: Policy = Policy.ALIGNED
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    deadline: float | None = None
    """On `time.monotonic`'s clock."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What came of it."""

    text: str
    """What the model wrote, in the place of the task's text, with its blank lines around and its line ends."""
    stop: Stop
    """`Stop.END` where the model ended it; anything else is no result."""
    counts: Counts
    pieces: tuple[tuple[Kind, str], ...]
    """The output and what was rejected, in order."""
    prompt_tokens: int
    seconds: float
    forward_seconds: float


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a result keeps of the original: blank lines around it, and its line ends."""

    head: str
    body: str
    tail: str
    carriage_returns: bool

    @classmethod
    def of(cls, text: str) -> _Frame:
        inner = text.strip("\r\n")
        head = text[: len(text) - len(text.lstrip("\r\n"))] if inner else ""
        body = inner.rstrip()
        tail = text[len(head) + len(body) :]
        crlf = "\r\n" in text and "\n" not in text.replace("\r\n", "")
        return cls(head, body.replace("\r\n", "\n") if crlf else body, tail, crlf)

    def around(self, written: str) -> str:
        body = written.strip("\n").rstrip()
        return self.head + (body.replace("\n", "\r\n") if self.carriage_returns else body) + self.tail

    def within(self, written: str, offset: int) -> int:
        """Where in `written` the character is that stands at an offset of the text around it."""
        blank = len(written) - len(written.lstrip("\n"))
        before = self.around(written)[len(self.head) : offset]
        return blank + len(before) - (before.count("\r\n") if self.carriage_returns else 0)


class Rewriting:
    """One task, slice by slice. Belongs to the model's thread.

    Args:
        model: Its weights are used, its cache is not.
    """

    def __init__(self, model: Model, task: RewriteTask, cancel: Event | None = None) -> None:
        self._started = time.perf_counter()
        self._frame = _Frame.of(task.text)
        prompt = rewrite_prompt(model.vocabulary, task.symbols.language, task.instruction, self._frame.body)
        self._prompt = prompt.tokens
        self._model, self._grouping = steady(model.branch(), prompt.tokens)
        self._vocabulary = model.vocabulary.ended_by(prompt.end)
        self.expected = len(model.vocabulary.encode(self._frame.body))
        """Tokens of the original."""
        with constraint_faults():
            self._guard = _guard(task, self._frame)
        self._cancel = cancel or Event()
        self._task = task
        self._objections: tuple[Objection, ...] = ()
        self._spent = 0.0
        """Seconds of forwards for results that were objected to."""
        self._begin(task.draft)

    def _begin(self, draft: str | None) -> None:
        """Write from the beginning."""
        longest = int(_GROWTH * self.expected) + _ROOM
        guard = self._guard
        if self._objections:
            guard = replace(guard, rules=(Objections(self._objections), *guard.rules))
        self._draft = draft
        self._run = Generation(
            guard,
            None,
            max_tokens=max(0, min(longest, self._model.context - len(self._prompt))),
            deadline=self._task.deadline,
            cancel=self._cancel,
            repeats=_new_repetition(self._frame.body, self._vocabulary.decode),
            traced=False,
            vocabulary=self._vocabulary,
            bias=CopyBias(self._vocabulary, self._frame.body, names(self._task.instruction)),
        )
        self._steps = self._decode()

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
                if stop.value is not Stop.END or not self._begins_again():
                    return self._result(stop.value)
            if time.monotonic() >= end:
                return None

    def counts(self) -> Counts:
        """What became of the draft so far."""
        return self._run.ledger.counts(self._run.tokens)

    def _begins_again(self) -> bool:
        """Whether somebody objects to the result; then it is written anew from the first word that is wrong."""
        if self._task.objections is None or len(self._objections) >= _MOST_OBJECTIONS:
            return False
        written = self._run.output.decode("utf-8", "ignore")
        text = self._frame.around(written)
        with constraint_faults():
            made = self._task.objections(text)
        placed = (replace(one, offset=self._frame.within(written, one.offset)) for one in made)
        first = min(placed, key=lambda one: one.offset, default=None)
        if first is None or first in self._objections:
            return False
        self._objections += (first,)
        self._spent += self._run.forward_seconds
        self._begin(text)
        return True

    def _decode(self) -> Generator[None, None, Stop]:
        if not self._run.max_tokens:
            return Stop.LENGTH
        sampler = Sampler(self._task.sampling)
        drafter = _LateDrafter(self._drafter)
        steps = decode(self._model, self._prompt, self._run, sampler, drafter, grouping=self._grouping)
        return (yield from steps)

    def _drafter(self) -> Drafter:
        """Made once the prompt is read, as forwards are measured behind it."""
        task = self._task
        if task.policy is Policy.PLAIN or not self._model.rolls_back:
            return Undrafted()
        text = "" if self._draft is None else _Frame.of(self._draft).body
        if self._frame.carriage_returns:
            text = text.replace("\r\n", "\n")
        draft = Draft.of(self._model.vocabulary.encode(text))
        if task.policy is Policy.REFERENCE:
            return Reference(draft)
        return Aligned(draft, self._prompt, costs=costs_of(self._model))

    def _result(self, stop: Stop) -> Rewrite:
        run, counts = self._run, self.counts()
        return Rewrite(
            text=self._frame.around(run.output.decode("utf-8", "ignore")),
            stop=stop,
            counts=counts,
            pieces=tuple((span.kind, self._vocabulary.decode(span.tokens)) for span in counts.spans),
            prompt_tokens=len(self._prompt),
            seconds=time.perf_counter() - self._started,
            forward_seconds=self._spent + run.forward_seconds,
        )


class _LateDrafter:
    """Makes the drafter when its first window is asked for."""

    def __init__(self, make: Callable[[], Drafter]) -> None:
        self._make = make
        self._made: Drafter | None = None

    def window(self, output: Sequence[int], room: int) -> Sequence[int]:
        if self._made is None:
            self._made = self._make()
        return self._made.window(output, room)

    def verified(self, window: Sequence[int], accepted: int) -> None:
        if self._made is not None:
            self._made.verified(window, accepted)


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


def _guard(task: RewriteTask, frame: _Frame) -> Guard:
    if not task.constrained:
        return Guard()
    before, after = task.prefix + frame.head, frame.tail + task.suffix
    text = task.prefix + task.text + task.suffix
    entry = DocumentStates().enter("", task.symbols.language, text, len(before), len(text) - len(after))
    in_file, in_instruction = words(text), words(task.instruction)
    named = names(task.instruction)
    heard = in_file - (in_instruction - named) | words(task.text)  # `it` in a comment far away makes no name of `it`
    said = SaidWords.of(task.symbols.language, (" ".join((*heard, *named, *task.symbols.names)),))

    declared = frozenset() if task.symbols.language.is_python else frozenset(_DECLARED.findall(task.text))

    def rule(outer: frozenset[str]) -> ScopeConstraint:
        visible = {word: Name(word, NameKind.CLASS, Origin.GLOBAL, _FARTHEST) for word in outer}
        symbols = replace(task.symbols, names={**task.symbols.names, **visible})
        return ScopeConstraint.of(entry, symbols, prefix=before, suffix=after, promised=declared)

    if task.outer is not None:
        strict = rule(task.outer | (in_instruction - in_file))
        unchanged = strict.feed(frame.body)
        if not isinstance(unchanged, Refusal) and unchanged.may_stop() is None:
            return Guard((strict, said))  # else the original itself is not understood well enough
    return Guard((rule(in_file | in_instruction), said))


def _new_repetition(original: str, decode: Callable[[Sequence[int]], str]) -> Callable[[list[int]], int]:
    """Loops, unless the original says the same over and over, too."""

    def surplus(tokens: list[int]) -> int:
        count = repeats_itself(tokens)
        return count if count and decode(tokens[-count:]) not in original else 0

    return surplus
