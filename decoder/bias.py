"""Biases: what makes tokens and names more or less probable than the model alone would, before the loop chooses.

A bias forbids nothing: the constraint still allows or refuses each token, and a choice is still a sample of a
distribution restricted to legal tokens, only of another one. A bias is a function of the model's logits and of the
text written so far, so a drafted token is chosen as an undrafted one; and it applies before any token is tried, so a
lazily checked choice equals a masked one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from decoder.constraint.state import ConstraintState


class NameProbabilities(Protocol):
    """Names and their probabilities by the prior, which knows the program and no model."""

    @property
    def names(self) -> Sequence[str]:
        """Sorted."""

    @property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """float64 [names]; they sum to 1."""


class NamePrior(Protocol):
    """Probabilities of names, from the program."""

    def names(self) -> NameProbabilities | None:
        """Names in scope; None where nothing is."""


class Bias(Protocol):
    """What changes the model's logits before a token is chosen."""

    def apply(
        self, logits: npt.NDArray[np.float32], written: str, constraint: ConstraintState, tokens: Sequence[int]
    ) -> npt.NDArray[np.float32]:
        """Logits [vocabulary] to choose from; the same object where there is nothing to change.

        Args:
            logits: The model's.
            written: The output so far; half a character at its end is U+FFFD.
            constraint: The state after it.
            tokens: The tokens of the output so far.
        """
