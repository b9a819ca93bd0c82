"""What happened at each token, for people who ask why."""

from __future__ import annotations

from dataclasses import dataclass

from decoder.constraint.protocol import Refusal


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
