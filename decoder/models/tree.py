"""Sequences that begin alike, in one cache: where each token stands, and which others it may look at.

A cache holds a line of tokens; the tokens of a tree are appended behind it, each after a token of the line or of the
tree. Its position is its depth, and it sees the tokens on its way to the root alone (Miao et al. 2024, "SpecInfer",
section 4). So one forward computes what follows several sequences. Knows no tensors' library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from decoder.prefill import shared_length


@dataclass(frozen=True, slots=True)
class Growth:
    """Tokens to append to a cache, all in one forward."""

    tokens: list[int]
    positions: list[int]
    """Of each, counted from 0."""
    hidden: npt.NDArray[np.float32]
    """float32 [tokens, last places of the cache, their own included]: minus infinity where a token may not look, else
    0. All may look at what is before."""
    ends: list[int]
    """Of each sequence, which of `tokens` is its last."""


@dataclass(frozen=True, slots=True)
class _Node:
    token: int
    position: int
    fork: int
    """The length of the line's beginning that it sees."""
    way: tuple[int, ...]
    """The places of the tree's tokens up to it, itself included."""


class Tree:
    """The tokens behind a line."""

    def __init__(self) -> None:
        self._nodes: list[_Node] = []
        self._after: dict[tuple[int, int], int] = {}
        """By the place of a token in the cache, and the token after it: the place of that."""

    def __len__(self) -> int:
        return len(self._nodes)

    def clear(self) -> None:
        """Drop all."""
        self._nodes.clear()
        self._after.clear()

    def grow(self, line: Sequence[int], sequences: Sequence[Sequence[int]]) -> Growth:
        """What is to be computed for the logits after each sequence; it counts as appended.

        Args:
            line: What the cache holds before the tree; none of the sequences is empty.
        """
        first, ends = len(self._nodes), []
        for sequence in sequences:
            ends.append(self._end(line, sequence) - len(line) - first)
        grown = self._nodes[first:]
        start = min(node.fork for node in grown)
        hidden = np.full((len(grown), len(line) + len(self._nodes) - start), -np.inf, np.float32)
        for row, node in zip(hidden, grown, strict=True):
            row[: node.fork - start] = 0
            row[[place - start for place in node.way]] = 0
        return Growth([node.token for node in grown], [node.position for node in grown], hidden, ends)

    def _end(self, line: Sequence[int], sequence: Sequence[int]) -> int:
        """The place of a sequence's last token; it is computed anew, and what is missing before it."""
        last = len(sequence) - 1
        fork = min(shared_length(line, sequence), last)
        place, way = fork - 1, tuple[int, ...]()
        for position in range(fork, len(sequence)):
            token = sequence[position]
            known = self._after.get((place, token)) if position < last else None
            if known is None:
                before, known = place, len(line) + len(self._nodes)
                way = (*way, known)
                self._nodes.append(_Node(token, position, fork, way))
                self._after[before, token] = known
            else:
                way = self._nodes[known - len(line)].way
            place = known
        return place
