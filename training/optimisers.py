"""What changes a model's weights by their gradients (`Optimisers`): Muon for matrices, AdamW for all else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from training.recipe import Recipe

_MOMENTUM, _MATRIX_DECAY = 0.95, 0.01
"""Muon's momentum and weight decay."""
_BETAS = (0.9, 0.95)
"""AdamW's."""
_LONGEST_GRADIENT = 1.0
"""The norm to which the gradient of AdamW's parameters is clipped; the length of Muon's steps does not depend on it."""


class Optimisers:
    """Muon for matrices and AdamW for all other parameters, used as one optimiser."""

    def __init__(self, model: nn.Module, recipe: Recipe) -> None:
        """Optimisers for all parameters of a model.

        Raises:
            RuntimeError: torch is too old to have Muon.
        """
        if not hasattr(torch.optim, "Muon"):
            message = f"training needs torch 2.9 or newer; {torch.__version__} has no Muon optimiser"
            raise RuntimeError(message)
        named = list(model.named_parameters())
        matrices = [p for name, p in named if p.ndim == 2 and "embed" not in name and "lm_head" not in name]  # noqa: PLR2004 - a matrix
        inside = {id(p) for p in matrices}
        self._others = [p for _, p in named if id(p) not in inside]
        self._all: Sequence[torch.optim.Optimizer] = (
            torch.optim.Muon(
                matrices, lr=recipe.matrix_rate, momentum=_MOMENTUM, weight_decay=_MATRIX_DECAY,
                adjust_lr_fn="original",
            ),
            torch.optim.AdamW(self._others, lr=recipe.rate, betas=_BETAS, weight_decay=0.0, fused=True),
        )  # fmt: skip
        self._peaks = (recipe.matrix_rate, recipe.rate)

    def step(self, share: float) -> None:
        """Update the parameters by their gradients, at this share of the peak rates, and reset the gradients."""
        nn.utils.clip_grad_norm_(self._others, _LONGEST_GRADIENT)
        for optimiser, peak in zip(self._all, self._peaks, strict=True):
            for group in optimiser.param_groups:
                group["lr"] = peak * share
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)

    def state(self) -> list[dict[str, Any]]:
        """The state from which another run can continue."""
        return [optimiser.state_dict() for optimiser in self._all]

    def restore(self, state: Sequence[dict[str, Any]]) -> None:
        """Continue from what `state` returned."""
        for optimiser, own_state in zip(self._all, state, strict=True):
            optimiser.load_state_dict(own_state)
