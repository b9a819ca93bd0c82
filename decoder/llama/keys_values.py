"""Keys and values of the tokens that a network has read: grow in place, roll back by forgetting their end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from decoder.llama.shape import Shape

_STEP = 256
"""Positions by which room is added."""


class KeysValues:
    """What one cache holds, for all layers. How many positions count is known to who reads and writes them."""

    def __init__(self, shape: Shape) -> None:
        empty = (shape.layers, shape.shared_heads, 0, shape.head)
        self.keys: npt.NDArray[np.float32] = np.empty(empty, np.float32)
        """float32 [layers, shared heads, positions, head], turned by their positions."""
        self.values: npt.NDArray[np.float32] = np.empty(empty, np.float32)
        """The same, not turned."""

    @property
    def nbytes(self) -> int:
        """Bytes that they have room for."""
        return self.keys.nbytes + self.values.nbytes

    def reserve(self, positions: int, kept: int) -> None:
        """Have room for so many positions; the first `kept` stay.

        Raises:
            MemoryError: nothing has changed then.
        """
        if positions <= self.keys.shape[2]:
            return
        positions = -(-max(positions, kept * 3 // 2) // _STEP) * _STEP
        self.keys, self.values = _grown(self.keys, positions, kept), _grown(self.values, positions, kept)


def _grown(states: npt.NDArray[np.float32], positions: int, kept: int) -> npt.NDArray[np.float32]:
    layers, heads, _, head = states.shape
    grown = np.empty((layers, heads, positions, head), np.float32)
    grown[:, :, :kept] = states[:, :, :kept]
    return grown
