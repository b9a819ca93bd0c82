"""Observers of an output as it grows: its probability, its margins, and a trace for people who ask why.

The loop reports each choice to the observers of a `Generation` and does not know what they do with it. Rewrites have a
`ScoreRecord`, which joins what the search needs (`candidate.Output`); completions and programs have a `TracedRecord`.
Knows no models.

A record may have more entries than its output has tokens: one for the end, or for the choice before which an observer
ended the output; and those of repetitions, which are taken off the output (`Generation.drop`).
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np

from decoder.beginnings import is_worth_reading, may_end
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.sampling import log_normaliser
from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from decoder.choice import Choice
    from decoder.constraint.state import ConstraintState
    from decoder.models.vocabulary import Vocabulary
    from decoder.sampling import Distribution

_MOST_LOGIT_BYTES = 8_000_000
"""The most bytes of the model's logits that are kept of one output; what is mixed with n-grams takes as many again. It
is enough for 122 rows of the built-in model, and for 14 of a model with 150,000 tokens."""
_MOST_REFUSED = 8
"""The most refused tokens recorded of one step."""


@dataclass(frozen=True, slots=True)
class LogitsRow:
    """What one token is chosen from: the distribution as the model gives it, and as each step changes it."""

    constraint: ConstraintState
    """The constraint before the token."""
    vocabulary: Vocabulary
    model: Distribution
    """The model's own distribution."""
    steered: Distribution
    """`model`, changed by the request's controller."""
    biased: Distribution
    """`steered`, mixed with the n-grams (`decoder.ngrams.bias`)."""
    unbanned_logits: npt.NDArray[np.float32]
    """The logits of `biased`, float32 [vocabulary], with minus infinity for tokens that the search has banned."""

    def log_probability(self, token: int) -> float:
        """Natural logarithm of a token's probability in `biased`, where refused tokens keep their share.

        Where a prefix is required, the probability is divided among the tokens that fit it.
        """
        required = self.constraint.required_prefix
        if not required:
            return self.biased.log_probability(token)
        logits = self.biased.logits
        return float(logits[token]) - log_normaliser(logits[self.vocabulary.fitting(required)])

    def lift(self, token: int) -> float:
        """By how many nats the n-grams make a token more probable."""
        if self.biased is self.steered:
            return 0.0
        return self.biased.log_probability(token) - self.steered.log_probability(token)


class Observer(Protocol):
    """Records the choices of one output."""

    def chosen(self, choice: Choice, row: LogitsRow) -> Stop | None:
        """Called for each choice, the end included, before it is appended. A `Stop` ends the output before it.

        All observers are called, also after one of them has returned a `Stop`.
        """


class Scores:
    """The natural logarithm of the probability of each choice, the end included.

    Args:
        floor: The output ends once the sum is below this.
        least: The output ends once the sum is below this, unless something that is worth reading was written before.
        required: What the output has to begin with.
        in_line: Whether other text precedes the output on its line.
    """

    def __init__(
        self, floor: float = -math.inf, least: float = -math.inf, required: str = "", *, in_line: bool = False
    ) -> None:
        self.values: list[float] = []
        self.begun: int | None = None
        """How many choices the first beginning that is worth reading has; None until it is complete."""
        self._floor, self._least, self._required, self._in_line = floor, least, required, in_line
        self._tokens: list[bytes] = []
        """The tokens up to the end of that beginning."""

    @property
    def total(self) -> float:
        """Natural logarithm of the probability of all choices."""
        return math.fsum(self.values)

    @property
    def first(self) -> float:
        """Natural logarithm of the probability of the first beginning that is worth reading; `total` where none is."""
        return math.fsum(self.values[: self.begun])

    def chosen(self, choice: Choice, row: LogitsRow) -> Stop | None:
        """See `Observer`. Tokens that the request's controller forces count as certain."""
        token = row.vocabulary.token_bytes[choice.token]
        if self.begun is None and self._is_beginning_before(token):
            self.begun = len(self.values)
        self.values.append(0.0 if choice.forced else row.log_probability(choice.meant))
        if self.begun is None:
            self._tokens.append(token)
        least = self._floor if self.begun is not None else max(self._floor, self._least)
        return Stop.UNSURE if least > -math.inf and self.total < least else None

    def begin_as(self, other: Scores, count: int) -> None:
        """Take over the first `count` choices of another output."""
        self.values = other.values[:count]
        self.begun = other.begun if other.begun is not None and other.begun < count else None
        self._tokens = other._tokens[:count]

    def _is_beginning_before(self, token: bytes) -> bool:
        """Whether the tokens before `token` are a beginning that is worth reading."""
        written = b"".join(self._tokens)[len(self._required.encode()) :]
        beginning = written.decode("utf-8", "ignore")
        is_worth = is_worth_reading(beginning, in_line=self._in_line)
        return is_worth and may_end((written + token).decode("utf-8", "ignore"), len(beginning))


