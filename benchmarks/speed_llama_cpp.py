"""The embedded model in llama.cpp, for `inscope bench speed`: its weights as GGUF, and a server in this process.

This needs `pip install xllamacpp gguf`, which are no dependencies of ours.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from decoder import embedded
from decoder.models.llama.shape import Shape
from decoder.models.llama.weights import as_floats, read_tensors

_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""The names of a layer's weights in transformers, and in GGUF."""


class LlamaCpp:
    """The embedded model on one thread, its weights in one number type.

    Args:
        kind: GGUF's name of the number type: BF16, Q8_0, ...
        directory: Where the GGUF file is written.
    """

    def __init__(self, kind: str, directory: Path) -> None:
        xllamacpp: Any = importlib.import_module("xllamacpp")
        file = directory / f"embedded-{kind}.gguf"
        _write(file, kind)
        options = xllamacpp.CommonParams()
        options.model.path = str(file)
        options.n_ctx, options.n_parallel, options.verbosity = 1024, 1, -1
        options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
        self._server = xllamacpp.Server(options)

    def write(self, prompt: Sequence[int], length: int) -> None:
        """Read a prompt of token numbers without a cache, and write `length` tokens after it, greedily.

        Raises:
            AssertionError: the server read or wrote another number of tokens.
        """
        answer = self._server.handle_completions(
            {
                "prompt": list(prompt),
                "n_predict": length,
                "temperature": 0,
                "ignore_eos": True,
                "cache_prompt": False,
                "samplers": ["top_k"],
                "top_k": 1,
            }
        )
        timings = json.loads(answer)["timings"] if isinstance(answer, str | bytes) else answer["timings"]
        if (timings["prompt_n"], timings["predicted_n"]) != (len(prompt), length):
            raise AssertionError(f"llama.cpp did something else: {timings}")


def _write(file: Path, kind: str) -> None:
    """Write the embedded model as a GGUF file; matrices are in the number type `kind`, vectors in float32."""
    gguf: Any = importlib.import_module("gguf")
    source = embedded.path()
    config, tokenizer = (json.loads((source / name).read_text("utf-8")) for name in ("config.json", "tokenizer.json"))
    shape = Shape.of(config)
    assert shape is not None  # noqa: S101 - the embedded model is plain
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_layer_norm_rms_eps(shape.epsilon)
    writer.add_rope_freq_base(shape.base)
    writer.add_rope_dimension_count(shape.head_width)
    writer.add_vocab_size(shape.vocabulary_size)
    _write_tokens(writer, tokenizer, shape.vocabulary_size)
    for name, array in read_tensors(source / "model.safetensors"):
        layer, _, weight = name.removeprefix("model.").removeprefix("layers.").partition(".")
        weight = weight.removesuffix(".weight")
        outside_layers = {"embed_tokens": "token_embd", "norm": "output_norm"}
        gguf_name = outside_layers[layer] if layer in outside_layers else f"blk.{layer}.{_NAMES[weight]}"
        matrix = np.ascontiguousarray(_interleaved(as_floats(array), shape, weight))
        number_type = gguf.GGMLQuantizationType[kind if array.ndim > 1 else "F32"]
        writer.add_tensor(f"{gguf_name}.weight", gguf.quants.quantize(matrix, number_type), raw_dtype=number_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _write_tokens(writer: Any, tokenizer: dict[str, Any], columns: int) -> None:  # noqa: ANN401 - an optional library's
    """Add the tokens and merges of a `tokenizer.json`; `columns` is the vocabulary's size, unused tokens included."""
    pieces = {token: piece for piece, token in tokenizer["model"]["vocab"].items()}
    special = {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
    pieces |= special
    merges = tokenizer["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([pieces.get(token, f"[unused {token}]") for token in range(columns)])
    writer.add_token_types([3 if token in special else 1 for token in range(columns)])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
    writer.add_eos_token_id(0)


def _interleaved(array: np.ndarray, shape: Shape, weight: str) -> np.ndarray:
    """A weight with the rows of queries and keys reordered; any other weight as it is.

    The rotary embedding turns pairs of a head's numbers: in llama.cpp neighbours, here the same places of both halves.
    """
    heads = {"self_attn.q_proj": shape.heads, "self_attn.k_proj": shape.kv_heads}.get(weight)
    if heads is None:
        return array
    return array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
