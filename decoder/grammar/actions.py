"""What an LR state does when it sees a token, read from a compiled parser's list of actions; `tables` calls this.

Knows the layout of `TSParseActionEntry` (tree-sitter's `parser.h`) and nothing of states, stacks or texts.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from typing import NamedTuple

_SHIFT, _REDUCE, _ACCEPT = 0, 1, 2
"""`TSParseActionType`; 3, for recovery from errors, is not used here."""
_SHIFT_LAYOUT = struct.Struct("<BxHBB2x")
"""Type, next state, whether it is an extra, whether it belongs to a repetition."""
_REDUCE_LAYOUT = struct.Struct("<BBHhH")
"""Type, count of children, symbol, dynamic precedence, production."""
_ENTRY_SIZE = 8
"""Bytes of a header or an action."""


@dataclass(frozen=True, slots=True)
class Reduce:
    """Replace the top `count` nodes of the stack by one node for `symbol`."""

    count: int
    symbol: int
    production: int
    """Which alternative of the symbol's rule it is; fields and aliases depend on it."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """What an LR state does for a token."""

    reductions: tuple[Reduce, ...]
    """There are several, or one beside a shift, where the grammar is ambiguous so far."""
    shift: int | None
    """The next state; None where the token is not shifted."""
    is_extra: bool
    """Whether the token may be anywhere, as a comment may: shifting it leaves the stack as it is."""
    accepts: bool
    """Whether the text is complete with this token."""
    reusable: bool
    """Whether the token may be kept after a reduction although the new state would lex differently."""


class Production(NamedTuple):
    """A reduction as a key: the symbol that it makes, by which alternative of its rule, of how many nodes."""

    symbol: int
    production: int
    count: int  # type: ignore[assignment]  # hides a method of tuples that is not used on productions


def productions(cell: TableCell) -> frozenset[Production]:
    """All reductions of a cell."""
    return frozenset(
        Production(reduction.symbol, reduction.production, reduction.count) for reduction in cell.reductions
    )


def read_actions(first: int, index: int) -> TableCell:
    """Read the actions at an index of the list of entries that begins at the address `first`.

    The entry at the index is a header with the count of actions; the actions are the entries after it.
    """
    header = first + _ENTRY_SIZE * index
    count, reusable = ctypes.string_at(header, 2)
    return _parse_actions(ctypes.string_at(header + _ENTRY_SIZE, _ENTRY_SIZE * count), reusable=bool(reusable))


def _parse_actions(data: bytes, *, reusable: bool) -> TableCell:
    reductions: list[Reduce] = []
    shift: int | None = None
    is_extra = accepts = False
    for offset in range(0, len(data), _ENTRY_SIZE):
        kind = data[offset]
        if kind == _REDUCE:
            _, count, symbol, _, production = _REDUCE_LAYOUT.unpack_from(data, offset)
            reductions.append(Reduce(count, symbol, production))
        elif kind == _SHIFT:
            _, target, extra, repetition = _SHIFT_LAYOUT.unpack_from(data, offset)
            if not repetition:  # tree-sitter skips these, too: the reductions beside them cover the same text
                shift, is_extra = target, bool(extra)
                break
        elif kind == _ACCEPT:
            accepts = True
            break
        else:  # recovery from errors, which has no place here
            break
    return TableCell(tuple(reductions), shift, is_extra=is_extra, accepts=accepts, reusable=reusable)
