"""The protocol of a model as the decode loop uses it: append tokens, return logits, truncate.

The cache is part of the model: `tokens` are its contents, `truncate` drops its end. `LlamaModel`, `TransformersModel`
and `ServerModel` implement it. Knows nothing of torch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from decoder.models.card import ModelCard
from decoder.models.vocabulary import Vocabulary


class Sees(StrEnum):
    """What the logits of a forward tell."""

    LOGITS = "logits"
    """The logits of all tokens of the vocabulary, after each token that was read."""
    TOP_TOKENS = "top tokens"
    """The logits of the best tokens alone; all others have minus infinity."""
    TOP_TEXTS = "top tokens as text"
    """The logits of the best tokens alone, which the model names by the text that they write, and not by a number."""
    TEXTS = "texts"
    """No probabilities: the model writes a few whole texts, and only the next tokens of these texts have logits."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model declares that it can do; the search takes the best way that this allows."""

    sees: Sees = Sees.LOGITS
    drafts: bool = True
    """Whether a draft saves time: a forward of several tokens costs little more than one of a token, and to go back
    costs nothing. If not, the next forward after `Model.truncate` may read all tokens again."""
    exact: bool = True
    """Whether logits differ by no more than float32's rounding when tokens are grouped into other forwards."""

    @property
    def description(self) -> str:
        """What it can do, in one phrase for people."""
        match self.sees:
            case Sees.LOGITS:
                sees = "sees all tokens"
            case Sees.TEXTS:
                sees = "sees no probabilities: it is asked for whole texts, and the first that is accepted is shown"
            case _:
                sees = f"sees the best {self.sees.removeprefix('top ')}"
        return f"{sees}; {'drafts' if self.drafts else 'no draft'}"


LOCAL = Abilities()
"""What a model can do that is computed in this process."""

Logits = npt.NDArray[np.float32]
"""float32 [rows, vocabulary.size]; a row holds the unnormalised log-probabilities of the token that follows."""


class Model(Protocol):
    """A causal language model with a key-value cache that can be rolled back."""

    @property
    def card(self) -> ModelCard:
        """What is known of it beside its weights."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The card's: the bytes of every token, and the special tokens."""

    @property
    def abilities(self) -> Abilities:
        """What it can do; nothing else tells one kind of model from another."""

    @property
    def context(self) -> int:
        """The longest sequence the model was trained for, in tokens."""

    @property
    def tokens(self) -> Sequence[int]:
        """The tokens in the cache, oldest first."""

    @property
    def device(self) -> str:
        """The device that computes: cpu, cuda or mps; of a completion server its kind and address."""

    @property
    def memory(self) -> int:
        """Bytes of the weights and the cache on their device; 0 where another machine has them."""

    def branch(self) -> Model:
        """The same weights with an empty cache of their own. Belongs to the same thread."""

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Append `tokens` (at least one) to the cache; the logits after each of the last `rows` of them.

        Raises:
            OutOfDeviceMemoryError: the cache is then as it was before the call.
        """

    def truncate(self, length: int) -> None:
        """Drop all but the first `length` tokens of the cache."""


class PartialModel(Model, Protocol):
    """A model whose rows have the best tokens only (`is_partial`)."""

    def widened(self, tokens: Sequence[int], among: Collection[int] | None, without: Collection[int]) -> Logits | None:
        """The row after some tokens, with tokens in it that the forward did not name.

        float32 [vocabulary.size], log-probabilities; None where the model names no further tokens.

        Args:
            tokens: The tokens after which the row is: the prompt and the output.
            among: The tokens that are wanted; None for the best ones.
            without: Tokens that are not wanted, as they are known.
        """

    def written(self, text: bytes) -> Logits | None:
        """A row in which the token that writes `text` is certain.

        float32 [vocabulary.size]; None where the vocabulary is fixed and has no token made for any text.
        """


def is_partial(model: Model) -> TypeGuard[PartialModel]:
    """Whether a model's rows have the best tokens only, so that it may be asked for further ones."""
    return model.abilities.sees is not Sees.LOGITS
