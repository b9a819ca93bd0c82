"""How many tokens to verify at once: as many as pay, by what was accepted so far and by what a forward costs here.

Where the tokens of a window are right with probabilities a, b, c, ..., each if those before it are, it brings
1 + a + ab + abc + ... tokens on average (Leviathan et al. 2023, equation 1, if all are equal) at the cost of a forward
of one token more; the window with the best ratio is taken, and none at all where plain decoding is best. Knows nothing
of drafts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

_LENGTHS = (1, 2, 3, 4, 7, 11, 15, 19, 23, 27, 31, 39, 47, 55, 63, 79, 95, 127)
"""Windows that are considered. With the token before it most are a multiple of four, as products are fastest then."""
LONGEST = _LENGTHS[-1]

_MEMORY = 0.9
"""What an observation still counts after the next one: about ten windows are remembered."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a forward of n tokens costs, in any unit; linear between the sizes that were measured."""

    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128)
    seconds: tuple[float, ...] = (1.0, 1.5, 2.1, 2.6, 3.6, 5.6, 9.5, 16.0)
    """As the built-in model costs on one core, after 2,000 tokens."""

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
    def assumed(cls, share: float, weight: float) -> Acceptance:
        """What is believed before anything was seen, as if it had been seen `weight` times."""
        return cls(share * weight, weight)

    @property
    def share(self) -> float:
        """The probability that the next token is right, never certain."""
        return min(self.right / self.tried, 0.998)

    def observe(self, accepted: int, *, rejected: bool) -> None:
        """Count the accepted tokens of a window, and whether one was rejected after them."""
        self.right = self.right * _MEMORY + accepted
        self.tried = self.tried * _MEMORY + accepted + rejected


def best_window(shares: Sequence[float], costs: Costs, room: int) -> tuple[int, float]:
    """The window, of at most `room` tokens, that brings the most, and how many tokens it brings for each unit of cost.

    Args:
        shares: Of each token, the probability that it is right if those before it are; the last stands for all others.
    """
    best, best_value = 0, 1 / costs.of(1)
    expected = sure = 1.0
    length = 0
    for wanted in (*(one for one in _LENGTHS if one < room), min(room, LONGEST)):
        while length < wanted and length < len(shares) - 1:
            sure *= shares[length]
            expected += sure
            length += 1
        share, more = shares[-1], wanted - length
        expected += sure * share * (1 - share**more) / (1 - share)
        sure *= share**more
        length = wanted
        if (value := expected / costs.of(wanted + 1)) > best_value:
            best, best_value = wanted, value
    return best, best_value
