"""Every number of a training run, and the sizes that it can make."""

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
"""By the parameters that they come to with 8,192 tokens. A model of 6M can go on as one of 8M, see `growth`."""

DEFAULT_SIZE = "6M"
"""The size of a new model."""
TRAINED_PEAK = 0.7
"""`Recipe.peak` of a run that begins with a trained model's weights: at the full rates it forgets more than it gains in
a few million tokens."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is trained. The model's card reports what was measured."""

    size: str | None = None
    """One of `SIZES`; None is the size of the model that the run begins with, or `DEFAULT_SIZE`."""
    tokens: int = 20_000_000
    """To train on in all, those before an interruption included. A resumed run may be given another number."""
    length: int = 512
    """Tokens of a sequence."""
    batch: int = 8
    """Sequences of a step."""
    shuffled: int = 256
    """Sequences that are shuffled together: those of one file would else follow one another."""
    matrix_rate: float = 0.02
    """Learning rate of Muon, for the matrices inside the layers."""
    rate: float = 3e-3
    """Learning rate of AdamW, for embeddings and norms."""
    peak: float = 1.0
    """The share of both rates that is reached; see `TRAINED_PEAK`."""
    warm_up: int = 40
    """Steps."""
    decay: float = 0.6
    """The share of the tokens over which the rates fall linearly to `floor` (warm-up, stable, decay: any number of
    tokens can still be added to a run that has not begun to decay)."""
    floor: float = 0.02
    """The share of the peak rates at the end."""
    end_weight: int = 4
    """How much more the end of a hole counts than other tokens: there is one in some 300."""
    middle_weight: int = 2
    """How much more what fills a hole counts than what is around it."""
    change_weight: int = 8
    """How much more a token counts at which a rewrite leaves its original or comes back to it. All others are copied,
    and a model that copies all of them is nearly always right and has learnt nothing."""
    holes: float = 1.0
    """The share of the files' windows that are used; the fewer, the more of a run are rewrites."""
    seed: int = 0
    share: float = 1.0
    """The new weights' share in the result; the rest is the model's with which the run began. Halfway between both, a
    model that was taught something new has forgotten little (Wortsman et al. 2022, "Robust fine-tuning")."""

    @property
    def steps(self) -> int:
        """Optimiser steps in all."""
        return max(1, self.tokens // (self.length * self.batch))

    def rate_at(self, step: int) -> float:
        """The share of `rate` and `matrix_rate` at a step."""
        left = (self.steps - step) / self.steps
        return self.peak * min(1.0, (step + 1) / self.warm_up, max(self.floor, left / self.decay))
