"""The spelling of names: their hash, and the words that they consist of. `features` compares a name with its target."""

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

_WORD: Final = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+")
_SHORT: Final = 3
"""Words of at most so many letters keep an s at their end: `bus`."""


class NameSpelling(NamedTuple):
    """The hash and the words of one name."""

    number: int
    """The name's hash."""
    parts: int
    """One of 64 bits for each word in it: names that share a word share a bit, other names seldom do."""
    last: int
    """The hash of its last word, in small letters and without a plural's s; 0 where it has no words."""


@lru_cache(maxsize=65_536)
def spelling(name: str) -> NameSpelling:
    """The hash and the words of a name."""
    words = [_stem(word.lower()) for word in _WORD.findall(name)]
    bits = 0
    for word in words:
        bits |= 1 << (crc32(word.encode("utf-8", "surrogatepass")) % 64)
    return NameSpelling(hashed(name), bits, hashed(words[-1]) if words else 0)


def _stem(word: str) -> str:
    """A word without the plural's s: `item` of `items`."""
    return word[:-1] if len(word) > _SHORT and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True)
class Spellings:
    """The fields of `NameSpelling` for many names, each uint64 [names]."""

    numbers: Hashes
    parts: Hashes
    last: Hashes

    @classmethod
    def of(cls, names: Sequence[str]) -> Spellings:
        """The spellings of names, in their order."""
        rows = np.array([spelling(name) for name in names], dtype=np.uint64).reshape(-1, len(NameSpelling._fields))
        return cls(*rows.T)
