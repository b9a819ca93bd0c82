"""One training run: batches in, checkpoints out. A run that was stopped continues from its last checkpoint."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from decoder.prompt import layouts
from training import fast_step, number_type
from training.fast_step import head_loss
from training.growth import ShapeError
from training.number_type import Measure, NumberType
from training.recipe import DEFAULT_SIZE, SIZES, Recipe
from training.stream import Batch, Sources, batches
from training.tokenizer import PADDING

_STATE, _LOG = "state.pt", "log.jsonl"
_POSITIONS = 4_096
"""The longest sequence that a new model's configuration allows."""
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


def new_model(recipe: Recipe, vocabulary: int) -> LlamaForCausalLM:
    """A model with random weights. Matrices that write into the residual stream have smaller ones, by the depth."""
    size = SIZES[recipe.size or DEFAULT_SIZE]
    torch.manual_seed(recipe.seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=vocabulary, hidden_size=size.width, num_hidden_layers=size.layers,
            num_attention_heads=size.heads, num_key_value_heads=size.heads, intermediate_size=size.feed_forward,
            max_position_embeddings=_POSITIONS, tie_word_embeddings=True, rms_norm_eps=1e-5,
            initializer_range=0.02, bos_token_id=0, eos_token_id=0, pad_token_id=1,
        )
    )  # fmt: skip
    for layer in model.model.layers:
        for out in (layer.self_attn.o_proj, layer.mlp.down_proj):
            torch.nn.init.normal_(out.weight, std=0.02 / math.sqrt(2 * size.layers))
    return model


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


def export(model: LlamaForCausalLM, tokenizer_file: Path, recipe: Recipe, directory: Path) -> None:
    """Write the model as transformers reads it, in bfloat16, with its tokenizer and its recipe."""
    module: nn.Module = model
    module.to(torch.bfloat16)
    disable_progress_bar()  # type: ignore[no-untyped-call] # of one file; the run has a bar of its own
    model.save_pretrained(directory)
    (directory / "model.safetensors").chmod(0o644)  # it is written for its owner only
    markers = {"eos_token": layouts.END, "pad_token": PADDING}
    tokenizer: Any = PreTrainedTokenizerFast
    tokenizer(
        tokenizer_file=str(tokenizer_file),
        clean_up_tokenization_spaces=False,
        model_max_length=model.config.max_position_embeddings,
        **markers,
    ).save_pretrained(directory)
    (directory / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1) + "\n", "utf-8")


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
