"""How strange an instruction is to the built-in model, which follows only those of the kinds in its recipe.

The model was trained to foresee the instructions of its recipe as well as what comes of them. So it knows itself
whether it has been taught what somebody asks for: no list of words says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoder.prompt.layouts import PREFIX, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.models.model import Model


def surprise(model: Model, prompt: Sequence[int]) -> float:
    """Nats by which the tokens of the instruction in a prompt are less probable than the model expects, together.

    What the model expects of a token is its entropy there. So a name, which nobody can foresee, costs nothing, and a
    word that the recipe never has at this place costs much.

    Args:
        model: Only its weights are used, not its cache.
        prompt: In the built-in model's layout, see `layouts.rewrite`.
    """
    special = model.vocabulary.special
    start, end = (prompt.index(special[marker]) for marker in (PREFIX, SUFFIX))
    instruction = prompt[start + 1 : end]
    if not instruction:
        return 0.0
    logits = model.branch().forward(prompt[: end - 1], len(instruction)).astype(np.float64)
    logs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    expected = -np.sum(np.exp(logs) * logs, axis=1)
    costs = -logs[np.arange(len(instruction)), list(instruction)]
    return float(np.maximum(costs - expected, 0.0).sum())
