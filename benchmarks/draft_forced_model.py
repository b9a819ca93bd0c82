"""Models for `benchmarks/draft.py`: one that computes as always but prefers a given text, and one of random weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
import transformers

from decoder.models.card import ModelCard
from decoder.models.transformers_model import TransformersModel
from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from decoder.models.model import Logits, Model

_PREFERRED = 1e4
"""A logit above all that models compute."""
_SHAPES = {"1.5B": (1536, 8960, 12, 2), "7B": (3584, 18944, 28, 4)}
"""Width, inner width, heads, and heads of keys and values; both have 28 layers."""
_COLUMNS = 151_936
"""Rows of the embedding, those that no token uses included."""


class ForcedModel:
    """Computes every forward with `model`, and then prefers the next token of `target`.

    The target's first token is at position `start` of the sequence.
    """

    def __init__(self, model: Model, target: Sequence[int], start: int) -> None:
        self.inner = model
        self.card, self.vocabulary = model.card, model.vocabulary
        self.context = model.context
        self.device = model.device
        self.memory = model.memory
        self.abilities = model.abilities
        self._target = target
        self._start = start

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens in the cache."""
        return self.inner.tokens

    def truncate(self, length: int) -> None:
        """Drop the end of the cache."""
        self.inner.truncate(length)

    def branch(self) -> ForcedModel:
        """The same model with a cache of its own."""
        return ForcedModel(self.inner.branch(), self._target, self._start)

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append tokens; the logits after the last `rows` of them, which prefer the target."""
        logits = self.inner.forward(tokens, rows)
        first = len(self.tokens) - rows + 1 - self._start
        for row in range(rows):
            if 0 <= first + row < len(self._target):
                logits[row, self._target[first + row]] = _PREFERRED
        return logits


def random_qwen(shape: str, vocabulary: Vocabulary, device: str) -> TransformersModel:
    """A model of random bfloat16 weights in the shape of Qwen2.5-Coder.

    Args:
        shape: A key of `_SHAPES`.
        vocabulary: What its first tokens write; all others of the real size write nothing.
    """
    width, inner, heads, key_value_heads = _SHAPES[shape]
    config = transformers.Qwen2Config(
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=28,
        num_attention_heads=heads,
        num_key_value_heads=key_value_heads,
        vocab_size=_COLUMNS,
        max_position_embeddings=32_768,
        tie_word_embeddings=shape == "1.5B",
    )
    with torch.device(device):
        network = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)  # type: ignore[no-untyped-call]
    token_bytes = [*vocabulary.token_bytes, *[b""] * (_COLUMNS - vocabulary.size)]
    padded = Vocabulary(token_bytes, encode=vocabulary.encode, special=vocabulary.special, end=vocabulary.end)
    return TransformersModel(network, ModelCard.of(padded), 32_768)
