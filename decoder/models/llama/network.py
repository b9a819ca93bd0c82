"""The forward of a Llama, in numpy: tokens in, logits out, keys and values appended.

Touvron et al. 2023 (LLaMA), with rotations as in Su et al. 2021 and fewer heads of keys than of queries as in Ainslie
et al. 2023. `weights` makes the network and says how its matrices differ from those in the files. `Network.forward` is
the entrance; `LlamaModel` calls it.

In the shapes below, n is the number of tokens that are read at once, and t that of all positions up to the last of
them; width is that of a token's state, head that of a head, inner that of the feed-forward layer. A group is the heads
of queries that one head of keys serves: heads / kv heads of them. Knows no files and no protocol.
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
    """A buffer for each thread. It is reused, as memory that was written before is faster to write, and only grows."""

    def __init__(self) -> None:
        self._buffer: Floats = np.empty(0, np.float32)

    def floats(self, count: int) -> Floats:
        """A view of `count` numbers of any value. Valid until the next call in the same thread.

        Raises:
            MemoryError: there is no room; the buffer stays as it was.
        """
        if count > len(self._buffer):
            self._buffer = np.empty(count * 5 // 4, np.float32)
        return self._buffer[:count]


_FEW_ROWS = 5
"""The most rows for which a product of each single row is faster: for a block of rows numpy's library copies the matrix
first, which costs as much as three rows."""
_FEW_QUERIES = 3
"""The most queries for which a product of each single query with the keys, or the values, of a head is faster."""
_CACHED_BYTES = 400_000
"""The most bytes of a matrix that stay in a core's cache while several rows are multiplied by them: two rows cost 1.6
times one, and 2.1 times if the whole matrix is read for each."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one layer, float32. Each matrix is [inputs, outputs], as in `input @ matrix`."""

    qkv_proj: Floats
    """[width, (heads + 2 kv heads) x head]: queries, keys, values."""
    o_proj: Floats
    """[heads x head, width]: after attention."""
    gate_up_proj: Floats
    """[width, 2 inner]: the gate, then the numbers that it gates; both with their signs turned (see `_swiglu`)."""
    down_proj: Floats
    """[inner, width]: after the gate."""

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return sum(matrix.nbytes for matrix in (self.qkv_proj, self.o_proj, self.gate_up_proj, self.down_proj))


