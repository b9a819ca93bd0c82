"""The built-in model as a GGUF file, written by the format's specification (ggml/docs/gguf.md, version 3)."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import safe_open

from decoder import embedded

_LAYER = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
_TOP = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}
_ALIGNED = 32
_NORMAL, _CONTROL = 1, 3
Floats = npt.NDArray[np.float32]


def write(file: Path, *, kinds: dict[str, Any] | None = None, tensors: bool = True) -> Path:
    """Write the built-in model.

    Args:
        kinds: Keys to put in place of others; None takes a key away.
        tensors: Without them the file has a head only.
    """
    folder = embedded.path()
    keys = _keys(folder) | (kinds or {})
    given = _tensors(folder) if tensors else {}
    file.write_bytes(_head({key: value for key, value in keys.items() if value is not None}, given))
    return file


@cache
def _keys(folder: Path) -> dict[str, Any]:
    config = json.loads((folder / "config.json").read_text("utf-8"))
    limits = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
    text = (folder / "tokenizer.json").read_text("utf-8")
    tokenizer = json.loads(text)
    added = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    spelled = {token: piece for piece, token in (tokenizer["model"]["vocab"] | added).items()}
    pieces = [spelled.get(token, f"[unused{token}]") for token in range(config["vocab_size"])]
    merges = [one if isinstance(one, str) else " ".join(one) for one in tokenizer["model"]["merges"]]
    heads = config["num_attention_heads"]
    return {
        "general.architecture": "llama",
        "general.name": "built-in",
        "llama.context_length": limits["model_max_length"],
        "llama.embedding_length": config["hidden_size"],
        "llama.block_count": config["num_hidden_layers"],
        "llama.feed_forward_length": config["intermediate_size"],
        "llama.attention.head_count": heads,
        "llama.attention.head_count_kv": config["num_key_value_heads"],
        "llama.attention.layer_norm_rms_epsilon": float(config["rms_norm_eps"]),
        "llama.rope.dimension_count": config["head_dim"],
        "llama.rope.freq_base": float(config["rope_parameters"]["rope_theta"]),
        "llama.vocab_size": config["vocab_size"],
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": pieces,
        "tokenizer.ggml.token_type": [_CONTROL if piece in added else _NORMAL for piece in pieces],
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.eos_token_id": config["eos_token_id"],
        # llama.cpp knows no pre-tokenizer like this one's, so the file brings the tokenizer
        "tokenizer.huggingface.json": text,
    }


def _tensors(folder: Path) -> dict[str, Floats]:
    heads = json.loads((folder / "config.json").read_text("utf-8"))["num_attention_heads"]
    found: dict[str, Floats] = {}
    with safe_open(folder / "model.safetensors", framework="pt") as weights:
        for name in weights.keys():  # noqa: SIM118 - no mapping
            values = weights.get_tensor(name).float().numpy()
            if name in _TOP:
                found[_TOP[name]] = values
                continue
            _, _, layer, part = name.split(".", 3)
            part, _, what = part.rpartition(".")
            if part.endswith(("q_proj", "k_proj")):  # llama.cpp turns neighbours, not halves
                rows = len(values) // heads // 2
                values = values.reshape(heads, 2, rows, -1).swapaxes(1, 2).reshape(values.shape)
            found[f"blk.{layer}.{_LAYER[part]}.{what}"] = np.ascontiguousarray(values, np.float32)
    return found


def _head(keys: dict[str, Any], tensors: dict[str, Floats]) -> bytes:
    parts = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(keys))]
    parts += [_text(key) + _value(value) for key, value in keys.items()]
    offset = 0
    for name, values in tensors.items():
        shape = values.shape[::-1]
        parts.append(_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset))
        offset += -(-values.nbytes // _ALIGNED) * _ALIGNED
    head = b"".join(parts)
    body = [head, b"\0" * (-len(head) % _ALIGNED)]
    for values in tensors.values():
        data = values.astype("<f4").tobytes()
        body += [data, b"\0" * (-len(data) % _ALIGNED)]
    return b"".join(body)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:  # noqa: ANN401 - what GGUF has
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + _text(value)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
        case _:
            return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)
