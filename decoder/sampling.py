"""An order of preference over tokens, such that the first legal one is an exact sample.

Greedy decoding prefers by logit. Sampling adds Gumbel noise to the tempered logits: the largest sum is then a draw
from the softmax, and the largest sum *among the legal tokens* is a draw from the softmax restricted to them (Maddison
et al. 2014, "A* sampling", section 2). So a token that is refused needs no second draw, a lazily checked choice
equals a masked one, and, as the noise depends on the position alone, a drafted token is chosen as an undrafted one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_TAIL = 1e6
"""Subtracted from tokens outside the nucleus, so that they come after those in it; far above any logit or noise."""


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """How to choose among legal tokens.

    Args:
        temperature: 0 chooses the most probable token; above 0 the logits are divided by it and sampled.
        top_p: Sample within the smallest set of tokens that holds this much probability; only if no token of it is
            legal, from the others. The set is formed before the constraint is asked.
        seed: The same seed gives the same text; None takes a new one.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.temperature <= 100:  # noqa: PLR2004 - beyond it every token is as probable as any
            raise ValueError(f"temperature must be between 0 and 100, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")


class Sampler:
    """Turns logits into preferences; holds nothing but its options."""

    def __init__(self, options: SamplingOptions) -> None:
        self.options = options

    @cached_property
    def _key(self) -> npt.NDArray[np.unsignedinteger]:
        """The key of the noise's generator, from the seed; computed only where there is noise."""
        return np.random.SeedSequence(self.options.seed).generate_state(2, np.uint64)

    def preferences(self, logits: npt.NDArray[np.float32], position: int) -> npt.NDArray[np.floating]:
        """Scores; tokens are tried in descending order of them.

        Args:
            logits: float32 [vocabulary].
            position: Index of the token in the output; the noise is a function of it and the seed.
        """
        if self.options.temperature == 0:
            return logits
        with np.errstate(over="ignore"):  # a temperature near 0 leaves all but the best at minus infinity, as it should
            tempered = (logits.astype(np.float64) - logits.max()) / self.options.temperature
        noise = np.random.Generator(np.random.Philox(key=self._key, counter=[0, 0, 0, position]))
        scores: npt.NDArray[np.float64] = tempered + noise.gumbel(size=tempered.shape)
        if self.options.top_p < 1:
            scores[~_nucleus(tempered, self.options.top_p)] -= _TAIL
        return scores


class Distribution:
    """The model's distribution of the next token, or one that was derived from it. What is computed from it is kept.

    Args:
        logits: float32 [vocabulary].
        normaliser: See `log_normaliser`, where it is known.
    """

    __slots__ = ("_favourite", "_normaliser", "derived", "logits")

    def __init__(self, logits: npt.NDArray[np.float32], normaliser: float | None = None) -> None:
        self.logits = logits
        self.derived: dict[object, Distribution] = {}
        """The distributions that were derived from this one, by the object that derived each."""
        self._normaliser = normaliser
        self._favourite: int | None = None

    @property
    def favourite(self) -> int:
        """The most probable token; of several that are equally probable the first."""
        if self._favourite is None:
            self._favourite = int(self.logits.argmax())
        return self._favourite

    @property
    def normaliser(self) -> float:
        """See `log_normaliser`."""
        if self._normaliser is None:
            self._normaliser = log_normaliser(self.logits, self.favourite)
        return self._normaliser

    def log_probability(self, token: int) -> float:
        """Natural logarithm of a token's probability."""
        return float(self.logits[token]) - self.normaliser


def log_normaliser(logits: npt.NDArray[np.float32], favourite: int | None = None) -> float:
    """The number that, subtracted from a logit, gives the natural logarithm of its token's probability.

    Args:
        favourite: The most probable token, where it is known.
    """
    highest = logits[logits.argmax() if favourite is None else favourite]
    shares = logits - highest
    return float(highest + np.log(np.exp(shares, out=shares).sum()))


def _nucleus(tempered: npt.NDArray[np.float64], top_p: float) -> npt.NDArray[np.bool_]:
    """The smallest set of most probable tokens with at least `top_p` of the probability (Holtzman et al. 2020)."""
    probability = np.exp(tempered - tempered.max())
    probability /= probability.sum()
    order = np.argsort(-probability, kind="stable")
    before = np.cumsum(probability[order]) - probability[order]
    chosen = np.zeros(probability.shape, dtype=np.bool_)
    chosen[order[before < top_p]] = True
    return chosen
