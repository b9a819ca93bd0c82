"""The model that a run trains: made with random weights (`new_model`), and written for others to load (`export`)."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from transformers.utils.logging import disable_progress_bar

from decoder.prompt import layouts
from training.recipe import DEFAULT_SIZE, SIZES, Recipe
from training.tokenizer import PADDING

_POSITIONS = 4_096
"""The longest sequence that a new model's configuration allows."""


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
