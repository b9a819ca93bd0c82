"""The forward of a Llama, in numpy: tokens in, logits out, keys and values appended.

Touvron et al. 2023 (LLaMA), with rotations as in Su et al. 2021 and fewer heads of keys than of queries as in Ainslie
et al. 2023. `weights` says how the matrices differ from those in the files. In what follows n is the number of tokens
of a forward, t that of all positions with them. Knows no files and no protocol.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from decoder.models.llama.keys_values import KeysValues
from decoder.models.llama.shape import Shape
from decoder.models.llama.slices import LayerDone, Slices

Floats = npt.NDArray[np.float32]


class Scratch(threading.local):
    """One buffer for each thread, as large as the largest that it was asked for."""

    def __init__(self) -> None:
        self._buffer: Floats = np.empty(0, np.float32)

    def floats(self, count: int) -> Floats:
        """So many numbers, of any value. Valid until the next call in the same thread.

        Raises:
            MemoryError: there is no room; the buffer stays as it was.
        """
        if count > len(self._buffer):
            self._buffer = np.empty(count * 5 // 4, np.float32)
        return self._buffer[:count]


_FEW = 5
"""Rows up to which products of single rows are faster: for a block the library copies the matrix first, which costs
what three rows cost."""
_FEW_QUERIES = 3
"""The same where the matrix is the keys or the values of a head."""
_NEAR = 400_000
"""Bytes of a matrix that stay close to a core while several rows are multiplied by them: two rows cost 1.6 times one,
and 2.1 times where the whole matrix was read for each."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one layer, float32, as in `input @ matrix`: a row for each number that comes in."""

    qkv_proj: Floats
    """[width, (heads + 2 kv heads) x head]: queries, keys, values."""
    o_proj: Floats
    """[heads x head, width]: after attention."""
    gate_up_proj: Floats
    """[width, 2 inner]: gate, then what it gates; both with their signs turned."""
    down_proj: Floats
    """[inner, width]."""

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return sum(matrix.nbytes for matrix in (self.qkv_proj, self.o_proj, self.gate_up_proj, self.down_proj))


class Network:
    """Weights, and what is computed with them. Immutable but for a table that grows.

    Args:
        embedding: [width, tokens].
        gain: [width], of the last norm.
        output: [width, tokens]; `embedding` itself where they are tied.
        threads: How many a forward of many tokens may be divided among.
    """

    def __init__(
        self,
        shape: Shape,
        embedding: Floats,
        layers: Sequence[Layer],
        gain: Floats,
        output: Floats,
        *,
        threads: int = 1,
    ) -> None:
        self.shape = shape
        self._embedding = embedding
        self._layers = tuple(layers)
        self._gain = gain
        self._output = output
        self._rotations = _rotations(shape, 0)
        self._slices = Slices(threads)
        self._scratch = Scratch()

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        ends = [self._gain, self._embedding, *([] if self.shape.tied else [self._output])]
        return sum(array.nbytes for array in ends) + sum(layer.nbytes for layer in self._layers)

    def forward(self, tokens: Sequence[int], rows: int, past: KeysValues, start: int) -> Floats:
        """The logits after the last `rows` of `tokens`, float32 [rows, columns].

        Args:
            past: Its first `start` positions are read, and those of `tokens` written after them.

        Raises:
            MemoryError: the first `start` positions are then as they were.
        """
        count = len(tokens)
        past.reserve(start + count, start)
        rotations = self._rotations_between(start, start + count)
        embedded = np.ascontiguousarray(self._embedding[:, tokens].T)  # float32 [n, width]
        logits = np.empty((rows, self._output.shape[1]), np.float32)

        def read_slice(begin: int, end: int, layer_done: LayerDone) -> None:
            states = self._read(embedded[begin:end], rotations[begin:end], past, start + begin, layer_done)
            first = max(begin, count - rows)
            if first < end:
                self._write_logits(states[first - begin :], logits[first - count + rows : end - count + rows])

        self._slices.read(count, read_slice)
        return logits

    def _read(
        self, states: Floats, rotations: npt.NDArray[np.complex64], past: KeysValues, start: int, layer_done: LayerDone
    ) -> Floats:
        """The states of tokens after the last layer, float32 [n, width], from those before the first."""
        epsilon, mask, stop = self.shape.epsilon, _causal_mask(len(states)), start + len(states)
        with np.errstate(over="ignore"):  # exp(-gate) may be infinite, and the gate is then shut as it should be
            for number, layer in enumerate(self._layers):
                held = past.layers[number]
                queries = self._store_keys_values(
                    _product(_rms_norm(states, epsilon), layer.qkv_proj), rotations, held[:, start:stop]
                )
                layer_done(number)
                states += _product(self._attention(queries, held[:, :stop], mask), layer.o_proj)
                states += _product(_swiglu(_product(_rms_norm(states, epsilon), layer.gate_up_proj)), layer.down_proj)
        return states

    def _write_logits(self, states: Floats, logits: Floats) -> None:
        _product(_rms_norm(states, self.shape.epsilon) * self._gain, self._output, logits)

    def _store_keys_values(self, projected: Floats, rotations: npt.NDArray[np.complex64], held: Floats) -> Floats:
        """Store the tokens' keys and values, and return their queries, float32 [heads, n, head].

        Args:
            projected: float32 [n, (heads + 2 kv heads) x head]; its queries and keys are turned.
            rotations: complex64 [n, 1, head / 2].
            held: float32 [2 kv heads, n, head]: where they are stored.
        """
        heads, kv_heads = self.shape.heads, self.shape.kv_heads
        parts = projected.reshape(len(projected), -1, self.shape.head_width)
        pairs = parts[:, : heads + kv_heads].view(np.complex64)
        pairs *= rotations
        parts = parts.swapaxes(0, 1)
        held[...] = parts[heads:]
        return parts[:heads]

    def _attention(self, queries: Floats, held: Floats, mask: Floats) -> Floats:
        """What each token reads of those up to itself, float32 [n, heads x head].

        Args:
            held: float32 [2 kv heads, t, head]: keys, values.
            mask: float32 [n, n], added to the weights of the tokens among themselves.
        """
        heads, count, head = queries.shape
        kv_heads = self.shape.kv_heads
        together = queries.reshape(kv_heads, -1, head)  # [kv heads, heads / kv heads x n, head]
        take = _attention_of_few if together.shape[1] <= _FEW_QUERIES else self._attention_of_many
        attended = take(together, held[:kv_heads], held[kv_heads:], mask)
        return attended.reshape(heads, count, head).swapaxes(0, 1).reshape(count, -1)

    def _attention_of_many(self, queries: Floats, keys: Floats, values: Floats, mask: Floats) -> Floats:
        """Head by head, so that the weights of one stay near, in memory that was written before."""
        kv_heads, rows, _ = queries.shape
        count, stop = len(mask), keys.shape[1]
        attended = np.empty_like(queries)
        weights = self._scratch.floats(rows * stop).reshape(rows, stop)
        recent = weights.reshape(-1, count, stop)[:, :, stop - count :]
        for head in range(kv_heads):
            np.matmul(queries[head], keys[head].T, out=weights)
            recent += mask
            weights -= np.maximum.reduce(weights, axis=1, keepdims=True)
            np.exp(weights, out=weights)
            np.matmul(weights, values[head], out=attended[head])
            # here, as it has fewer numbers than `weights`; not a product with ones, which adds up less exactly
            attended[head] /= np.add.reduce(weights, axis=1, keepdims=True)
        return attended

    def _rotations_between(self, start: int, stop: int) -> npt.NDArray[np.complex64]:
        if stop > len(self._rotations):
            self._rotations = _rotations(self.shape, max(stop, 2 * len(self._rotations), 1024))
        return self._rotations[start:stop, None]


