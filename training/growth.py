"""Adds layers to a trained model (`grow`). The deeper model computes the same at first, and can learn more.

Each new layer is a copy of the one below it whose two output matrices are zero, so that it adds nothing at first (Wu
et al. 2024, "LLaMA Pro: Progressive LLaMA with Block Expansion"). The new layers are spread evenly over the depth.
"""

from __future__ import annotations

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from training.recipe import Size


class ShapeError(ValueError):
    """A model cannot become one of that size by more layers alone."""


def check_size(config: LlamaConfig, size: Size) -> None:
    """Check that a model can grow into a size.

    Raises:
        ShapeError: the model has another width, heads or feed-forward width, or more layers.
    """
    shape = Size(config.hidden_size, size.layers, config.num_attention_heads, config.intermediate_size)
    if shape != size or config.num_hidden_layers > size.layers:
        message = (
            f"a model {config.hidden_size} wide with {config.num_hidden_layers} layers cannot grow "
            f"into one {size.width} wide with {size.layers}; leave out --size to go on with its own"
        )
        raise ShapeError(message)


def grow(model: LlamaForCausalLM, size: Size) -> LlamaForCausalLM:
    """A model with as many layers as the size has; the same object if the model has them already.

    Raises:
        ShapeError: see `check_size`.
    """
    config = model.config
    check_size(config, size)
    old = config.num_hidden_layers
    if old == size.layers:
        return model
    deeper = LlamaForCausalLM(LlamaConfig(**{**config.to_dict(), "num_hidden_layers": size.layers}))
    deeper.load_state_dict(_with_copies(model.state_dict(), _origins(old, size.layers)))
    return deeper


def _origins(old: int, new: int) -> list[tuple[int, bool]]:
    """For each of `new` layers: the index of the old layer that it comes from, and whether it is that layer itself.

    All others are copies, each above the layer from which it was copied.
    """
    origins: list[tuple[int, bool]] = []
    for layer in range(old):
        origins.append((layer, True))
        copies = (layer + 1) * (new - old) // old - layer * (new - old) // old
        origins += [(layer, False)] * copies
    return origins


def _with_copies(state: dict[str, torch.Tensor], origins: list[tuple[int, bool]]) -> dict[str, torch.Tensor]:
    """The weights of the new model, from those of the old one; the output matrices of copies are zero."""
    grown_state = {name: value for name, value in state.items() if not name.startswith("model.layers.")}
    for index, (origin, is_itself) in enumerate(origins):
        prefix = f"model.layers.{origin}."
        for name, value in state.items():
            if name.startswith(prefix):
                is_output = name.endswith(("o_proj.weight", "down_proj.weight"))
                new_value = value.clone() if is_itself or not is_output else torch.zeros_like(value)
                grown_state[f"model.layers.{index}.{name.removeprefix(prefix)}"] = new_value
    return grown_state
