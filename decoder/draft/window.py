"""How many tokens to verify at once: as many as pay, by what was accepted so far and by what a forward costs here.

With an acceptance of a per token, a window of n brings (1 - a^(n+1)) / (1 - a) tokens on average (Leviathan et al.
2023, equation 1) at the cost of a forward of n + 1 tokens; the window with the best ratio is taken, and none at all
where plain decoding is best. Knows nothing of drafts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

LENGTHS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 31, 40, 48, 56, 63, 79, 95, 127)
"""Windows that are thought of. One less than a power of two, with the token before it, fills the block."""
LONGEST = LENGTHS[-1]

_MEMORY = 0.9
"""What an observation still counts after the next one: about ten windows are remembered."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a forward of n tokens costs, in any unit; linear between the sizes that were measured."""

    sizes: tuple[int, ...] = (1, 8, 16, 32, 64, 128)
    seconds: tuple[float, ...] = (1.0, 4.0, 5.1, 6.7, 9.5, 16.0)
    """As the embedded model costs on one idle core, behind 1,500 tokens."""

    def of(self, tokens: int) -> float:
        """The cost of a forward of so many tokens."""
        right = min(max(bisect_left(self.sizes, tokens), 1), len(self.sizes) - 1)
        low, high = self.sizes[right - 1], self.sizes[right]
        share = (tokens - low) / (high - low)
        return self.seconds[right - 1] + share * (self.seconds[right] - self.seconds[right - 1])


@dataclass(slots=True)
class Acceptance:
    """How often drafted tokens of one kind were right: a mean that begins with an assumption and forgets slowly."""

    right: float
    tried: float

    @classmethod
    def assumed(cls, share: float, *, weight: float = 4.0) -> Acceptance:
        """What is believed before anything was seen, as if it had been seen `weight` times."""
        return cls(share * weight, weight)

    @property
    def share(self) -> float:
        """The probability that the next token is right, never certain."""
        return min(self.right / self.tried, 0.998)

    def observe(self, accepted: int, *, rejected: bool) -> None:
        """Of a window, so many were right, and then one was wrong or none was left."""
        self.right = self.right * _MEMORY + accepted
        self.tried = self.tried * _MEMORY + accepted + rejected


def gain(length: int, share: float, costs: Costs) -> float:
    """Tokens for each unit of cost that a window of `length` brings on average."""
    return (1 - share ** (length + 1)) / (1 - share) / costs.of(length + 1)


def best_length(share: float, costs: Costs, room: int, lengths: Sequence[int] = LENGTHS) -> int:
    """The window, of at most `room` tokens, that brings the most."""
    possible = [length for length in lengths if length < room] + [min(room, lengths[-1])]
    return max(possible, key=lambda length: gain(length, share, costs))
