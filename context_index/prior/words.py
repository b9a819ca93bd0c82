"""The spelling of names: their hash, and the words that they consist of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from context_index.prior.hashing import hashed

if TYPE_CHECKING:
    from context_index.prior.hashing import Hashes

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_SHORT: Final = 3


class NameSpelling(NamedTuple):
    """What one name says by itself."""

    number: int
    parts: int
    """A bit of 64 for each word in it: two names share a word if they share a bit, and seldom else."""
    last: int
    """The number of its last word, in small letters; 0 where it has none."""


@lru_cache(maxsize=65_536)
def spelling(name: str) -> NameSpelling:
    """What a name says by itself."""
    parts = [_stem(part.lower()) for part in _PARTS.findall(name)]
    bits = 0
    for part in parts:
        bits |= 1 << (crc32(part.encode("utf-8", "surrogatepass")) % 64)
    return NameSpelling(hashed(name), bits, hashed(parts[-1]) if parts else 0)


def _stem(word: str) -> str:
    """Without the plural's s: `item` is of `items`."""
    return word[:-1] if len(word) > _SHORT and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True)
class Spellings:
    """The same of many names, as arrays [names]."""

    numbers: Hashes
    parts: Hashes
    last: Hashes

    @classmethod
    def of(cls, names: Sequence[str]) -> Spellings:
        """The spellings of names, in their order."""
        rows = np.array([spelling(name) for name in names], dtype=np.uint64).reshape(-1, len(NameSpelling._fields))
        return cls(*rows.T)
