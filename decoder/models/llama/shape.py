"""Whether a model is a plain Llama, and the sizes of its parts, from its `config.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PLAIN: Mapping[str, tuple[object, ...]] = {
    "architectures": (["LlamaForCausalLM"],),
    "hidden_act": ("silu", "swish"),
    "attention_bias": (False,),
    "mlp_bias": (False,),
    "rope_scaling": (None,),
    "quantization_config": (None,),
}
"""By entry of `config.json`, the values that a plain Llama may have; the first is that of an absent entry."""

_PLAIN_ROPE: Mapping[str, tuple[object, ...]] = {"rope_type": ("default",), "partial_rotary_factor": (1.0, None)}
"""By entry of `rope_parameters`, the values that a plain Llama may have; the first is that of an absent entry."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of a plain Llama: its positions are rotations of one base; no biases, no quantised weights."""

    layers: int
    heads: int
    kv_heads: int
    """Heads of keys and values, each of which serves `heads / kv_heads` heads of queries."""
    head_width: int
    """Numbers in a head of queries, keys or values; even."""
    width: int
    """Numbers in the state of a token."""
    inner: int
    """Width of the feed-forward layer."""
    vocabulary_size: int
    """Columns of the logits."""
    epsilon: float
    """Added to the mean square in RMS norms."""
    base: float
    """The base of the rotations: theta, in Su et al. 2021, equation 15."""
    tied: bool
    """Whether the embedding is also the output's matrix."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Shape | None:
        """The shape of a plain Llama; None for every other model. Absent entries have transformers' defaults."""
        rope = config.get("rope_parameters") or {}
        if not (_is_plain(config, _PLAIN) and isinstance(rope, Mapping) and _is_plain(rope, _PLAIN_ROPE)):
            return None
        try:
            heads, width = int(config["num_attention_heads"]), int(config["hidden_size"])
            shape = cls(
                layers=int(config["num_hidden_layers"]),
                heads=heads,
                kv_heads=int(config.get("num_key_value_heads") or heads),
                head_width=int(config.get("head_dim") or width // heads),
                width=width,
                inner=int(config["intermediate_size"]),
                vocabulary_size=int(config["vocab_size"]),
                epsilon=float(config.get("rms_norm_eps", 1e-6)),
                base=float(rope.get("rope_theta") or config.get("rope_theta", 10_000.0)),
                tied=bool(config.get("tie_word_embeddings", False)),
            )
        except (KeyError, TypeError, ValueError, ArithmeticError):
            return None
        return shape if shape._is_possible() else None

    def _is_possible(self) -> bool:
        """Whether a Llama can have these sizes."""
        sizes = (self.layers, self.heads, self.kv_heads, self.head_width, self.width, self.inner, self.vocabulary_size)
        return min(*sizes, self.epsilon, self.base) > 0 and self.heads % self.kv_heads == 0 and self.head_width % 2 == 0


def _is_plain(config: Mapping[str, Any], plain: Mapping[str, tuple[object, ...]]) -> bool:
    return all(config.get(name, allowed[0]) in allowed for name, allowed in plain.items())
