"""A plain Llama as the papers have it, in float64 and without a cache, and random weights for it: no torch needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file

from decoder.models import files as model_files
from decoder.models.card import ModelCard
from decoder.models.llama import LlamaModel, Shape, network_of
from decoder.models.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COLUMNS = 97
PLAIN: dict[str, Any] = {
    "vocab_size": COLUMNS,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": True,
}

Numbers = npt.NDArray[Any]


def write_llama(directory: Path, *, dtype: type[np.generic] = np.float32, **changes: Any) -> Path:  # noqa: ANN401 - a configuration's
    """Random weights, always the same, large enough that every part of the network is heard in the logits."""
    config = {"architectures": ["LlamaForCausalLM"], **PLAIN, **changes}
    shape = _shape(config)
    names = {f"model.{name}.weight": size for name, size in _sizes(shape).items()}
    if not shape.tied:
        names["lm_head.weight"] = (shape.vocabulary_size, shape.width)
    draw = np.random.default_rng(11)
    weights = {
        name: (draw.normal(0, 0.3, size) if len(size) > 1 else draw.uniform(0.5, 1.5, size)).astype(dtype)
        for name, size in names.items()
    }
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "tokenizer.json").write_text("{}")
    return directory


def read_llama(directory: Path) -> LlamaModel:
    """Our model of what was written."""
    vocabulary = Vocabulary([b"x"] * COLUMNS, encode=lambda _: [], special={}, end=frozenset())
    files = model_files.inspect(directory)
    return LlamaModel(network_of(files, _shape(files.config), threads=3), ModelCard.of(vocabulary), 4096)


def textbook(directory: Path, tokens: list[int]) -> Numbers:
    """The logits after each token: Touvron et al. 2023, with the rotations of Su et al. 2021, a token at a time."""
    shape = _shape(json.loads((directory / "config.json").read_text()))
    stored = load_file(directory / "model.safetensors")
    weight = {
        name.removeprefix("model.").removesuffix(".weight"): one.astype(np.float64) for name, one in stored.items()
    }

    def normed(rows: Numbers, gain: str) -> Numbers:
        scaled: Numbers = rows / np.sqrt((rows**2).mean(-1, keepdims=True) + shape.epsilon) * weight[gain]
        return scaled

    def turned(rows: Numbers) -> Numbers:
        """Rows [token, head, width]; numbers half a head apart are one point of a plane."""
        half = shape.head_width // 2
        angles = np.arange(len(tokens))[:, None, None] * shape.base ** (-np.arange(half) / half)
        one, other = rows[..., :half], rows[..., half:]
        cos, sin = np.cos(angles), np.sin(angles)
        return np.concatenate([one * cos - other * sin, other * cos + one * sin], -1)

    hidden = weight["embed_tokens"][tokens]
    future = np.triu(np.full((len(tokens), len(tokens)), -np.inf), 1)
    for layer in (f"layers.{number}" for number in range(shape.layers)):
        rows = normed(hidden, f"{layer}.input_layernorm")
        queries, keys, values = (
            (rows @ weight[f"{layer}.self_attn.{name}_proj"].T).reshape(len(tokens), -1, shape.head_width)
            for name in "qkv"
        )
        queries, keys = turned(queries), turned(keys)
        attended = np.empty_like(queries)
        for head in range(shape.heads):
            shared = head * shape.kv_heads // shape.heads
            scores = queries[:, head] @ keys[:, shared].T / shape.head_width**0.5 + future
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            attended[:, head] = shares / shares.sum(-1, keepdims=True) @ values[:, shared]
        hidden = hidden + attended.reshape(len(tokens), -1) @ weight[f"{layer}.self_attn.o_proj"].T
        rows = normed(hidden, f"{layer}.post_attention_layernorm")
        gate = rows @ weight[f"{layer}.mlp.gate_proj"].T
        widened = gate / (1 + np.exp(-gate)) * (rows @ weight[f"{layer}.mlp.up_proj"].T)
        hidden = hidden + widened @ weight[f"{layer}.mlp.down_proj"].T
    output = weight["embed_tokens" if shape.tied else "lm_head"]
    logits: Numbers = normed(hidden, "norm") @ output.T
    return logits


def difference(one: Numbers, other: Numbers) -> float:
    """The largest of two logits, as a share of the largest logit of the row."""
    assert one.shape == other.shape
    return float((np.abs(one - other).max(-1) / np.abs(other).max(-1)).max())


def _shape(config: Mapping[str, Any]) -> Shape:
    shape = Shape.of(config)
    assert shape is not None
    return shape


def _sizes(shape: Shape) -> dict[str, tuple[int, ...]]:
    queries, keys = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    sizes: dict[str, tuple[int, ...]] = {"embed_tokens": (shape.vocabulary_size, shape.width), "norm": (shape.width,)}
    of_layer = {
        "input_layernorm": (shape.width,),
        "self_attn.q_proj": (queries, shape.width),
        "self_attn.k_proj": (keys, shape.width),
        "self_attn.v_proj": (keys, shape.width),
        "self_attn.o_proj": (shape.width, queries),
        "post_attention_layernorm": (shape.width,),
        "mlp.gate_proj": (shape.inner, shape.width),
        "mlp.up_proj": (shape.inner, shape.width),
        "mlp.down_proj": (shape.width, shape.inner),
    }
    return sizes | {f"layers.{n}.{name}": size for n in range(shape.layers) for name, size in of_layer.items()}
