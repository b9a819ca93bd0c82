"""One training run: batches in, checkpoints out. A run that was stopped continues from its last checkpoint."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

from training import fast_step, number_type
from training.fast_step import head_loss
from training.growth import ShapeError
from training.number_type import Measure, NumberType
from training.optimisers import Optimisers
from training.recipe import Recipe
from training.stream import Batch, Sources, batches

_STATE, _LOG = "state.pt", "log.jsonl"
_SMOOTH = 0.95
"""The weight of earlier steps in the running mean of the loss."""
_LOGGED_STEPS = 20
"""Steps between two lines of the log."""
_SAVE_EVERY_S = 300
"""Seconds between two checkpoints."""
_UNRECORDED_TYPE = "bfloat16"
"""The number type of older checkpoints, which do not record theirs."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    step: int
    """Steps that are done."""
    steps: int
    loss: float
    """The running mean of the weighted loss, in nats per token."""
    tokens_per_second: float
    """The mean since the run was last started."""


def train(
    model: LlamaForCausalLM,
    sources: Sources,
    recipe: Recipe,
    directory: Path,
    *,
    notify: Callable[[Progress], None] = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
    device: str = "cpu",
    workers: int = 0,
    measure: Measure | None = None,
) -> Progress:
    """Train until the recipe's tokens have been trained on, from the checkpoint in `directory` if there is one.

    Args:
        directory: Gets the checkpoints and the log.
        notify: Called after every step.
        say: Called once, with a sentence on the number type of products.
        workers: Processes that make examples; 0 to make them in this one.
        measure: Times a product to choose the number type on a CPU; None to time one of the model's products.

    Raises:
        NothingToLearnError: no example can be made of the sources.
        ShapeError: the checkpoint is of a model of another size.
        KeyboardInterrupt: the run was interrupted; a checkpoint has been written.
    """
    module: nn.Module = model  # whose `to` is typed, where transformers' is not
    module.to(device).train()
    if device == "cpu":
        model.set_attn_implementation(fast_step.BLOCKWISE)
    optimisers = Optimisers(model, recipe)
    step, mean, kept_type = _restore(directory, model, optimisers, device)
    numbers = number_type.choose(device, kept_type, measure or _product(model))
    say(numbers.why)
    started, first, saved = time.monotonic(), step, time.monotonic()
    try:
        for batch in islice(batches(sources, recipe, first=step, workers=workers), recipe.steps - step):
            loss = _step(model, batch, device, numbers)
            optimisers.step(recipe.rate_at(step))
            step += 1
            mean = loss if mean is None else _SMOOTH * mean + (1 - _SMOOTH) * loss
            tokens_per_second = (step - first) * recipe.length * recipe.batch / (time.monotonic() - started)
            notify(Progress(step, recipe.steps, mean, tokens_per_second))
            if step % _LOGGED_STEPS == 0:
                tokens = step * recipe.length * recipe.batch
                _log(directory, {"step": step, "loss": round(mean, 4), "tokens": tokens, "number_type": numbers.name})
            if time.monotonic() - saved > _SAVE_EVERY_S:
                _save(directory, model, optimisers, step, mean, numbers)
                saved = time.monotonic()
    finally:
        if mean is not None:
            _save(directory, model, optimisers, step, mean, numbers)
    return Progress(step, recipe.steps, mean if mean is not None else math.nan, 0.0)


def _product(model: LlamaForCausalLM) -> Measure:
    """A function that times a product of the model's feed-forward layers."""
    config: LlamaConfig = model.config
    return number_type.product(config.hidden_size, config.intermediate_size)


def _step(model: LlamaForCausalLM, batch: Batch, device: str, numbers: NumberType) -> float:
    """Compute the gradients for a batch; the weighted loss, in nats per token."""
    tokens, weights = (tensor.to(device) for tensor in batch)
    with torch.autocast(device, torch.bfloat16, enabled=numbers.dtype is torch.bfloat16):
        hidden = model.model(input_ids=tokens[:, :-1], use_cache=False).last_hidden_state
        loss = head_loss(hidden.flatten(0, 1), model.lm_head.weight, tokens[:, 1:].flatten(), weights.flatten())
    loss.backward()  # type: ignore[no-untyped-call]
    return float(loss.detach())


def _restore(
    directory: Path, model: LlamaForCausalLM, optimisers: Optimisers, device: str
) -> tuple[int, float | None, str | None]:
    """Load the checkpoint in a directory into model and optimisers, if there is one.

    Returns:
        The steps done, the mean of the loss, and the name of the number type; 0, None and None for a new run.

    Raises:
        ShapeError: the checkpoint is of a model of another size.
    """
    path = directory / _STATE
    if not path.is_file():
        return 0, None, None
    state = torch.load(path, map_location=device, weights_only=True)
    shapes = {name: weights.shape for name, weights in model.state_dict().items()}
    if {name: weights.shape for name, weights in state["model"].items()} != shapes:
        message = (
            f"the run in '{directory}' began with a model of another size; name that size, or another directory for a "
            "run of its own"
        )
        raise ShapeError(message)
    model.load_state_dict(state["model"])
    optimisers.restore(state["optimisers"])
    return state["step"], state["loss"], state.get("number_type", _UNRECORDED_TYPE)


def _save(  # noqa: PLR0917 - the parts of a checkpoint
    directory: Path, model: LlamaForCausalLM, optimisers: Optimisers, step: int, loss: float, numbers: NumberType
) -> None:
    """Write a checkpoint; it replaces the one before only when it is whole."""
    directory.mkdir(parents=True, exist_ok=True)
    unfinished = directory / f"{_STATE}.part"
    state = {
        "model": model.state_dict(),
        "optimisers": optimisers.state(),
        "step": step,
        "loss": loss,
        "number_type": numbers.name,
    }
    torch.save(state, unfinished)
    os.replace(unfinished, directory / _STATE)  # noqa: PTH105 - a checkpoint is whole or the one before


def _log(directory: Path, line: dict[str, float | str]) -> None:
    """Append a line to the log."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / _LOG).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
