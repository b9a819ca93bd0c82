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
    """Weights, and what is computed with them. Immutable but for a table that grows."""

    def __init__(self, shape: Shape, embedding: Floats, layers: Sequence[Layer], gain: Floats, output: Floats) -> None:
        self.shape = shape
        self._embedding = embedding
        self._layers = tuple(layers)
        self._gain = gain
        self._output = output
        self._turns = _turns(shape, 0)

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
        stop = start + len(tokens)
        past.reserve(stop, start)
        turns = self._turns_between(start, stop)
        epsilon = self.shape.epsilon
        states = self._embedding[np.asarray(tokens)]  # float32 [n, width]
        with np.errstate(over="ignore"):  # exp(-gate) may be infinite, and the gate is then shut as it should be
            for layer, keys, values in zip(self._layers, past.keys, past.values, strict=True):
                seen = self._attention(_product(_normed(states, epsilon), layer.attend), turns, keys, values, start)
                states += _product(seen, layer.gather)
                states += _product(_gated(_product(_normed(states, epsilon), layer.widen)), layer.narrow)
        return _product(_normed(states[-rows:], epsilon) * self._gain, self._output)

    def _attention(
        self, projected: Floats, turns: npt.NDArray[np.complex64], keys: Floats, values: Floats, start: int
    ) -> Floats:
        """What each token takes from those up to itself; its own keys and values are written behind the others.

        Args:
            projected: float32 [n, (heads + 2 shared heads) x head].
            turns: complex64 [n, 1, head / 2].
            keys, values: float32 [shared heads, room, head], of which `start` positions are in use.

        Returns:
            float32 [n, heads x head].
        """
        shape, count = self.shape, len(projected)
        heads, shared, stop = shape.heads, shape.shared_heads, start + count
        parts = projected.reshape(count, heads + 2 * shared, shape.head)
        turned = (parts[:, : heads + shared].view(np.complex64) * turns).view(np.float32).swapaxes(0, 1)
        keys[:, start:stop] = turned[heads:]
        values[:, start:stop] = parts[:, heads + shared :].swapaxes(0, 1)
        queries = turned[:heads].reshape(shared, -1, shape.head)  # [shared, heads / shared x n, head]
        weights: Floats = queries @ keys[:, :stop].swapaxes(1, 2)  # [shared, heads / shared x n, t]
        if count > 1:
            weights.reshape(heads, count, stop)[:, :, start:] += _future(count)
        weights -= np.maximum.reduce(weights, axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        taken: Floats = weights @ values[:, :stop]
        taken /= np.add.reduce(weights, axis=-1, keepdims=True)  # here, as it has fewer numbers than `weights`
        seen: Floats = taken.reshape(heads, count, shape.head).swapaxes(0, 1).reshape(count, -1)
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
