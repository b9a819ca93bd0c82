"""What an LR state does when it sees a token, read from a compiled parser's list of actions.

Knows the layout of `TSParseActionEntry` (tree-sitter's `parser.h`) and nothing of states, stacks or texts.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from typing import NamedTuple

_SHIFT, _REDUCE, _ACCEPT = 0, 1, 2
_ACTION = struct.Struct("<BxHBB2x")
_REDUCTION = struct.Struct("<BBHhH")
_ACTION_SIZE = 8


@dataclass(frozen=True, slots=True)
class Reduce:
    """Replace the top `count` cells by one `symbol`."""

    count: int
    symbol: int
    production: int


@dataclass(frozen=True, slots=True)
class TableCell:
    """What an LR state does for a token."""

    reductions: tuple[Reduce, ...]
    """More than one, or one beside a shift, where the grammar is ambiguous so far."""
    shift: int | None
    """The next state; None for no shift."""
    is_extra: bool
    """The token is one that may be anywhere, such as a comment: the stack stays as it is."""
    accepts: bool
    reusable: bool
    """The token may be kept after a reduction although the new state would lex differently."""


class Production(NamedTuple):
    """What a reduction makes, of how many cells, and by which alternative of its rule."""

    symbol: int
    production: int
    count: int  # type: ignore[assignment]  # hides a method of tuples that is not used on productions


def productions(cell: TableCell) -> frozenset[Production]:
    """All that a cell reduces."""
    return frozenset(Production(r.symbol, r.production, r.count) for r in cell.reductions)


def read_actions(first: int, index: int) -> TableCell:
    """The actions at an index of the list that begins at the address `first`: a header, then the actions one by one."""
    base = first + _ACTION_SIZE * index
    count, reusable = ctypes.string_at(base, 2)
    return _parse_actions(ctypes.string_at(base + _ACTION_SIZE, _ACTION_SIZE * count), reusable=bool(reusable))


def _parse_actions(data: bytes, *, reusable: bool) -> TableCell:
    reductions: list[Reduce] = []
    shift: int | None = None
    is_extra = accepts = False
    for at in range(0, len(data), _ACTION_SIZE):
        kind = data[at]
        if kind == _REDUCE:
            _, count, symbol, _, production = _REDUCTION.unpack_from(data, at)
            reductions.append(Reduce(count, symbol, production))
        elif kind == _SHIFT:
            _, target, extra, repetition = _ACTION.unpack_from(data, at)
            if not repetition:  # the reductions beside it stand for the same text, as tree-sitter does
                shift, is_extra = target, bool(extra)
                break
        elif kind == _ACCEPT:
            accepts = True
            break
        else:  # recovery belongs to broken texts
            break
    return TableCell(tuple(reductions), shift, is_extra=is_extra, accepts=accepts, reusable=reusable)
