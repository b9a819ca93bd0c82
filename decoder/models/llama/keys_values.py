"""Keys and values of the tokens that a network has read: they grow in place and roll back by dropping their end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from decoder.models.llama.shape import Shape

_STEP = 256
"""Positions by which the buffer grows."""


class KeysValues:
    """The keys and values of all layers. Its user counts how many positions are filled."""

    def __init__(self, shape: Shape) -> None:
        self.layers: npt.NDArray[np.float32] = np.empty(
            (shape.layers, 2 * shape.kv_heads, 0, shape.head_width), np.float32
        )
        """float32 [layers, 2 kv heads, positions, head]: keys, rotated by their positions; then values."""

    @property
    def nbytes(self) -> int:
        """The size of the buffer."""
        return self.layers.nbytes

    def reserve(self, positions: int, kept: int) -> None:
        """Make room for `positions`; the first `kept` stay.

        Raises:
            MemoryError: then nothing has changed.
        """
        layers, heads, room, head = self.layers.shape
        if positions <= room:
            return
        positions = -(-max(positions, kept * 3 // 2) // _STEP) * _STEP
        grown = np.empty((layers, heads, positions, head), np.float32)
        grown[:, :, :kept] = self.layers[:, :, :kept]
        self.layers = grown
