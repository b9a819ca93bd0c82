"""Every number of a training run, and the sizes that a model can have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """The shape of a Llama: pre-norm, rotary positions, gated feed-forward, tied embeddings."""

    width: int
    layers: int
    heads: int
    feed_forward: int


SIZES = {
    "toy": Size(64, 2, 2, 160),
    "3M": Size(192, 4, 3, 512),
    "6M": Size(256, 5, 4, 704),
    "8M": Size(256, 8, 4, 704),
    "12M": Size(320, 8, 5, 864),
    "20M": Size(448, 7, 7, 1184),
}
"""The names are numbers of parameters, with a vocabulary of 8,192 tokens. A 6M model can grow to 8M, see `growth`."""

DEFAULT_SIZE = "6M"
"""The size of a new model."""
TRAINED_PEAK = 0.7
"""`Recipe.peak` of a run that begins with a trained model's weights. At the full rates the model forgets more than it
learns in a few million tokens."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is trained. The model's card reports what was measured."""

    size: str | None = None
    """One of `SIZES`; None for the size of the model that the run begins with, or for `DEFAULT_SIZE`."""
    tokens: int = 20_000_000
    """Tokens of the whole run, those before an interruption included. A resumed run may have another number."""
    length: int = 512
    """Tokens of a sequence."""
    batch: int = 8
    """Sequences of a step."""
    shuffled: int = 256
    """Sequences that are shuffled together, as those of one file would otherwise follow one another."""
    matrix_rate: float = 0.02
    """The peak learning rate of Muon, for the matrices inside the layers."""
    rate: float = 3e-3
    """The peak learning rate of AdamW, for embeddings and norms."""
    peak: float = 1.0
    """A factor of both rates; see `TRAINED_PEAK`."""
    warm_up: int = 40
    """Steps in which the rates rise linearly to their peak."""
    decay: float = 0.6
    """The share of the tokens, at the end, over which the rates fall linearly. A run can be made longer until then."""
    floor: float = 0.02
    """The least share of the peak rates, which is reached at the end."""
    end_weight: int = 4
    """The weight of the end of a hole in the loss, where other tokens have 1; only one token in about 300 is an end."""
    middle_weight: int = 2
    """The weight of the tokens that fill a hole, where those around it have 1."""
    change_weight: int = 8
    """The weight of a token at which a rewrite leaves its original or returns to it. All others are copied, and a model
    that only copies is nearly always right and has learnt nothing."""
    holes: float = 1.0
    """The share of the files' windows that are used. The fewer there are, the more of a run is rewrites."""
    seed: int = 0
    share: float = 1.0
    """The share of the new weights in the result; the rest is the weights with which the run began. Halfway between
    both, a model that was taught something new has forgotten little (Wortsman et al. 2022, "Robust fine-tuning")."""

    @property
    def steps(self) -> int:
        """Optimiser steps in all."""
        return max(1, self.tokens // (self.length * self.batch))

    def rate_at(self, step: int) -> float:
        """The share of `rate` and `matrix_rate` at a step."""
        left = (self.steps - step) / self.steps
        return self.peak * min(1.0, (step + 1) / self.warm_up, max(self.floor, left / self.decay))
