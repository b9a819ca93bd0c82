"""Applies a controller's answers to one output, for the decode loop.

Biases enter the logits before anything is sampled. Bans are refusals. A forced text is encoded, and the constraint must
allow each of its tokens. `decoder.loop` calls `Control.steer` before each choice. Knows nothing of processes: a session
answers.
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
from decoder.controller.place_data import NamePrior, WorkspaceData, place_data
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
"""The candidates of a step: its most probable tokens."""
_CHOSEN_LOGIT = 1e9
"""The logit of a token that the answer chooses: no other logit reaches it, and float32 holds it."""
_NO_WORKSPACE_DATA: WorkspaceData = MappingProxyType({})


class WrittenOutput(Protocol):
    """The part of a `Generation` that a controller needs: the output so far."""

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
    """float32 [vocabulary], with the answer's biases."""
    banned: frozenset[int] = frozenset()
    """Tokens that must not be chosen."""
    token: int | None = None
    """The forced token; None where the model chooses."""
    stops: bool = False
    """Whether the output ends here."""

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
    """One output under the control of a program's step function.

    A place is the index of a token in the output.
    """

    def __init__(self, steps: StepSource, vocabulary: Vocabulary) -> None:
        self._steps = steps
        self._vocabulary = vocabulary
        self._places: list[int] = []
        """The places at which the program was asked, ascending."""
        self._sent: list[int] = []
        """For each of `_places`: the characters of output that the program had received by then."""
        self._forced: dict[int, int] = {}
        """Forced tokens, by their places."""

    def steer(self, logits: npt.NDArray[np.float32], place: int, run: WrittenOutput) -> Steered:
        """What the program's answer does to the choice at a place.

        If the output went back, the program is taken back first.

        Args:
            logits: float32 [vocabulary].

        Raises:
            ProgramError: the program was stopped, threw, or answers what cannot be done.
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
        self._forced = {forced_place: token for forced_place, token in self._forced.items() if forced_place < place}
        kept_steps = bisect_left(self._places, place)
        if kept_steps < len(self._places):
            self._steps.rollback(kept_steps)
            del self._places[kept_steps:], self._sent[kept_steps:]

    def _step(self, logits: npt.NDArray[np.float32], place: int, written: str) -> Step:
        """The step that is sent at a place; `written` is the output that the program has not received yet."""
        count = min(_CANDIDATES, len(logits))
        top = np.argpartition(logits, -count)[-count:]
        top = top[np.lexsort((top, -logits[top]))]
        normaliser = log_normaliser(logits)
        token_bytes = self._vocabulary.token_bytes
        wants_distribution = "distribution" in self._steps.wants
        return Step(
            position=place,
            written=written,
            ids=array("i", top.astype("<i4").tobytes()),
            texts=[token_bytes[token].decode("utf-8", "replace") for token in top],
            logprobs=array("f", (logits[top] - normaliser).astype("<f4").tobytes()),
            distribution=(logits - np.float32(normaliser)).astype("<f4").tobytes() if wants_distribution else b"",
        )


def _biased(logits: npt.NDArray[np.float32], answer: Answer) -> npt.NDArray[np.float32]:
    """The logits with the answer's biases and its choice; the same object where it has neither."""
    if not answer.biased and answer.choice is None:
        return logits
    biased = logits.copy()
    if answer.biased:
        biased[[*answer.biased]] += np.array(answer.biases, np.float32)
    if answer.choice is not None:
        biased[answer.choice] = _CHOSEN_LOGIT
    return biased


@contextmanager
def session_of(
    controller: Controller,
    symbols: SymbolContext,
    around: tuple[str, str],
    workspace_data: WorkspaceData = _NO_WORKSPACE_DATA,
    prior: NamePrior | None = None,
) -> Iterator[ProgramSession]:
    """A context with a request's controller, loaded in a worker of this process, with the data that it wants.

    Args:
        around: The text before the half-typed word at the cursor, and the text after the cursor.
        workspace_data: What only a workspace knows (see `place_data`).
        prior: Knows the probabilities of names at the cursor.

    Raises:
        ProgramError: the controller cannot be loaded.
    """
    with shared().session(controller) as session:
        if data := place_data(session.wants, symbols, around, workspace_data, prior):
            session.set_place(data)
        yield session


def held_to_main(constraint: ConstraintState, session: ProgramSession, symbols: SymbolContext) -> ConstraintState:
    """The constraint with one more rule: the output must be what the program's main writes."""
    prefix = constraint.required_prefix.decode("utf-8", "ignore")
    rule = Program(session, symbols.language, symbols).constraint(prefix)
    return replace(constraint, rules=(*constraint.rules, rule))
