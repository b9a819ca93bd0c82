"""Packs examples into rows of one length, and cuts as few as possible.

A cut example teaches little: its hole is in one row, and the text after the hole in another. Each example is put into
the fullest open row in which it still fits. This leaves about 3 % of the tokens empty, and cuts only examples that are
longer than a row. Ding et al. 2024, "Fewer truncations improve language modeling".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_OPEN_ROWS = 64
"""The most rows that wait for another example."""


@dataclass(slots=True)
class Row:
    """Tokens of one or more examples, with their weights in the loss."""

    tokens: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)

    def add(self, tokens: list[int], weights: list[int]) -> None:
        """Append an example."""
        self.tokens += tokens
        self.weights += weights

    def pad(self, length: int, padding: int) -> Row:
        """Fill the row up to its full length with padding of weight 0; the row itself."""
        missing = length - len(self.tokens)
        self.add([padding] * missing, [0] * missing)
        return self


def pack(examples: Iterable[tuple[list[int], list[int]]], length: int, padding: int) -> Iterator[Row]:
    """Rows of exactly `length` tokens.

    Args:
        examples: Tokens and weights, which have one length.
        padding: The token that fills rows.
    """
    rows: list[Row] = []
    """The rows that are not full yet, the fullest first."""
    spaces: list[int] = []
    """How many tokens still fit into each row of `rows`."""
    for example in examples:
        tokens, weights = example
        while len(tokens) > length:
            yield Row(tokens[:length], weights[:length])
            tokens, weights = tokens[length:], weights[length:]
        index = bisect_left(spaces, len(tokens))
        if index == len(rows):
            if len(rows) == _OPEN_ROWS:
                yield rows.pop(0).pad(length, padding)
                spaces.pop(0)
            row, space = Row(), length
        else:
            row, space = rows.pop(index), spaces.pop(index)
        row.add(tokens, weights)
        space -= len(tokens)
        if space == 0:
            yield row
            continue
        index = bisect_left(spaces, space)
        rows.insert(index, row)
        spaces.insert(index, space)
    yield from (row.pad(length, padding) for row in rows)
