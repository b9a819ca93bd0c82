"""The spelling of names: their hash, the words that they consist of, and their case. Cached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from context_index.prior.hashing import hashed

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.hashing import Hashes

LOOKS: Final = ("underscore", "dunder", "capital", "upper", "short", "length")
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_MOST: Final = 200_000
"""The most names kept; when there are more, all are forgotten."""
_SHORT: Final = 2


@dataclass(frozen=True, slots=True)
class Spelling:
    """What one name says by itself."""

    number: int
    parts: int
    """A bit of 64 for each word in it: two names share a word if they share a bit, and seldom else."""
    last: int
    """The number of its last word, in small letters."""
    plain: int
    """The number of the name in small letters and without underscores."""
    looks: tuple[float, ...]
    """One number for each of `LOOKS`."""


@lru_cache(maxsize=65_536)
def spelling(name: str) -> Spelling:
    """What a name says by itself; 0 for words where it has none."""
    parts = [part.lower() for part in _PARTS.findall(name)]
    bits = 0
    for part in parts:
        bits |= 1 << (crc32(_stem(part).encode("utf-8", "surrogatepass")) % 64)
    bare = name.strip("_$")
    looks = (
        float(name.startswith("_")),
        float(name.startswith("__") and name.endswith("__")),
        float(bare[:1].isupper()),
        float(bare.isupper() and len(bare) > 1),
        float(len(bare) <= _SHORT),
        float(np.log1p(len(name))),
    )
    last = hashed(_stem(parts[-1])) if parts else 0
    return Spelling(hashed(name), bits, last, hashed("".join(parts)) if parts else 0, looks)


def _stem(word: str) -> str:
    """Without the plural's s: `item` is of `items`."""
    return word[:-1] if len(word) > _SHORT + 1 and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True)
class Spellings:
    """The same of many names, as arrays [names]."""

    numbers: Hashes
    parts: Hashes
    last: Hashes
    plain: Hashes
    looks: npt.NDArray[np.float32]
    """[LOOKS, names]."""


class Words:
    """Stores the spelling of names in arrays, so that hundreds are looked up at once. Thread-safe."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._known = _empty(1024)
        self._lock = Lock()

    def of(self, names: Sequence[str]) -> Spellings:
        """The spellings of names, in their order."""
        with self._lock:
            if len(self._rows) > _MOST:
                self._rows.clear()
            rows = list(map(self._rows.get, names))
            if None in rows:
                rows = [self._row(name) for name in names]
            at = np.array(rows, dtype=np.intp)
            known = self._known
        return Spellings(known.numbers[at], known.parts[at], known.last[at], known.plain[at], known.looks[:, at])

    def _row(self, name: str) -> int:
        row = self._rows.get(name)
        if row is None:
            row = self._rows[name] = len(self._rows)
            if row == len(self._known.numbers):
                grown = _empty(2 * row)
                for field in fields(Spellings):
                    getattr(grown, field.name)[..., :row] = getattr(self._known, field.name)
                self._known = grown
            one, known = spelling(name), self._known
            known.numbers[row], known.parts[row] = one.number, one.parts
            known.last[row], known.plain[row] = one.last, one.plain
            known.looks[:, row] = one.looks
        return row


def _empty(size: int) -> Spellings:
    numbers, parts, last, plain = (np.zeros(size, dtype=np.uint64) for _ in range(4))
    return Spellings(numbers, parts, last, plain, np.zeros((len(LOOKS), size), dtype=np.float32))
