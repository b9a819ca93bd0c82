"""Tokens that an LR table accepts on a stack although nothing could complete it, and how to leave them out.

Tree-sitter shares a state between rules in different places: `class A { f(a` may go on with `+`, as within a call,
but then no reduction is possible. A compiler notices the error one token later, which is early enough for it; a
constraint must know before. `dead_end_search` finds these tokens, once for each grammar; this module stores them and
applies them to a stack.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from decoder.grammar.actions import Cell, ShiftCheck
    from decoder.grammar.stack import Node

    Ends = tuple[tuple[int, int], ...]
    """Ways on, as (cells, symbol): the topmost cells of a stack and what follows become the symbol."""


@dataclass(frozen=True)
class DeadEnds:
    """The places where the tables accept tokens that lead nowhere. Sets of tokens are bit sets."""

    tokens: Mapping[int, int]
    """By state, the tokens that never follow."""
    narrow: Mapping[int, Sequence[tuple[int, int, Ends]]]
    """By state, a state below, tokens, and the ways to complete what one of them begins, to be looked up on the stack.

    Cells are counted from the state below. There are no ways where the tokens cannot follow on any stack below.
    """
    doubtful: Mapping[tuple[int, int], Ends]
    """By the state below and the state of a completed symbol, the ways in which that may be completed in turn, counted
    from the state below. A pair that is not listed always leads on."""


class DeadEndRules:
    """Leaves dead ends out of tables with these gotos."""

    def __init__(self, dead_ends: DeadEnds, goto: Callable[[int, int], int]) -> None:
        self._tokens = dead_ends.tokens
        self._narrow = dead_ends.narrow
        self._doubtful = dead_ends.doubtful
        self._goto = goto
        self._checks: dict[frozenset[tuple[int, Ends]], ShiftCheck] = {}

    def narrowed(self, state: int, token: int, cell: Cell) -> Cell:
        """The actions of `state` for `token`, without those that lead to dead ends."""
        if cell.shift is None or cell.is_extra:
            return cell
        if self._tokens.get(state, 0) >> token & 1:
            return replace(cell, shift=None)
        places = {below: ends for below, tokens, ends in self._narrow.get(state, ()) if tokens >> token & 1}
        return replace(cell, check=self._check_for(places)) if places else cell

    def _check_for(self, places: Mapping[int, Ends]) -> ShiftCheck:
        """The check for these places: one object for equal places, so that states with the same checks are equal."""
        key = frozenset(places.items())
        check = self._checks.get(key)
        if check is None:
            check = self._checks[key] = lambda node: self._is_on_a_way(node, places)
        return check

    def _is_on_a_way(self, node: Node, places: Mapping[int, Ends]) -> bool:
        for below in node.beneath():
            ends = places.get(below.state)
            if ends is None or self._leads_on(below, ends):
                return True
        return False

    def _leads_on(self, node: Node, ends: Ends) -> bool:
        """Whether one of `ends` can be completed on the stack below the cells that it takes, from `node` on."""
        for cells, symbol in ends:
            for bottom, _ in node.paths(cells):
                further = self._onward(bottom.state, symbol)
                if further is None or (further and self._leads_on(bottom, further)):
                    return True
        return False

    def _onward(self, state: int, symbol: int) -> Ends | None:
        """The ways to complete a symbol on top of a state in turn: None if it always leads on, () if it never does."""
        made = self._goto(state, symbol)
        return self._doubtful.get((state, made)) if made else ()


NONE = DeadEnds({}, {}, {})


def save(path: Path, dead_ends: DeadEnds, fingerprint: str) -> None:
    """Write dead ends where `load` finds them."""
    masks: dict[int, int] = {}
    lists: dict[Ends, int] = {}
    data = {
        "fingerprint": fingerprint,
        "tokens": sorted(dead_ends.tokens.items()),
        "narrow": [
            [
                state,
                [
                    [below, masks.setdefault(tokens, len(masks)), lists.setdefault(ends, len(lists))]
                    for below, tokens, ends in places
                ],
            ]
            for state, places in sorted(dead_ends.narrow.items())
        ],
        "doubtful": [[*pair, lists.setdefault(ends, len(lists))] for pair, ends in sorted(dead_ends.doubtful.items())],
        "masks": list(masks),
        "ends": list(lists),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0))
    unfinished.replace(path)


def load(path: Path, fingerprint: str) -> DeadEnds | None:
    """The dead ends stored at `path`; None if they are another version's, or damaged."""
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        if data["fingerprint"] != fingerprint:
            return None
        masks = data["masks"]
        ends = [tuple((cells, symbol) for cells, symbol in one) for one in data["ends"]]
        return DeadEnds(
            dict(data["tokens"]),
            {state: [(below, masks[m], ends[e]) for below, m, e in places] for state, places in data["narrow"]},
            {(below, state): ends[e] for below, state, e in data["doubtful"]},
        )
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError):
        return None
