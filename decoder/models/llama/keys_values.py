"""Keys and values of the tokens that a network has read: they grow in place and roll back by dropping their end.

`LlamaModel` holds them, `Network` fills them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from decoder.models.llama.shape import Shape

_STEP = 256
"""The buffer has room for a multiple of so many positions."""


class KeysValues:
    """The keys and values of all layers. The caller counts how many positions are filled."""

    def __init__(self, shape: Shape) -> None:
        self.layers: npt.NDArray[np.float32] = np.empty(
            (shape.layers, 2 * shape.kv_heads, 0, shape.head_width), np.float32
        )
        """float32 [layers, 2 kv heads, positions, head]: first the heads of keys, rotated, then those of values."""

    @property
    def nbytes(self) -> int:
        """The size of the buffer in bytes."""
        return self.layers.nbytes

    def reserve(self, positions: int, kept: int) -> None:
        """Make room for `positions` positions; the first `kept` keep their content.

        Raises:
            MemoryError: there is no room; the buffer stays as it was.
        """
        layers, heads, room, head_width = self.layers.shape
        if positions <= room:
            return
        positions = -(-max(positions, kept * 3 // 2) // _STEP) * _STEP
        grown = np.empty((layers, heads, positions, head_width), np.float32)
        grown[:, :, :kept] = self.layers[:, :, :kept]
        self.layers = grown
