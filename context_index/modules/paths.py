"""Paths as tuples of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile


def parts_in_common(path: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two paths have in common, from the first one on."""
    pairs = zip(path, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
