"""How often each name was written in each context, over a whole workspace: one hash table of fixed size.

Pairs of a context and a name that share a slot share their count. That makes a count wrong now and then, but keeps the
table at 4 MB for workspaces of any size.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.contexts import CONTEXT_KINDS
from context_index.prior.hashing import SPREAD, hashed

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.contexts import TextContexts
    from context_index.prior.hashing import Hashes

_BITS: Final = 21
"""The table has 2**21 slots of two bytes."""
_SHIFT: Final = np.uint64(64 - _BITS)
_MOST: Final = 60_000
"""The largest count that is kept; larger ones change no estimate."""
_ANYWHERE: Final = np.array([hashed("anywhere")], dtype=np.uint64)
"""The context under which all uses of a name are counted."""
_TOTAL: Final = np.uint64(hashed("any name"))
"""The name under which all uses of a context are counted."""
COUNTED: Final = ("uses", *CONTEXT_KINDS)
"""The counts of a name: its uses, anywhere and in each kind of context."""


class NameCounts:
    """The table. One thread may add while others read."""

    def __init__(self, counts: npt.NDArray[np.uint16] | None = None) -> None:
        self._counts = np.zeros(1 << _BITS, dtype=np.uint16) if counts is None else counts

    def add(self, text: TextContexts) -> None:
        """Count a text."""
        if not len(text.places):
            return
        names = text.hashes[text.names]
        slots_of_uses = np.concatenate([
            _slots(_ANYWHERE, names),
            _slots(text.contexts, names).ravel(),
            _slots(text.contexts, _TOTAL).ravel(),
        ])  # fmt: skip
        slots, uses = np.unique(slots_of_uses, return_counts=True)
        self._counts[slots] = np.minimum(self._counts[slots] + uses, _MOST).astype(np.uint16)

    def counts(
        self, context: Hashes, names: Hashes, without: tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The counts of names in a context.

        Args:
            context: uint64 [CONTEXT_KINDS]: the context.
            names: uint64 [names]: their hashes.
            without: `TextContexts.counts` of one text, which are subtracted.

        Returns:
            float32 [COUNTED, names], the counts; float32 [CONTEXT_KINDS], how often the contexts were seen with any
            name. None is below 0.
        """
        counts = self._counts[_slots(np.concatenate([_ANYWHERE, context])[:, np.newaxis], names)]
        totals = self._counts[_slots(context, _TOTAL)]
        return np.maximum(counts - without[0], 0), np.maximum(totals - without[1], 0)

    def encode(self) -> bytes:
        """The table as bytes, for the store."""
        return zlib.compress(self._counts.astype("<u2").tobytes(), 1)

    @classmethod
    def decode(cls, data: bytes) -> NameCounts | None:
        """The table of which `encode` made the bytes; None for other bytes."""
        try:
            counts = np.frombuffer(zlib.decompress(data), dtype="<u2")
        except (zlib.error, ValueError):
            return None
        return cls(counts.astype(np.uint16)) if len(counts) == 1 << _BITS else None


def _slots(contexts: Hashes, names: Hashes | np.uint64) -> npt.NDArray[np.intp]:
    """The slots of pairs of a context and a name."""
    slots: npt.NDArray[np.intp] = (((contexts ^ names) * SPREAD) >> _SHIFT).astype(np.intp)
    return slots