class Margins:
    """For each choice, by how many nats it was more probable than the next token that was not refused."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def chosen(self, choice: Choice, row: LogitsRow) -> None:
        """See `Observer`."""
        self.values.append(math.inf if choice.forced else margin(choice, row))


@dataclass(frozen=True, slots=True)
class TokenTrace:
    """One decoding step."""

    text: str
    """The chosen token's text; empty at the end of the text."""
    logprob: float
    """Natural logarithm of the chosen token's probability by the model alone."""
    favourite: str
    """The text of the token that is most probable by the model alone."""
    refused: tuple[tuple[str, Refusal], ...] = ()
    """Tokens preferred to the chosen one, and the rule that refused each; the first few."""
    walked: bool = False
    """Whether the best candidates were all refused, so that all tokens were searched."""
    prior: float = 0.0
    """By how many nats the n-grams made the token more probable, or less.

    Measured before anything is refused: where no token was banned, exp(logprob + prior) of all tokens sums to 1.
    """
    unlisted: tuple[str, ...] = ()
    """Names that this token completed and that may not exist: the list of names in which they lack is incomplete."""


class _TracedChoice(NamedTuple):
    """The data of a `TokenTrace`, which is made only on request: the traces of most outputs are never read."""

    choice: Choice
    vocabulary: Vocabulary
    logprob: float
    favourite: int
    lift: float

    def trace(self) -> TokenTrace:
        choice, written = self.choice, self.vocabulary.token_bytes
        return TokenTrace(
            text="" if choice.ends else _decoded(written[choice.token]),
            logprob=self.logprob,
            favourite=_decoded(written[self.favourite]),
            refused=tuple((_decoded(written[token]), refusal) for token, refusal in choice.refused[:_MOST_REFUSED]),
            walked=choice.walked,
            prior=self.lift,
        )


class Trace:
    """What happened at each token, and when the first was chosen."""

    def __init__(self) -> None:
        self.first_at: float | None = None
        """When the first token was chosen, by `time.perf_counter`; None before."""
        self._choices: list[_TracedChoice] = []

    def begin_as(self, other: Trace, count: int) -> None:
        """Take over the first `count` choices of another output."""
        self._choices = other._choices[:count]

    def chosen(self, choice: Choice, row: LogitsRow) -> None:
        """See `Observer`."""
        if self.first_at is None:
            self.first_at = time.perf_counter()
        model, token = row.model, choice.meant
        logprob, lift = model.log_probability(token), row.lift(token)
        self._choices.append(_TracedChoice(choice, row.vocabulary, logprob, model.favourite, lift))

    def steps(self) -> tuple[TokenTrace, ...]:
        """The trace of each choice, in order."""
        return tuple(choice.trace() for choice in self._choices)


class Losses:
    """For each choice, by how many nats it was less probable than an end that was refused before it (`Rule.OPENING`).

    The end is that of the output, of its line or of a statement on it, and lacks a bracket that a line below closes.
    The value is 0 where no end was refused.

    Args:
        most: The output ends once the sum is above this: a model that is often kept from ending writes nonsense.
    """

    def __init__(self, most: float = math.inf) -> None:
        self.values: list[float] = []
        self._most = most

    def chosen(self, choice: Choice, row: LogitsRow) -> Stop | None:
        """See `Observer`."""
        refused = [token for token, refusal in choice.refused if refusal.rule is Rule.OPENING]
        logits = row.unbanned_logits
        # `choice.token` is also `choice.meant` here: part of a token is chosen only if none was refused before it
        self.values.append(max(0.0, float(logits[refused].max() - logits[choice.token])) if refused else 0.0)
        return Stop.STUCK if refused and math.fsum(self.values) > self._most else None


