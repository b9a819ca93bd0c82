"""What a controller's answers do to one output: the side of the decode loop.

Biases enter the logits before anything is sampled; bans are refusals; a forced text becomes the tokens in which the
model would have read it, each of which the constraint must allow. Knows nothing of processes: a session answers.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from decoder.choice import Choice
from decoder.constraint.protocol import Refusal
from decoder.controller.place_data import NamePrior, Surroundings, place_data
from decoder.controller.pool import shared
from decoder.controller.protocol import Answer, Controller, Step
from decoder.controller.session import ProgramSession
from decoder.errors import ProgramError, constraint_faults
from decoder.program.program import Program
from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.symbols import SymbolContext
    from decoder.constraint.state import ConstraintState
    from decoder.models.vocabulary import Vocabulary

_CANDIDATES = 64
"""Tokens of a step."""
_CHOSEN = 1e9
"""A logit that nothing else reaches, and that float32 holds."""
_NOTHING: Surroundings = MappingProxyType({})


class WrittenOutput(Protocol):
    """The part of a `Generation` that a controller needs: what is written so far."""

    output: bytearray
    lengths: list[int]
    states: list[ConstraintState]


class StepSource(Protocol):
    """Answers each step: a `ProgramSession`, or in tests a function of this process."""

    wants: frozenset[str]

    def step(self, step: Step, vocabulary: int) -> Answer:
        """The answer before a token is chosen; its ids are below `vocabulary`."""

    def rollback(self, count: int) -> None:
        """Forget all but the first `count` steps."""


@dataclass(frozen=True, slots=True)
class Steered:
    """What a step's answer does to the choice of a token."""

    logits: npt.NDArray[np.float32]
    banned: frozenset[int] = frozenset()
    token: int | None = None
    """Forced: nothing else is chosen."""
    stops: bool = False

    def forced_choice(self, constraint: ConstraintState, vocabulary: Vocabulary) -> Choice | None:
        """The choice where the answer forces a token or stops; None where the model chooses.

        Raises:
            ProgramError: the constraint refuses what is forced.
        """
        if self.stops:
            return Choice(min(vocabulary.end, default=int(self.logits.argmax())), constraint, ends=True, forced=True)
        if self.token is None:
            return None
        written = vocabulary.token_bytes[self.token]
        with constraint_faults():
            after = constraint.advance(written)
        if isinstance(after, Refusal):
            text = written.decode("utf-8", "replace")
            raise ProgramError(f"the program forces {text!r}, which is refused ({after.rule}: {after.what!r:.60})")
        return Choice(self.token, after, ends=False, forced=True)


class Control:
    """One output under the control of a program's step function."""

    def __init__(self, steps: StepSource, vocabulary: Vocabulary) -> None:
        self._steps = steps
        self._vocabulary = vocabulary
        self._places: list[int] = []
        """The places at which the program was asked."""
        self._sent: list[int] = []
        """By place: the characters of output that it had received by then."""
        self._forced: dict[int, int] = {}
        """Tokens by the places where they are due."""

    def steer(self, logits: npt.NDArray[np.float32], place: int, run: WrittenOutput) -> Steered:
        """What the program's answer does at a place of the output; it may have been asked there before.

        Args:
            logits: float32 [vocabulary].

        Raises:
            ProgramError: it was stopped, threw, or answers what cannot be done.
        """
        if place in self._forced:
            return Steered(logits, token=self._forced[place])
        self._rollback(place)
        written = run.output[: run.lengths[place]].decode("utf-8", "ignore")
        sent = self._sent[-1] if self._sent else 0
        self._places.append(place)
        self._sent.append(len(written))
        answer = self._steps.step(self._step(logits, place, written[sent:]), self._vocabulary.size)
        if answer.stops:
            return Steered(logits, stops=True)
        if answer.forced:
            text = run.states[place].required_prefix.decode("utf-8", "ignore") + answer.forced
            tokens = self._vocabulary.encode(text)
            if b"".join(self._vocabulary.token_bytes[token] for token in tokens) != text.encode():
                raise ProgramError(f"the model has no tokens for what the program forces: {text!r:.60}")
            self._forced = {place + index: token for index, token in enumerate(tokens)}
            return Steered(logits, token=tokens[0])
        return Steered(_biased(logits, answer), answer.bans)

    def _rollback(self, place: int) -> None:
        """Take the program, and what it forces, back to before the place."""
        self._forced = {at: token for at, token in self._forced.items() if at < place}
        kept = bisect_left(self._places, place)
        if kept < len(self._places):
            self._steps.rollback(kept)
            del self._places[kept:], self._sent[kept:]

    def _step(self, logits: npt.NDArray[np.float32], place: int, written: str) -> Step:
        count = min(_CANDIDATES, len(logits))
        top = np.argpartition(logits, -count)[-count:]
        top = top[np.lexsort((top, -logits[top]))]
        normaliser = log_normaliser(logits)
        texts = self._vocabulary.token_bytes
        wanted = "distribution" in self._steps.wants
        return Step(
            position=place,
            written=written,
            ids=array("i", top.astype("<i4").tobytes()),
            texts=[texts[token].decode("utf-8", "replace") for token in top],
            logprobs=array("f", (logits[top] - normaliser).astype("<f4").tobytes()),
            distribution=(logits - np.float32(normaliser)).astype("<f4").tobytes() if wanted else b"",
        )


def _biased(logits: npt.NDArray[np.float32], answer: Answer) -> npt.NDArray[np.float32]:
    if not answer.biased and answer.choice is None:
        return logits
    biased = logits.copy()
    if answer.biased:
        biased[[*answer.biased]] += np.array(answer.biases, np.float32)
    if answer.choice is not None:
        biased[answer.choice] = _CHOSEN
    return biased


@contextmanager
def session_of(
    controller: Controller,
    symbols: SymbolContext,
    around: tuple[str, str],
    surroundings: Surroundings = _NOTHING,
    prior: NamePrior | None = None,
) -> Iterator[ProgramSession]:
    """The controller of a request, loaded with the data that it wants, in one of this process' workers.

    Args:
        around: The text before the cursor without its half-typed word, with which the output begins, and the text after
            the cursor.
        prior: Who knows which names are probable there.

    Raises:
        ProgramError: it cannot be loaded.
    """
    with shared().session(controller) as session:
        if data := place_data(session.wants, symbols, around, surroundings, prior):
            session.set_place(data)
        yield session


def held_to_main(constraint: ConstraintState, session: ProgramSession, symbols: SymbolContext) -> ConstraintState:
    """The constraint, which also holds the output to what the program's main writes."""
    prefix = constraint.required_prefix.decode("utf-8", "ignore")
    rule = Program(session, symbols.language, symbols).constraint(prefix)
    return replace(constraint, rules=(*constraint.rules, rule))
