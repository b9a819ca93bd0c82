"""Cut a text into regions that a budget allows, between declarations wherever one can.

Works on whole lines. The budget comes in as a cost function, so nothing is known of tokens.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from context_index.syntax import Node, Syntax

_DEEPEST = 12
"""Blocks in blocks beyond which any line is as good a place as another."""


class RegionError(ValueError):
    """A single line costs more than the budget allows."""


def whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The lines that hold the characters from `start` to `end`, the last line break included."""
    first = text.rfind("\n", 0, start) + 1
    if end > first and text[end - 1 : end] == "\n":
        return first, end
    following = text.find("\n", end)
    return first, len(text) if following < 0 else following + 1


def regions(syntax: Syntax, start: int, end: int, cost: Callable[[str], int], budget: int) -> list[tuple[int, int]]:
    """The text from `start` to `end`, both at line starts, in pieces of at most `budget`.

    Raises:
        RegionError: a line costs more.
    """
    text = syntax.document.text
    starts = [start, *(place + 1 for place in range(start, end - 1) if text[place] == "\n")]
    prices = [cost(text[one:other]) for one, other in zip(starts, [*starts[1:], end], strict=True)]
    if prices and max(prices) > budget:
        line = prices.index(max(prices))
        raise RegionError(f"line {syntax.document.position(starts[line]).line + 1} alone is too long for the model")
    before = [0, *accumulate(prices)]
    depths = _depths(syntax, set(starts))
    pieces, first = [], 0
    while first < len(starts):
        last = bisect_right(before, before[first] + budget) - 1
        if last < len(starts):
            least = min(depths.get(starts[line], _DEEPEST) for line in range(first + 1, last + 1))
            last = max(line for line in range(first + 1, last + 1) if depths.get(starts[line], _DEEPEST) == least)
        pieces.append((starts[first], starts[last] if last < len(starts) else end))
        first = last
    return pieces


def _depths(syntax: Syntax, starts: set[int]) -> dict[int, int]:
    """For lines that begin with a statement, in how many blocks it is; comments belong to what follows them."""
    found: dict[int, int] = {}
    pending: list[tuple[Node, int]] = [(syntax.root, 0)]
    text = syntax.document.text
    while pending:
        node, depth = pending.pop()
        follows_comment = False
        for child in node.named_children:
            offset = syntax.start(child)
            line = text.rfind("\n", 0, offset) + 1
            if line in starts and not text[line:offset].strip() and not follows_comment and child.type != "block":
                found[line] = min(depth, found.get(line, _DEEPEST))
            follows_comment = child.type == "comment"
            if depth < _DEEPEST and child.end_point[0] > child.start_point[0]:
                pending.append((child, depth + 1))
    return found
