"""Reads a Llama's weights from its safetensors files, in the form in which they are used.

The work is done once, so that a forward need not repeat it: numbers become float32; matrices are transposed, which
numpy's library multiplies faster; matrices that multiply the same input are joined; the norms' gains and the scale of
attention are multiplied into the matrices after them; the two halves of each head that a rotation turns together are
stored next to each other, as the real and imaginary part of one number. Knows files; computes no logits.
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
"""Rows that are transposed at once: they stay near meanwhile, which takes a third of the time."""

Stored = npt.NDArray[Any]
"""Weights as they are in a file: float32, float16, or bfloat16 as the whole numbers that have its bits."""


def network_of(files: ModelFiles, shape: Shape, *, threads: int = 1) -> Network:
    """The network whose weights are in `files`; a forward of many tokens is divided among `threads`.

    Raises:
        ModelDamagedError: a weight is not there, or is not as large as `shape` has it.
        UnsupportedModelError: weights are in a number type other than the three usual ones.
    """
    weights = {name: array for file in weight_files(files.path) for name, array in read_tensors(file)}
    _check(weights, shape, files.path)
    columns = _Columns(sum(array.size for array in weights.values()))
    layers = [_layer(weights, shape, f"model.layers.{number}.", columns) for number in range(shape.layers)]
    embedding = columns.of((weights["model.embed_tokens.weight"], None))
    output = embedding if shape.tied else columns.of((weights["lm_head.weight"], None))
    gain = as_floats(weights["model.norm.weight"])
    return Network(shape, embedding, layers, gain, output, threads=threads)


def read_tensors(file: Path) -> Iterator[tuple[str, Stored]]:
    """The tensors of a safetensors file that is whole: length, JSON header, then the numbers, little-endian."""
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


def as_floats(numbers: Stored) -> Floats:
    """The same as float32; a bfloat16 is the upper half of one."""
    if numbers.dtype == np.uint16:
        return (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers.astype(np.float32)


def _check(weights: Mapping[str, Stored], shape: Shape, directory: Path) -> None:
    expected = _expected(shape)
    if missing := expected.keys() - weights.keys():
        raise ModelDamagedError(f"the model at '{directory}' lacks weights ({min(missing)}). Fetch it again.")
    for name, size in expected.items():
        if weights[name].shape != size:
            raise ModelDamagedError(
                f"the model at '{directory}' cannot be read ({name} is {weights[name].shape}, where its config.json "
                f"says {size}). Fetch it again."
            )


def _expected(shape: Shape) -> dict[str, tuple[int, ...]]:
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


def _layer(weights: Mapping[str, Stored], shape: Shape, prefix: str, columns: _Columns) -> Layer:
    def weight(name: str) -> Stored:
        return weights[f"{prefix}{name}.weight"]

    before, after = (as_floats(weight(norm)) for norm in ("input_layernorm", "post_attention_layernorm"))
    queries = _side_by_side(weight("self_attn.q_proj"), shape.heads), before * np.float32(shape.head_width**-0.5)
    keys = _side_by_side(weight("self_attn.k_proj"), shape.kv_heads), before
    return Layer(
        qkv_proj=columns.of(queries, keys, (weight("self_attn.v_proj"), before)),
        o_proj=columns.of((weight("self_attn.o_proj"), None)),
        # signs turned: exp(-gate) is what the network needs of the gate
        gate_up_proj=columns.of((weight("mlp.gate_proj"), -after), (weight("mlp.up_proj"), -after)),
        down_proj=columns.of((weight("mlp.down_proj"), None)),
    )


def _side_by_side(matrix: Stored, heads: int) -> Stored:
    """The rows of each head in another order: row i of its first half, then row i of its second half."""
    halves = matrix.reshape(heads, 2, -1, matrix.shape[1])
    return halves.swapaxes(1, 2).reshape(matrix.shape)


class _Columns:
    """Puts matrices, transposed, into one piece of memory: in so large a piece numpy has the system use large pages.

    Args:
        room: Numbers for which there is room.
    """

    def __init__(self, room: int) -> None:
        self._left: Floats = np.empty(room, np.float32)

    def of(self, *matrices: tuple[Stored, Floats | None]) -> Floats:
        """The rows of all these matrices as columns, side by side, each multiplied by what comes with its matrix."""
        width = matrices[0][0].shape[1]
        size = sum(matrix.size for matrix, _ in matrices)
        taken, self._left = self._left[:size].reshape(width, -1), self._left[size:]
        column = 0
        for matrix, gain in matrices:
            for start in range(0, len(matrix), _STRIP):
                strip = as_floats(matrix[start : start + _STRIP])
                if gain is not None:
                    strip *= gain
                taken[:, column : column + len(strip)] = strip.T
                column += len(strip)
        return taken
