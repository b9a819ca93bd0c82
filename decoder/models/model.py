"""A model as the decode loop uses it: append tokens, return logits, truncate.

Knows nothing of torch. The cache is part of the model: `tokens` are its contents, `truncate` drops its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from decoder.models.vocabulary import Vocabulary

Logits = npt.NDArray[np.float32]
"""float32 [rows, vocabulary.size]; a row holds the unnormalised log-probabilities of the token that follows."""


class Model(Protocol):
    """A causal language model with a key-value cache that can be rolled back."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The bytes of every token, and the special tokens."""

    @property
    def context(self) -> int:
        """The longest sequence the model was trained for, in tokens."""

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens in the cache, oldest first."""

    @property
    def device(self) -> str:
        """The device that computes: cpu, cuda or mps."""

    @property
    def memory(self) -> int:
        """Bytes of the weights and the cache on their device."""

    @property
    def exact(self) -> bool:
        """Whether logits differ by no more than float32's rounding when tokens are grouped into other forwards."""

    @property
    def rolls_back(self) -> bool:
        """Whether `truncate` is free; if not, the next forward reads all tokens again."""

    def branch(self) -> Model:
        """The same weights with an empty cache of their own. Belongs to the same thread."""

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens` (at least one) to the cache; the logits after each of the last `rows` of them.

        Raises:
            OutOfDeviceMemoryError: the cache is then as it was before the call.
        """

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens of the cache."""