def _attention_of_few(queries: Floats, keys: Floats, values: Floats, mask: Floats) -> Floats:
    """The same for a few tokens: a product for each of them, with keys and values that are still near."""
    weights: Floats = queries[:, :, None] @ keys[:, None].swapaxes(2, 3)  # [kv heads, heads / kv heads x n, 1, t]
    if (count := len(mask)) > 1:
        recent = weights.reshape(len(weights), -1, count, weights.shape[3])[..., -count:]
        recent += mask
    weights -= np.maximum.reduce(weights, axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    attended: Floats = weights @ values[:, None]
    attended /= np.add.reduce(weights, axis=-1, keepdims=True)
    return attended


def _product(rows: Floats, matrix: Floats, out: Floats | None = None) -> Floats:
    """float32 [n, columns]: [n, rows of the matrix] times the matrix; in `out`, if that is given."""
    count = len(rows)
    if not 1 < count <= _FEW:
        return rows.dot(matrix, out)  # called twice as fast as `matmul`
    pieces = 1
    while matrix.nbytes > pieces * _NEAR and matrix.shape[1] % (2 * pieces) == 0:
        pieces *= 2
    by_piece = rows[:, None] @ matrix.reshape(len(matrix), pieces, 1, -1).transpose(1, 2, 0, 3)
    out = np.empty((count, matrix.shape[1]), np.float32) if out is None else out
    out.reshape(count, pieces, -1)[...] = by_piece[:, :, 0].swapaxes(0, 1)  # from [pieces, n, 1, their columns]
    return out


def _rms_norm(states: Floats, epsilon: float) -> Floats:
    """Root-mean-square norm without its gain (Zhang and Sennrich 2019)."""
    if len(states) == 1:
        state = states[0]
        return states / math.sqrt(state.dot(state) / len(state) + epsilon)  # a third of the time of what follows
    squares: Floats = np.einsum("ij,ij->i", states, states)
    squares /= states.shape[1]
    squares += epsilon
    roots: Floats = np.sqrt(squares)
    return states / roots[:, None]


def _swiglu(widened: Floats) -> Floats:
    """SwiGLU (Shazeer 2020): float32 [n, 2 inner], signs turned, to [n, inner]."""
    inner = widened.shape[1] // 2
    gate = widened[:, :inner]
    shut: Floats = np.exp(gate)
    shut += 1
    gated: Floats = np.divide(gate, shut, out=shut)
    gated *= widened[:, inner:]  # turns the sign back
    return gated


def _causal_mask(count: int) -> Floats:
    """What is added to the weights of a block among itself: later tokens are not attended to."""
    if count == 1:
        return np.zeros((1, 1), np.float32)
    return np.triu(np.full((count, count), -np.inf, np.float32), 1)


def _rotations(shape: Shape, positions: int) -> npt.NDArray[np.complex64]:
    """complex64 [positions, head / 2]: position p turns pair i by p / base^(2 i / head).

    The angle is rounded to float32, as it was in training: far from the start that is more than a rounding.
    """
    exponents = np.arange(0, shape.head_width, 2, dtype=np.float32) / np.float32(shape.head_width)
    steps = np.float32(1) / np.float32(shape.base) ** exponents
    angles = np.arange(positions, dtype=np.float32)[:, None] * steps
    rotations: npt.NDArray[np.complex64] = np.exp(1j * angles.astype(np.float64)).astype(np.complex64)
    return rotations
