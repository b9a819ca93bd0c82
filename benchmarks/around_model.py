"""A model in front of another: the frame of those that benchmarks slow down, or tell what to prefer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.models.model import Logits, Model


class AroundModel:
    """Says and does what the other does; subclasses change `forward`, and `branch` with it."""

    def __init__(self, model: Model) -> None:
        self.inner = model
        self.vocabulary = model.vocabulary
        self.context = model.context
        self.device = model.device
        self.memory = model.memory
        self.exact = model.exact
        self.rolls_back = model.rolls_back

    @property
    def tokens(self) -> Sequence[int]:
        """What the cache holds."""
        return self.inner.tokens

    def branch(self) -> AroundModel:
        """The same with a cache of its own."""
        return AroundModel(self.inner.branch())

    def truncate(self, length: int) -> None:
        """Drop the end of the cache."""
        self.inner.truncate(length)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append tokens; the logits after the last `rows` of them."""
        return self.inner.forward(tokens, rows)