class ScoreRecord:
    """The record of an output that a search needs: its scores, its margins and its losses.

    Args:
        scores: Fresh scores; None for such that end no output.
        most_lost: `most` of `Losses`.
    """

    def __init__(self, scores: Scores | None = None, most_lost: float = math.inf) -> None:
        self.scores = scores or Scores()
        self.margins, self.losses = Margins(), Losses(most_lost)

    def begin_as(self, other: Self, count: int) -> None:
        """Take over what was recorded of the first `count` tokens of another output."""
        self.scores.begin_as(other.scores, count)
        self.margins.values = other.margins.values[:count]
        self.losses.values = other.losses.values[:count]

    def model_after(self, _count: int) -> Distribution | None:
        """The model's distribution after the first `_count` tokens; None where it is not kept, as always here."""
        return None

    def chosen(self, choice: Choice, row: LogitsRow) -> Stop | None:
        """See `Observer`. If the losses end the output, the scores lack this choice, which is not written."""
        self.margins.chosen(choice, row)
        return self.losses.chosen(choice, row) or self.scores.chosen(choice, row)


class TracedRecord(ScoreRecord):
    """A `ScoreRecord` with a trace, and with the model's distributions.

    An output that begins as this one does takes its first distribution from here and needs no forward for it.
    """

    def __init__(self, scores: Scores | None = None, most_lost: float = math.inf) -> None:
        super().__init__(scores, most_lost)
        self.trace = Trace()
        self._models: list[Distribution] = []
        """The model's distributions of the first tokens, up to `_MOST_LOGIT_BYTES`."""

    def begin_as(self, other: Self, count: int) -> None:
        """See `ScoreRecord`."""
        super().begin_as(other, count)
        self.trace.begin_as(other.trace, count)
        self._models = other._models[:count]

    def model_after(self, count: int) -> Distribution | None:
        """See `ScoreRecord`."""
        return self._models[count] if count < len(self._models) else None

    def chosen(self, choice: Choice, row: LogitsRow) -> Stop | None:
        """See `Observer`."""
        count, size = len(self._models), row.model.logits.nbytes
        if count == len(self.margins.values) and count * size < _MOST_LOGIT_BYTES:
            self._models.append(row.model)
        self.trace.chosen(choice, row)
        return super().chosen(choice, row)


def margin(choice: Choice, row: LogitsRow) -> float:
    """Nats by which a choice is more probable than the next token that was not refused; infinity if there is none."""
    logits = row.unbanned_logits
    chosen_logit = float(logits[choice.meant])
    others = logits.copy()
    others[[choice.token, choice.meant, *(token for token, _ in choice.refused)]] = -np.inf
    if choice.walked:  # all that is more probable was refused
        others[others > chosen_logit] = -np.inf
    if required := row.constraint.required_prefix:
        others = others[row.vocabulary.fitting(required)]
    return max(0.0, chosen_logit - float(others[others.argmax()] if len(others) else -np.inf))


def with_proofs(trace: Sequence[TokenTrace], reports: Sequence[Report]) -> tuple[TokenTrace, ...]:
    """The steps of a trace, each with the names that it left unproven (`TokenTrace.unlisted`).

    Args:
        reports: The constraint's reports before the first token and after each; further steps stay as they are.
    """
    with_names = [
        replace(step, unlisted=_added_names(before.unlisted, after.unlisted))
        for step, (before, after) in zip(trace, itertools.pairwise(reports), strict=False)
    ]
    return (*with_names, *trace[len(with_names) :])


def _added_names(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    return tuple((Counter(after) - Counter(before)).elements())


def _decoded(token: bytes) -> str:
    return token.decode("utf-8", "replace")
