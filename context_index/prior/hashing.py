"""Words and contexts as 64-bit numbers, so that thousands can be compared and counted at once.

Two different words share a number once in 2**32; the only effect is a wrong count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]

_MASK = (1 << 64) - 1
_SPREAD = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: neighbouring numbers end up far apart (Knuth, TAOCP 3, section 6.4)."""
SPREAD = np.uint64(_SPREAD)


def hashed(word: str) -> int:
    """The 64-bit number of one word or sign; equal to that in `hashes`."""
    return crc32(word.encode("utf-8", "surrogatepass")) * _SPREAD & _MASK


def hashes(words: Iterable[str]) -> Hashes:
    """uint64 [words]: the numbers of many words or signs."""
    codes = [crc32(word.encode("utf-8", "surrogatepass")) for word in words]
    return np.array(codes, dtype=np.uint64) * SPREAD


def joined(before: Hashes, after: Hashes) -> Hashes:
    """uint64: the numbers of pairs, of two arrays item by item; the order in a pair matters."""
    return ((before ^ (before >> np.uint64(29))) + after) * SPREAD
