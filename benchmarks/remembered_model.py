"""A model that remembers what it said: the columns of a comparison write much the same, and pay for it once.

The logits are the model's own, up to the rounding that comes with grouping tokens into forwards (`decoder/prefill.py`).
Times of what is computed through it mean nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoder import Model
from decoder.models.model import Logits
from decoder.models.vocabulary import Vocabulary
from decoder.prefill import prefill


class RememberedModel:
    """A `Model` in front of another, whose cache follows only where something new is said."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._tokens: list[int] = []
        self._known: dict[tuple[int, ...], Logits] = {}
        """The row of logits after each sequence."""
        self.computed = 0
        """Forwards that the other model had to make."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The other's."""
        return self._model.vocabulary

    @property
    def context(self) -> int:
        """The other's."""
        return self._model.context

    @property
    def tokens(self) -> Sequence[int]:
        """What the cache seems to hold."""
        return self._tokens

    @property
    def device(self) -> str:
        """The other's."""
        return self._model.device

    @property
    def memory(self) -> int:
        """The other's; what is remembered is not counted."""
        return self._model.memory

    @property
    def exact(self) -> bool:
        """The other's."""
        return self._model.exact

    @property
    def rolls_back(self) -> bool:
        """It costs nothing here."""
        return True

    def branch(self) -> RememberedModel:
        """The same weights, nothing remembered."""
        return RememberedModel(self._model.branch())

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens`; the logits after each of the last `rows` of them, computed only where they are not known."""
        if not 1 <= rows <= len(tokens):
            raise ValueError(f"{rows} rows of logits were asked for, of {len(tokens)} tokens")
        whole = [*self._tokens, *tokens]
        ends = [tuple(whole[:end]) for end in range(len(whole) - rows + 1, len(whole) + 1)]
        if any(end not in self._known for end in ends):
            filled = prefill(self._model, whole, rows=rows)
            assert filled is not None  # noqa: S101 - nothing cancels it
            self._known.update(zip(ends, filled.logits, strict=True))
            self.computed += 1
        self._tokens = whole
        return np.stack([self._known[end] for end in ends])

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens."""
        if not 0 <= length <= len(self._tokens):
            raise ValueError(f"cannot truncate a cache of {len(self._tokens)} tokens to {length}")
        del self._tokens[length:]

    def forget(self) -> None:
        """Drop what is remembered: the next place has another prompt."""
        self._known.clear()
