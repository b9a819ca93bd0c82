"""What happened at each token, for people who ask why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decoder.constraint.protocol import Refusal
from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from decoder.choice import Choice
    from decoder.constraint.guard import Guard

_TOLD = 8
"""Of the tokens refused in one step, so many are remembered for people."""


@dataclass(frozen=True, slots=True)
class TokenTrace:
    """One decoding step."""

    text: str
    """What was chosen; empty at the end of the text."""
    logprob: float
    """Natural logarithm of the probability that the model, unconstrained, gave the chosen token."""
    favourite: str
    """What the model alone would have chosen."""
    refused: tuple[tuple[str, Refusal], ...] = ()
    """Tokens preferred to the chosen one, and who refused them; the first few of many."""
    masked: bool = False
    """The best candidates were all refused, and the choice was made among all legal tokens."""
    cost: float = 0.0
    """Nats that the token cost because an incomplete list lacks it."""
    prior: float = 0.0
    """Nats by which what the file and the workspace say made the token more probable than the model thought, or less.

    Told before anything is refused: where no token was struck, exp(logprob + prior) of all tokens sums to 1.
    """
    open: tuple[str, ...] = ()
    """Names that stand unproven since this token; one that goes on is told again."""
    outside: tuple[str, ...] = ()
    """Likewise names that an incomplete list lacks."""


def traced(choice: Choice, logits: npt.NDArray[np.float32], written: Sequence[bytes]) -> TokenTrace:
    """What happened at a step.

    Args:
        logits: float32 [vocabulary], before anything was refused.
        written: The bytes of every token.
    """
    return TokenTrace(
        text="" if choice.ends else _shown(written[choice.token]),
        logprob=float(logits[choice.token]) - log_normaliser(logits),
        favourite=_shown(written[int(logits.argmax())]),
        refused=tuple((_shown(written[token]), refusal) for token, refusal in choice.refused[:_TOLD]),
        masked=choice.masked,
        prior=choice.lift,
    )


def lift(token: int, before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]) -> float:
    """Nats by which a token is more probable in one row of logits than in another, on whatever scales they are.

    Counts that are interpolated give logarithms of probabilities, a prior over names leaves the model's scale as it is.
    """
    return float(after[token] - before[token]) - (log_normaliser(after) - log_normaliser(before))


def with_proofs(trace: Sequence[TokenTrace], guards: Sequence[Guard]) -> tuple[TokenTrace, ...]:
    """The steps with what each left unproven.

    Args:
        guards: The guard before the first token and after each; steps that have none keep what they say.
    """
    reports = [guard.report() for guard in guards]
    told = [
        replace(
            step,
            cost=guards[index + 1].penalty - guards[index].penalty,
            open=_new(reports[index].open, reports[index + 1].open),
            outside=_new(reports[index].outside, reports[index + 1].outside),
        )
        for index, step in enumerate(trace[: len(guards) - 1])
    ]
    return (*told, *trace[len(told) :])


def _new(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    return tuple((Counter(after) - Counter(before)).elements())


def _shown(token: bytes) -> str:
    return token.decode("utf-8", "replace")
