"""Reads a Llama's weights from its safetensors files, in the form in which they are used.

`network_of` is the entrance. It does once what a forward then need not repeat:

- Numbers become float32.
- Matrices are transposed, which numpy's library multiplies faster.
- Matrices that multiply the same input are joined.
- The norms' gains and the scale of attention are multiplied into the matrices after them.
- A rotation turns a number of a head's first half together with one of its second half. The two are stored next to
  each other, as the real and imaginary part of one complex number.

Knows files; computes no logits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from decoder.errors import ModelDamagedError, UnsupportedModelError
from decoder.models.files import ModelFiles, weight_files
from decoder.models.llama.network import Floats, Layer, Network
from decoder.models.llama.shape import Shape

_STRIP = 64
"""Rows that are transposed at once: they stay in the core's cache, which takes a third of the time."""

Stored = npt.NDArray[Any]
"""Weights as they are in a file: float32, float16, or bfloat16 as uint16 with the same bits."""


def network_of(files: ModelFiles, shape: Shape, *, threads: int = 1) -> Network:
    """The network whose weights are in `files`; a forward of many tokens is divided among `threads`.

    Raises:
        ModelDamagedError: a weight is missing, or its size is not that of `shape`.
        UnsupportedModelError: weights are in a number type other than the three usual ones.
    """
    weights = {name: array for file in weight_files(files.path) for name, array in read_tensors(file)}
    _check(weights, shape, files.path)
    memory = _Memory(sum(array.size for array in weights.values()))
    layers = [_layer(weights, shape, f"model.layers.{number}.", memory) for number in range(shape.layers)]
    embedding = memory.transposed((weights["model.embed_tokens.weight"], None))
    output = embedding if shape.tied else memory.transposed((weights["lm_head.weight"], None))
    gain = as_floats(weights["model.norm.weight"])
    return Network(shape, embedding, layers, gain, output, threads=threads)


def read_tensors(file: Path) -> Iterator[tuple[str, Stored]]:
    """The tensors of a safetensors file, each with its name. The file must be whole (`decoder.models.files` checks it).

    Layout: eight bytes little-endian length, that many bytes of JSON, then the tensors.

    Raises:
        UnsupportedModelError: a tensor is of another number type.
    """
    data = np.asarray(np.memmap(file, np.uint8, "r"))
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:start].tobytes())
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        if entry["dtype"] not in _STORED_AS:
            raise UnsupportedModelError(
                f"the weights in '{file}' are {entry['dtype']}; F32, BF16 and F16 are read. Convert them first."
            )
        yield name, data[start + begin : start + end].view(_STORED_AS[entry["dtype"]]).reshape(entry["shape"])


_STORED_AS = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""By number type of safetensors, numpy's type for it (see `Stored`)."""


def as_floats(numbers: Stored) -> Floats:
    """The numbers as float32; a bfloat16 is the upper half of a float32."""
    if numbers.dtype == np.uint16:
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers.astype(np.float32)


def _check(weights: Mapping[str, Stored], shape: Shape, directory: Path) -> None:
    """Raise `ModelDamagedError` if a weight is missing or of another size."""
    expected = _expected_sizes(shape)
    if missing := expected.keys() - weights.keys():
        raise ModelDamagedError(f"the model at '{directory}' lacks weights ({min(missing)}). Fetch it again.")
    for name, size in expected.items():
        if weights[name].shape != size:
            raise ModelDamagedError(
                f"the model at '{directory}' cannot be read ({name} is {weights[name].shape}, where its config.json "
                f"says {size}). Fetch it again."
            )


def _expected_sizes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """The size of each weight that is used, by its name."""
    queries, keys = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
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
    layers = [f"model.layers.{number}" for number in range(shape.layers)]
    sizes = {f"{layer}.{name}.weight": size for layer in layers for name, size in of_layer.items()}
    sizes["model.embed_tokens.weight"] = (shape.vocabulary_size, shape.width)
    sizes["model.norm.weight"] = (shape.width,)
    return sizes if shape.tied else {**sizes, "lm_head.weight": (shape.vocabulary_size, shape.width)}


def _layer(weights: Mapping[str, Stored], shape: Shape, prefix: str, memory: _Memory) -> Layer:
    """The layer whose weights have names that begin with `prefix`."""

    def weight(name: str) -> Stored:
        return weights[f"{prefix}{name}.weight"]

    input_gain = as_floats(weight("input_layernorm"))
    query_gain = input_gain * np.float32(shape.head_width**-0.5)  # with the scale of attention
    queries = _with_pairs_joined(weight("self_attn.q_proj"), shape.heads)
    keys = _with_pairs_joined(weight("self_attn.k_proj"), shape.kv_heads)
    values = weight("self_attn.v_proj")
    minus_gain = -as_floats(weight("post_attention_layernorm"))  # signs turned: the network needs exp(-gate)
    return Layer(
        qkv_proj=memory.transposed((queries, query_gain), (keys, input_gain), (values, input_gain)),
        o_proj=memory.transposed((weight("self_attn.o_proj"), None)),
        gate_up_proj=memory.transposed((weight("mlp.gate_proj"), minus_gain), (weight("mlp.up_proj"), minus_gain)),
        down_proj=memory.transposed((weight("mlp.down_proj"), None)),
    )


def _with_pairs_joined(matrix: Stored, heads: int) -> Stored:
    """The matrix with the rows of each head in another order: row i of its first half, then row i of its second."""
    halves = matrix.reshape(heads, 2, -1, matrix.shape[1])
    return halves.swapaxes(1, 2).reshape(matrix.shape)


class _Memory:
    """One piece of memory for all matrices: for so large a piece numpy has the system use large pages.

    Args:
        room: The numbers of all matrices that it will hold.
    """

    def __init__(self, room: int) -> None:
        self._free: Floats = np.empty(room, np.float32)

    def transposed(self, *matrices: tuple[Stored, Floats | None]) -> Floats:
        """The transposed matrices side by side, float32 [inputs, all outputs].

        Args:
            matrices: Each is [outputs, inputs] and comes with a gain [inputs], by which its columns are multiplied;
                None for no gain.
        """
        width = matrices[0][0].shape[1]
        size = sum(matrix.size for matrix, _ in matrices)
        joined, self._free = self._free[:size].reshape(width, -1), self._free[size:]
        column = 0
        for matrix, gain in matrices:
            for start in range(0, len(matrix), _STRIP):
                strip = as_floats(matrix[start : start + _STRIP])
                if gain is not None:
                    strip *= gain
                joined[:, column : column + len(strip)] = strip.T
                column += len(strip)
        return joined
