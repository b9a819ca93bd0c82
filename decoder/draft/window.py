"""Decides how many tokens to verify at once (`best_window`), by what was accepted so far and what a forward costs here.

If the tokens of a window are right with probabilities a, b, c, ..., each if those before it are, the window brings
1 + a + ab + abc + ... tokens on average (Leviathan et al. 2023, equation 1, if all are equal). It costs a forward of
its tokens and the one before them. The window with the best ratio of tokens to cost is taken, and none at all where
plain decoding is better. Knows nothing of drafts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

_LENGTHS = (1, 2, 3, 4, 7, 11, 15, 19, 23, 27, 31, 39, 47, 55, 63, 79, 95, 127)
"""The lengths of windows that are considered. With the token before it most are a multiple of four, for which products
are fastest."""
LONGEST = _LENGTHS[-1]

_DECAY = 0.9
"""The weight of all earlier observations shrinks to this share with each new one: about ten windows are remembered."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a forward of n tokens costs, in any unit; linear between the sizes that were measured."""

    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128)
    """Numbers of tokens, ascending."""
    seconds: tuple[float, ...] = (1.0, 1.5, 2.1, 2.6, 3.6, 5.6, 9.5, 16.0)
    """The cost of each size. The default is the built-in model's on one core, after 2,000 tokens, as multiples of the
    first."""

    def of(self, tokens: int) -> float:
        """The cost of a forward of so many tokens."""
        upper = min(max(bisect_left(self.sizes, tokens), 1), len(self.sizes) - 1)
        low, high = self.sizes[upper - 1], self.sizes[upper]
        share = (tokens - low) / (high - low)
        return self.seconds[upper - 1] + share * (self.seconds[upper] - self.seconds[upper - 1])


@dataclass(slots=True)
class Acceptance:
    """How often drafted tokens of one kind were right: a mean that begins with an assumption and forgets slowly."""

    right: float
    """The tokens that were right; older ones count less."""
    tried: float
    """The tokens that were verified; older ones count less."""

    @classmethod
    def assumed(cls, share: float, weight: float) -> Acceptance:
        """An assumed share of right tokens, which counts as much as `weight` observations."""
        return cls(share * weight, weight)

    @property
    def share(self) -> float:
        """The probability that the next token is right, never certain."""
        return min(self.right / self.tried, 0.998)

    def observe(self, accepted: int, *, rejected: bool) -> None:
        """Count the accepted tokens of a window, and whether one was rejected after them."""
        self.right = self.right * _DECAY + accepted
        self.tried = self.tried * _DECAY + accepted + rejected


def best_window(shares: Sequence[float], costs: Costs, room: int) -> tuple[int, float]:
    """The length of the best window, 0 for none, and the tokens that it brings for each unit of cost.

    Args:
        shares: Of each token, the probability that it is right if those before it are. The last one holds for all
            further tokens; it is below 1.
        room: The most tokens of the window.
    """
    best, best_value = 0, 1 / costs.of(1)
    expected = all_right = 1.0  # tokens that the window brings on average; probability that all of it is right
    length = 0
    for longer in (*(length for length in _LENGTHS if length < room), min(room, LONGEST)):
        while length < longer and length < len(shares) - 1:
            all_right *= shares[length]
            expected += all_right
            length += 1
        share, further = shares[-1], longer - length
        expected += all_right * share * (1 - share**further) / (1 - share)
        all_right *= share**further
        length = longer
        if (value := expected / costs.of(length + 1)) > best_value:
            best, best_value = length, value
    return best, best_value