class Network:
    """Weights, and the forward that computes with them. Only its table of rotations changes: it grows.

    Args:
        embedding: float32 [width, vocabulary].
        gain: float32 [width]: the gain of the last norm.
        output: float32 [width, vocabulary]; `embedding` itself where they are tied.
        threads: The most threads among which a forward of many tokens is divided.
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
        outside_layers = [self._gain, self._embedding, *([] if self.shape.tied else [self._output])]
        return sum(array.nbytes for array in outside_layers) + sum(layer.nbytes for layer in self._layers)

    def forward(self, tokens: Sequence[int], rows: int, past: KeysValues, start: int) -> Floats:
        """The logits after the last `rows` of `tokens`, float32 [rows, vocabulary].

        Args:
            tokens: At least one.
            rows: From 1 to the number of `tokens`.
            past: The keys and values of the `start` tokens before `tokens`; those of `tokens` are written after them.
                What it has beyond `start` is overwritten.

        Raises:
            MemoryError: the first `start` positions are then as they were.
        """
        count = len(tokens)
        past.reserve(start + count, start)
        rotations = self._rotations_between(start, start + count)
        embedded = np.ascontiguousarray(self._embedding[:, tokens].T)  # float32 [n, width]
        logits = np.empty((rows, self._output.shape[1]), np.float32)

        def read_slice(begin: int, end: int, layer_done: LayerDone) -> None:
            """Read the tokens from `begin` to `end`, and write the logits of those among the last `rows`."""
            states = self._run_layers(embedded[begin:end], rotations[begin:end], past, start + begin, layer_done)
            first_row = max(begin, count - rows)
            if first_row < end:
                self._write_logits(states[first_row - begin :], logits[first_row - count + rows : end - count + rows])

        self._slices.read(count, read_slice)
        return logits

    def _run_layers(
        self, states: Floats, rotations: npt.NDArray[np.complex64], past: KeysValues, start: int, layer_done: LayerDone
    ) -> Floats:
        """The states of tokens after the last layer, float32 [n, width]; the tokens' keys and values go into `past`.

        Args:
            states: The tokens' embeddings, float32 [n, width]; they are overwritten.
            rotations: complex64 [n, 1, head / 2].
            start: The position of the first token.
            layer_done: Called for each layer, once the tokens' keys and values are in `past`. It returns when those of
                all tokens before them are.
        """
        epsilon, mask, stop = self.shape.epsilon, _causal_mask(len(states)), start + len(states)
        with np.errstate(over="ignore"):  # exp(-gate) may be infinite, and the gate is then shut as it should be
            for number, layer in enumerate(self._layers):
                keys_values = past.layers[number]  # [2 kv heads, positions, head]
                queries = self._store_keys_values(
                    _product(_rms_norm(states, epsilon), layer.qkv_proj), rotations, keys_values[:, start:stop]
                )
                layer_done(number)
                states += _product(self._attention(queries, keys_values[:, :stop], mask), layer.o_proj)
                states += _product(_swiglu(_product(_rms_norm(states, epsilon), layer.gate_up_proj)), layer.down_proj)
        return states

    def _write_logits(self, states: Floats, logits: Floats) -> None:
        """Write the logits after tokens into `logits`, float32 [n, vocabulary].

        Args:
            states: The tokens' states after the last layer, float32 [n, width].
        """
        _product(_rms_norm(states, self.shape.epsilon) * self._gain, self._output, logits)

    def _store_keys_values(self, projected: Floats, rotations: npt.NDArray[np.complex64], stored: Floats) -> Floats:
        """Store the tokens' keys and values, and return their queries, float32 [heads, n, head].

        Args:
            projected: float32 [n, (heads + 2 kv heads) x head]; its queries and keys are rotated in place.
            rotations: complex64 [n, 1, head / 2].
            stored: float32 [2 kv heads, n, head]; keys and values are written into it.
        """
        heads, kv_heads = self.shape.heads, self.shape.kv_heads
        by_head = projected.reshape(len(projected), -1, self.shape.head_width)  # [n, heads + 2 kv heads, head]
        pairs = by_head[:, : heads + kv_heads].view(np.complex64)  # [n, heads + kv heads, head / 2]
        pairs *= rotations
        by_head = by_head.swapaxes(0, 1)  # [heads + 2 kv heads, n, head]
        stored[...] = by_head[heads:]
        return by_head[:heads]

    def _attention(self, queries: Floats, keys_values: Floats, mask: Floats) -> Floats:
        """The values that each token attends to, weighted and added up: float32 [n, heads x head].

        Args:
            queries: float32 [heads, n, head].
            keys_values: float32 [2 kv heads, t, head]: the heads of keys, then those of values.
            mask: float32 [n, n], added to the weights of the tokens among themselves.
        """
        heads, count, head_width = queries.shape
        kv_heads = self.shape.kv_heads
        grouped = queries.reshape(kv_heads, -1, head_width)  # [kv heads, group x n, head]
        attend = _attention_of_few if grouped.shape[1] <= _FEW_QUERIES else self._attention_of_many
        attended = attend(grouped, keys_values[:kv_heads], keys_values[kv_heads:], mask)
        return attended.reshape(heads, count, head_width).swapaxes(0, 1).reshape(count, -1)

    def _attention_of_many(self, queries: Floats, keys: Floats, values: Floats, mask: Floats) -> Floats:
        """Attention head by head: the weights of a head stay in the core's cache, in memory that was used before.

        Args:
            queries: float32 [kv heads, group x n, head]: of each group all tokens of its first head, then of the next.
                They are scaled already (`weights`). The result has the same shape.
            keys: float32 [kv heads, t, head], and so are `values`.
            mask: float32 [n, n].
        """
        kv_heads, rows, _ = queries.shape
        count, stop = len(mask), keys.shape[1]
        attended = np.empty_like(queries)
        weights = self._scratch.floats(rows * stop).reshape(rows, stop)
        recent = weights.reshape(-1, count, stop)[:, :, stop - count :]  # [group, n, n], a view
        for head in range(kv_heads):
            np.matmul(queries[head], keys[head].T, out=weights)
            recent += mask
            weights -= np.maximum.reduce(weights, axis=1, keepdims=True)
            np.exp(weights, out=weights)
            np.matmul(weights, values[head], out=attended[head])
            # divided here, as `attended` has fewer numbers than `weights`; a product with ones would add less exactly
            attended[head] /= np.add.reduce(weights, axis=1, keepdims=True)
        return attended

    def _rotations_between(self, start: int, stop: int) -> npt.NDArray[np.complex64]:
        """The rotations of positions, complex64 [stop - start, 1, head / 2]. The table grows at least to double."""
        if stop > len(self._rotations):
            self._rotations = _rotations(self.shape, max(stop, 2 * len(self._rotations), 1024))
        return self._rotations[start:stop, None]


def _attention_of_few(queries: Floats, keys: Floats, values: Floats, mask: Floats) -> Floats:
    """`_attention_of_many` for a few queries: a product for each, while the core's cache has the keys and values."""
    weights: Floats = queries[:, :, None] @ keys[:, None].swapaxes(2, 3)  # [kv heads, group x n, 1, t]
    if (count := len(mask)) > 1:
        recent = weights.reshape(len(weights), -1, count, weights.shape[3])[..., -count:]  # [kv heads, group, n, n]
        recent += mask
    weights -= np.maximum.reduce(weights, axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    attended: Floats = weights @ values[:, None]
    attended /= np.add.reduce(weights, axis=-1, keepdims=True)
    return attended


def _product(rows: Floats, matrix: Floats, out: Floats | None = None) -> Floats:
    """`rows @ matrix`, float32 [n, columns]; written into `out` if that is given.

    A few rows are multiplied one by one with a piece of the matrix that stays in the core's cache, then with the next.

    Args:
        rows: float32 [n, inputs].
        matrix: float32 [inputs, columns].
    """
    count = len(rows)
    if not 1 < count <= _FEW_ROWS:
        return rows.dot(matrix, out)  # called twice as fast as `matmul`
    pieces = 1
    while matrix.nbytes > pieces * _CACHED_BYTES and matrix.shape[1] % (2 * pieces) == 0:
        pieces *= 2
    by_columns = matrix.reshape(len(matrix), pieces, 1, -1).transpose(1, 2, 0, 3)  # [pieces, 1, inputs, their columns]
    by_piece = rows[:, None] @ by_columns  # [pieces, n, 1, their columns]
    out = np.empty((count, matrix.shape[1]), np.float32) if out is None else out
    out.reshape(count, pieces, -1)[...] = by_piece[:, :, 0].swapaxes(0, 1)
    return out


def _rms_norm(states: Floats, epsilon: float) -> Floats:
    """Root-mean-square norm without its gain (Zhang and Sennrich 2019), of `states` and as float32 [n, width].

    The gains are in the matrices that follow (`weights`); the last one is `Network`'s `gain`.
    """
    if len(states) == 1:
        state = states[0]
        return states / math.sqrt(state.dot(state) / len(state) + epsilon)  # a third of the time of what follows
    squares: Floats = np.einsum("ij,ij->i", states, states)
    squares /= states.shape[1]
    squares += epsilon
    roots: Floats = np.sqrt(squares)
    return states / roots[:, None]


def _swiglu(widened: Floats) -> Floats:
    """SwiGLU (Shazeer 2020): gate x sigmoid(gate) x up, float32 [n, inner].

    Args:
        widened: float32 [n, 2 inner]: -gate, then -up. Sigmoid needs exp(-gate), so no sign is to be turned first.
    """
    inner = widened.shape[1] // 2
    minus_gate = widened[:, :inner]
    divisor: Floats = np.exp(minus_gate)
    divisor += 1
    gated: Floats = np.divide(minus_gate, divisor, out=divisor)
    gated *= widened[:, inner:]  # the product of two turned signs is right again
    return gated


def _causal_mask(count: int) -> Floats:
    """float32 [count, count], added to the weights of tokens among themselves: none attends to a later one."""
    if count == 1:
        return np.zeros((1, 1), np.float32)
    return np.triu(np.full((count, count), -np.inf, np.float32), 1)


def _rotations(shape: Shape, positions: int) -> npt.NDArray[np.complex64]:
    """complex64 [positions, head / 2]: at position p, pair i is rotated by the angle p / base^(2 i / head).

    The angle is rounded to float32, as it was in training: far from the start that changes it noticeably.
    """
    exponents = np.arange(0, shape.head_width, 2, dtype=np.float32) / np.float32(shape.head_width)
    steps = np.float32(1) / np.float32(shape.base) ** exponents
    angles = np.arange(positions, dtype=np.float32)[:, None] * steps
    rotations: npt.NDArray[np.complex64] = np.exp(1j * angles.astype(np.float64)).astype(np.complex64)
    return rotations
