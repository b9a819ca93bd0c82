"""The forward of a Llama, in numpy: tokens in, logits out, keys and values appended.

Touvron et al. 2023 (LLaMA), with rotations as in Su et al. 2021 and shared heads of keys as in Ainslie et al. 2023.
`weights` says how the matrices differ from those in the files. In what follows n is the number of tokens of a forward,
t that of all positions with them. Knows no files and no protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from decoder.llama.keys_values import KeysValues
from decoder.llama.shape import Shape
from decoder.llama.slices import Slices, Written

Floats = npt.NDArray[np.float32]

_ONE_BY_ONE = 3
"""Rows up to which a product of single rows is faster: for a block the library copies the matrix first, which costs
what three rows cost (17 rows: what seven cost; `inscope bench speed`)."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Weights of one layer, float32, rows by columns as in `matrix @ input`."""

    attend: Floats
    """[(heads + 2 shared heads) x head, width]: queries, keys, values."""
    gather: Floats
    """[width, heads x head]: behind attention."""
    widen: Floats
    """[2 inner, width]: gate, then what it gates."""
    narrow: Floats
    """[width, inner]."""

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        return sum(matrix.nbytes for matrix in (self.attend, self.gather, self.widen, self.narrow))


class Network:
    """Weights, and what is computed with them. Immutable but for a table that grows.

    Args:
        embedding: [tokens, width].
        gain: [width], of the last norm.
        output: [tokens, width].
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
        self._turns = _turns(shape, 0)
        self._slices = Slices(threads)

    @property
    def nbytes(self) -> int:
        """Bytes of the weights."""
        ends = [self._gain, self._embedding, *([] if self.shape.tied else [self._output])]
        return sum(array.nbytes for array in ends) + sum(layer.nbytes for layer in self._layers)

    def forward(self, tokens: Sequence[int], rows: int, past: KeysValues, start: int) -> Floats:
        """The logits behind the last `rows` of `tokens`, float32 [rows, columns].

        Args:
            past: Its first `start` positions are read, and those of `tokens` written behind them.

        Raises:
            MemoryError: the first `start` positions are then as they were.
        """
        count, columns = len(tokens), len(self._output)
        past.reserve(start + count, start)
        turns = self._turns_between(start, start + count)
        everything = self._embedding[np.asarray(tokens)]  # float32 [n, width]

        def read(begin: int, end: int, written: Written) -> Floats:
            states = self._read(everything[begin:end], turns[begin:end], past, start + begin, written)
            wanted = states[max(0, count - rows - begin) :]
            return self._logits(wanted) if len(wanted) else np.empty((0, columns), np.float32)

        return self._slices.read(count, read)

    def _read(
        self, states: Floats, turns: npt.NDArray[np.complex64], past: KeysValues, start: int, written: Written
    ) -> Floats:
        """The states of tokens behind the last layer, float32 [n, width], from those before the first."""
        epsilon = self.shape.epsilon
        with np.errstate(over="ignore"):  # exp(-gate) may be infinite, and the gate is then shut as it should be
            for number, layer in enumerate(self._layers):
                keys, values = past.keys[number], past.values[number]
                queries = self._write(_product(_normed(states, epsilon), layer.attend), turns, keys, values, start)
                written(number)
                states += _product(self._attention(queries, keys, values, start), layer.gather)
                states += _product(_gated(_product(_normed(states, epsilon), layer.widen)), layer.narrow)
        return states

    def _logits(self, states: Floats) -> Floats:
        return _product(_normed(states, self.shape.epsilon) * self._gain, self._output)

    def _write(
        self, projected: Floats, turns: npt.NDArray[np.complex64], keys: Floats, values: Floats, start: int
    ) -> Floats:
        """Write the tokens' keys and values behind those of `start` positions; their queries.

        Args:
            projected: float32 [n, (heads + 2 shared heads) x head].
            turns: complex64 [n, 1, head / 2].
            keys, values: float32 [shared heads, room, head].

        Returns:
            float32 [heads, n, head].
        """
        count, heads, shared = len(projected), self.shape.heads, self.shape.shared_heads
        parts = projected.reshape(count, heads + 2 * shared, self.shape.head)
        turned = (parts[:, : heads + shared].view(np.complex64) * turns).view(np.float32).swapaxes(0, 1)
        keys[:, start : start + count] = turned[heads:]
        values[:, start : start + count] = parts[:, heads + shared :].swapaxes(0, 1)
        return turned[:heads]

    def _attention(self, queries: Floats, keys: Floats, values: Floats, start: int) -> Floats:
        """What each token takes from those up to itself, float32 [n, heads x head]."""
        heads, count, head = queries.shape
        shared, stop = self.shape.shared_heads, start + count
        together = queries.reshape(shared, -1, head)  # [shared, heads / shared x n, head]
        weights: Floats = together @ keys[:, :stop].swapaxes(1, 2)  # [shared, heads / shared x n, t]
        if count > 1:
            weights.reshape(heads, count, stop)[:, :, start:] += _future(count)
        weights -= np.maximum.reduce(weights, axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        taken: Floats = weights @ values[:, :stop]
        taken /= np.add.reduce(weights, axis=-1, keepdims=True)  # here, as it has fewer numbers than `weights`
        seen: Floats = taken.reshape(heads, count, head).swapaxes(0, 1).reshape(count, -1)
        return seen

    def _turns_between(self, start: int, stop: int) -> npt.NDArray[np.complex64]:
        if stop > len(self._turns):
            self._turns = _turns(self.shape, max(stop, 2 * len(self._turns), 1024))
        return self._turns[start:stop, None]


def _product(rows: Floats, matrix: Floats) -> Floats:
    """float32 [n, columns] times the transpose of [rows of the matrix, columns]."""
    if 1 < len(rows) <= _ONE_BY_ONE:
        return np.stack([matrix @ row for row in rows])
    return rows @ matrix.T


def _normed(states: Floats, epsilon: float) -> Floats:
    """Root-mean-square norm without its gain (Zhang and Sennrich 2019)."""
    squares: Floats = np.einsum("ij,ij->i", states, states)
    squares /= states.shape[1]
    squares += epsilon
    roots: Floats = np.sqrt(squares)
    return states / roots[:, None]


def _gated(widened: Floats) -> Floats:
    """SwiGLU (Shazeer 2020): float32 [n, 2 inner] to [n, inner]."""
    inner = widened.shape[1] // 2
    gate = widened[:, :inner]
    shut: Floats = np.exp(-gate)
    shut += np.float32(1)
    gated: Floats = np.divide(gate, shut, out=shut)
    gated *= widened[:, inner:]
    return gated


def _future(count: int) -> Floats:
    """What is added to the weights of a block among itself: nothing may be taken from later tokens."""
    return np.triu(np.full((count, count), -np.inf, np.float32), 1)


def _turns(shape: Shape, positions: int) -> npt.NDArray[np.complex64]:
    """complex64 [positions, head / 2]: position p turns pair i by p / base^(2 i / head).

    The angle is rounded to float32, as it was in training: far from the start that is more than a rounding.
    """
    exponents = np.arange(0, shape.head, 2, dtype=np.float32) / np.float32(shape.head)
    steps = np.float32(1) / np.float32(shape.base) ** exponents
    angles = np.arange(positions, dtype=np.float32)[:, None] * steps
    turns: npt.NDArray[np.complex64] = np.exp(1j * angles.astype(np.float64)).astype(np.complex64)
    return turns
