"""Makes choices independent of how tokens are grouped into forwards, so that drafts are lossless to the last bit.

A forward of 17 tokens and 17 forwards of one token add up in another order, so their logits differ by rounding. In
float32 that is about 1e-5 and matters only where two tokens are almost equally probable: `Recompute` notices that and
computes the logits again with an empty cache, which gives the same result for every grouping. In 16 bits they differ by
up to 0.2, which would affect too many choices; there `Blockwise` computes every token in a block of one shape, at a
place that depends on its position only, so that its logits have the same bits whatever follows in the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from decoder.prefill import prefill

if TYPE_CHECKING:
    from decoder.choice import Choice
    from decoder.models.model import Logits, Model
    from decoder.sampling import Sampler

CLOSE = 1e-3
"""Logits closer than this may swap their order by rounding in float32; 40 times what was measured (`_ROUNDING`)."""
_ROUNDING = 2.3e-5
"""The most by which the built-in model's logits differ between groupings (`inscope bench lossless`)."""
BLOCK = 16
"""Tokens of a block. Where each forward must fetch the weights, as on a GPU, a block costs as much as one token."""


class Grouping(Protocol):
    """Settles choices that depend on how tokens were grouped."""

    def doubtful(self, logits: npt.NDArray[np.float32], choice: Choice | None, position: int, sampler: Sampler) -> bool:
        """Whether rounding could change the choice.

        Args:
            logits: float32 [vocabulary], from which `choice` was made.
            position: The index of the token in the output.
        """

    def settled(self, output: Sequence[int]) -> npt.NDArray[np.float32]:
        """The logits after `output`, the same for every grouping."""


class Recompute:
    """Where rounding could change a choice, reads the prompt and the output again with an empty cache."""

    def __init__(self, model: Model, prompt: Sequence[int]) -> None:
        self._model = model
        self._prompt = tuple(prompt)
        self.asked = 0
        """How often logits were computed again."""

    def doubtful(self, logits: npt.NDArray[np.float32], choice: Choice | None, position: int, sampler: Sampler) -> bool:
        """Whether another token is almost as probable as the chosen one, or as the first that was refused."""
        if choice is None:
            return True
        options = sampler.options
        scores = sampler.preferences(logits, position)
        margin = CLOSE / options.temperature if options.temperature else CLOSE
        deciding = {choice.token, *(token for token, _ in choice.refused[:1])}
        if any(np.count_nonzero(np.abs(scores - scores[token]) < margin) > 1 for token in deciding):
            return True
        if options.temperature == 0 or options.top_p == 1:
            return False
        return _is_nucleus_unsure(logits, options.temperature, options.top_p)

    def settled(self, output: Sequence[int]) -> npt.NDArray[np.float32]:
        """The logits after `output`, float32 [vocabulary]."""
        self.asked += 1
        prefilled = prefill(self._model.branch(), [*self._prompt, *output])
        assert prefilled is not None  # noqa: S101 - nothing can cancel it
        row: npt.NDArray[np.float32] = prefilled.logits[-1]
        return row


class Blockwise:
    """A model that computes everything after the prompt in blocks of one shape, each at a multiple of its length."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.context = model.context - BLOCK
        """One block less than the model's: the last block may reach beyond the text."""
        self.card, self.vocabulary, self.device = model.card, model.vocabulary, model.device
        self.abilities = replace(model.abilities, exact=True)

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens in the cache."""
        return self._model.tokens

    @property
    def memory(self) -> int:
        """Bytes of weights and cache."""
        return self._model.memory

    def branch(self) -> Blockwise:
        """The same model with an empty cache of its own."""
        return Blockwise(self._model.branch())

    def truncate(self, length: int) -> None:
        """Drop all but the first tokens of the cache."""
        self._model.truncate(length)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append tokens to the cache; the logits after each of the last `rows` of them.

        Whole blocks before those rows are read in one forward. The last block is padded, and its padding dropped.
        """
        length = len(self._model.tokens)
        sequence = [*self._model.tokens, *tokens]
        first_block = (len(sequence) - rows) // BLOCK * BLOCK
        if first_block > length:
            self._model.forward(sequence[length:first_block])
        else:
            first_block = length // BLOCK * BLOCK
            self._model.truncate(first_block)
        block_logits = []
        for start in range(first_block, len(sequence), BLOCK):
            block = sequence[start : start + BLOCK]
            padding = block[:1] * (BLOCK - len(block))
            block_logits.append(self._model.forward([*block, *padding], BLOCK)[: len(block)])
        self._model.truncate(len(sequence))
        logits: Logits = np.concatenate(block_logits)[-rows:]
        return logits


def steady(model: Model, prompt: Sequence[int]) -> tuple[Model, Grouping | None]:
    """The model and the grouping with which choices do not depend on drafts; None where the model alone suffices."""
    return (model, Recompute(model, prompt)) if model.abilities.exact else (Blockwise(model), None)


def _is_nucleus_unsure(logits: npt.NDArray[np.float32], temperature: float, top_p: float) -> bool:
    """Whether rounding could move a token into or out of the nucleus.

    If logits differ by at most d, the probability m of a set of tokens differs by about 2 d m (1 - m) / temperature.
    """
    probability = np.exp((logits.astype(np.float64) - logits.max()) / temperature)
    mass = np.cumsum(np.sort(probability)[::-1]) / probability.sum()
    moved = min(1.0, 2 * _ROUNDING / temperature) * mass * (1 - mass)
    return bool(np.any(np.abs(mass - top_p) < moved))
