"""A model that computes nothing and writes a given text, for benchmarks that count what draft policies do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from decoder.models.card import ModelCard
from decoder.models.model import LOCAL, Logits
from decoder.models.vocabulary import Vocabulary

_TOKENS = 128
"""Tokens of the vocabulary: each writes one ASCII character."""


class GivenOutput:
    """Prefers the next token of `output`, whatever was written before; the prompt is one token.

    After the output's end, its last token is preferred.
    """

    def __init__(self, output: Sequence[int]) -> None:
        written = [bytes([value]) for value in range(_TOKENS)]
        self.vocabulary = Vocabulary(written, encode=lambda text: list(text.encode()), special={}, end=frozenset())
        self.card = ModelCard.of(self.vocabulary)
        self.context = 4096
        self.device = "cpu"
        self.memory = 0
        self.abilities = LOCAL
        self.tokens: list[int] = []
        self._output = output

    def branch(self) -> GivenOutput:
        """The same model with an empty cache."""
        return GivenOutput(self._output)

    def truncate(self, length: int) -> None:
        """Drop all tokens after the first `length`."""
        del self.tokens[length:]

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append tokens; after each of the last `rows` of them, logits that prefer the output's next token."""
        self.tokens.extend(tokens)
        logits = np.zeros((rows, _TOKENS), dtype=np.float32)
        for row in range(rows):
            place = len(self.tokens) - rows + row
            logits[row, self._output[min(place, len(self._output) - 1)]] = 1
        return logits
