"""Memory that is written anew by each computation: fresh pages cost more than what is computed in them."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt


class Scratch(threading.local):
    """One buffer for each thread, as large as the largest that it was asked for."""

    def __init__(self) -> None:
        self._buffer: npt.NDArray[np.float32] = np.empty(0, np.float32)

    def floats(self, count: int) -> npt.NDArray[np.float32]:
        """So many numbers, of any value. Valid until the next call in the same thread.

        Raises:
            MemoryError: there is no room; the buffer stays as it was.
        """
        if count > len(self._buffer):
            self._buffer = np.empty(count * 5 // 4, np.float32)
        return self._buffer[:count]
