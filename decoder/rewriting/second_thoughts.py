"""Whether another text would have been more probable than the one chosen token by token.

A greedy choice is never taken back: where two tokens are nearly as probable, the better one may lead to where nothing
probable follows, or nothing legal. So the closest choices of a finished text are made the other way, each is gone on
with, and the text that is the most probable as a whole stays: the product of the probabilities from which its tokens
were chosen, what the constraint refuses counted as lost, costs taken off. Only what may still become better is looked
at, as a probability only shrinks while a text grows (branch and bound).

Probabilities depend a little on how tokens were grouped into forwards, so a text is weighed by reading it once more, in
one way: what was drafted changes nothing here either. Knows nothing of originals and instructions.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.choice import check
from decoder.constraint.protocol import Refusal
from decoder.observer import score
from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.generation import Generation
    from decoder.models.model import Logits, Model
    from decoder.models.vocabulary import Vocabulary

BRANCHES: Final = 4
"""Choices that are made the other way; three times as many found nothing better."""
_CLOSE: Final = 3.0
"""Nats by which another token may be less probable than the one chosen: of what a model hardly thinks of, nothing good
comes but by chance."""
_OTHERS: Final = 4
"""Tokens that are thought of at one place."""
_PORTION: Final = 64
"""Tokens that are read at once: each leaves a row of logits."""
SLACK: Final = 0.05
"""Nats by which scores of a whole text may differ for rounding; a token's logits do by 2.3e-5."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A choice made the other way."""

    parent: Generation
    place: int
    """Tokens before it."""
    token: int
    guard: Guard
    """After the token."""
    score: float
    """Of the token and all before it."""


@dataclass(frozen=True, slots=True, order=True)
class _Thought:
    """A token that may be instead of the one chosen; the closest first."""

    behind: float
    """Nats by which it is less probable than the one chosen."""
    place: int
    token: int
    score: float = field(compare=False)
    parent: Generation = field(compare=False)


def is_certain(scores: Sequence[float]) -> bool:
    """Whether no text that leaves this one at any place can be as probable."""
    total, before = math.fsum(scores), 0.0
    for one in scores:
        left = -math.expm1(min(one, 0.0))
        if left > 0 and before + math.log(left) > total - SLACK:
            return False
        before += one
    return True


class SecondThoughts:
    """What might be better than the best text so far. Belongs to one prompt.

    Args:
        model: Its cache begins with the prompt.
        prompt: At least one token.
        vocabulary: With the tokens that end the text.
        worth: Nats that are added to the score of a text which the model has ended.
    """

    def __init__(
        self, model: Model, prompt: Sequence[int], vocabulary: Vocabulary, worth: Callable[[Generation], float]
    ) -> None:
        self._model = model
        self._prompt = tuple(prompt)
        self._vocabulary = vocabulary
        self._worth = worth
        self._thoughts: list[_Thought] = []
        self._tried: set[tuple[int, ...]] = set()
        self.best: Generation | None = None
        """The most probable text that the model has ended."""
        self.score = -math.inf
        """Its score."""
        self.forwards, self.forward_seconds = 0, 0.0

    def read(self, run: Generation, *, ended: bool) -> Generator[None, None, None]:
        """Weigh one more text, and think of others; whether the model has ended it. In portions: others may want time.

        Raises:
            OutOfDeviceMemoryError: as `Model.forward`.
        """
        if self.best is not None and not ended:
            return
        thoughts, total, place = list[_Thought](), 0.0, 0
        for rows in self._portions(run, len(run.tokens) + ended):
            for row in rows:
                logits = run.biased(row, place)
                token = run.tokens[place] if place < len(run.tokens) else self._end(logits)
                guard = run.guards[min(place + 1, len(run.tokens))]
                one = score(token, guard, logits, run.guards[place])
                thoughts += [
                    _Thought(one - other, place, instead, total + other, run)
                    for instead, other in _others(logits, token)
                    if one - other <= _CLOSE
                    and instead not in self._vocabulary.end  # to end at once is never improbable
                ]
                total += one
                place += 1
            yield
        if ended:
            total += self._worth(run)
            if total <= self.score:
                return
            self.best, self.score = run, total
        self._thoughts += thoughts

    def next(self) -> Branch | None:
        """The closest choice whose other way may still be better; None where there is none, or enough were tried."""
        while self._thoughts and len(self._tried) < BRANCHES:
            thought = min(self._thoughts)
            self._thoughts.remove(thought)
            tokens = (*thought.parent.tokens[: thought.place], thought.token)
            if thought.score <= self.score or tokens in self._tried:
                continue
            guard = check(thought.token, thought.parent.guards[thought.place], self._vocabulary)
            if isinstance(guard, Refusal) or guard.penalty > thought.parent.guards[thought.place].penalty:
                continue
            self._tried.add(tokens)
            return Branch(thought.parent, thought.place, thought.token, guard, thought.score)
        return None

    def _end(self, logits: npt.NDArray[np.float32]) -> int:
        return max(sorted(self._vocabulary.end), key=lambda token: float(logits[token]))

    def _portions(self, run: Generation, count: int) -> Iterator[Logits]:
        """The rows from which each of the first `count` tokens is chosen, in one way, whatever was drafted."""
        tokens = [*self._prompt[-1:], *run.tokens][:count]
        self._model.truncate(len(self._prompt) - 1)
        for start in range(0, count, _PORTION):
            portion = tokens[start : start + _PORTION]
            started = time.perf_counter()
            rows = self._model.forward(portion, len(portion))
            self.forward_seconds += time.perf_counter() - started
            self.forwards += 1
            yield rows


def _others(logits: npt.NDArray[np.float32], chosen: int) -> Iterator[tuple[int, float]]:
    """The most probable tokens but the one that was chosen, and the logarithms of their probabilities."""
    normaliser = log_normaliser(logits)
    best = np.argpartition(-logits, _OTHERS)[: _OTHERS + 1]
    others = [token for token in best[np.lexsort((best, -logits[best]))].tolist() if token != chosen]
    return ((token, float(logits[token]) - normaliser) for token in others[:_OTHERS])
