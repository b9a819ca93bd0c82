"""Measures how strange an instruction is to the built-in model, which follows only the kinds of its recipe.

The model was trained to predict the instructions of its recipe as well as their results. So its own probabilities tell
whether it has been taught what somebody asks for, and no list of words is needed. `probability` uses the measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoder.prompt.layouts import PREFIX, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.models.model import Model


def surprise(model: Model, prompt: Sequence[int]) -> float:
    """How many nats the tokens of a prompt's instruction are less probable than the model expects, summed up.

    What the model expects at a token is its entropy there. So a name, which cannot be predicted, costs nothing, and a
    word that the recipe never has at this place costs much.

    Args:
        model: Only its weights are used, not its cache.
        prompt: A prompt in the built-in model's layout (`layouts.rewrite`).
    """
    special = model.vocabulary.special
    start, end = (prompt.index(special[marker]) for marker in (PREFIX, SUFFIX))
    instruction = prompt[start + 1 : end]
    if not instruction:
        return 0.0
    logits = model.branch().forward(prompt[: end - 1], len(instruction)).astype(np.float64)
    log_probabilities = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    entropies = -np.sum(np.exp(log_probabilities) * log_probabilities, axis=1)
    costs = -log_probabilities[np.arange(len(instruction)), list(instruction)]
    return float(np.maximum(costs - entropies, 0.0).sum())
