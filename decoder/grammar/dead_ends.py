"""Tokens that an LR table lets onto a stack although nothing could follow, and how to leave them out.

Tree-sitter shares a state between rules that have a place and rules that have none: `class A { f(a` may go on with `+`,
as within a call, but then no reduction leads anywhere. A compiler notices the error one token later, which is early
enough for it; who asks what may come next needs to know before. `dead_end_search` finds these places, once for each
grammar; this module keeps what was found and asks it of a stack.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decoder.grammar.stack import DEAD
from decoder.grammar.strict_shapes import with_check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from decoder.grammar.actions import Cell
    from decoder.grammar.stack import Node

    Ends = tuple[tuple[int, int], ...]
    """Ways on, as (cells, symbol): the topmost cells of a stack and what follows become the symbol."""


@dataclass(frozen=True)
class DeadEnds:
    """Where the tables let tokens through that do not lead on. Sets of tokens are bit sets."""

    tokens: Mapping[int, int]
    """By state: the tokens that never follow."""
    over: Mapping[tuple[int, int], int]
    """By the state below and the state: the tokens that do not follow."""
    narrow: Mapping[tuple[int, int, int], Ends]
    """By the state below, the state and the token: what is left to complete after it; it must be asked of the stack.

    Cells are counted from the state below.
    """
    doubtful: Mapping[tuple[int, int], Ends]
    """By the state below and the state of what has been completed: what that may complete in turn, of the cells from
    the state below on. Whatever is not listed leads on."""


class DeadEndRules:
    """Leaves dead ends out of tables with these gotos."""

    def __init__(self, dead_ends: DeadEnds, goto: Callable[[int, int], int]) -> None:
        self._goto = goto
        self._tokens = dead_ends.tokens
        self._doubtful = dead_ends.doubtful
        self._places: dict[tuple[int, int], dict[int, Ends]] = defaultdict(dict)
        """By state and token: for states below, what is left to complete."""
        for (below, state), tokens in dead_ends.over.items():
            for token in bits(tokens):
                self._places[state, token][below] = ()
        for (below, state, token), ends in dead_ends.narrow.items():
            self._places[state, token].setdefault(below, ends)

    def restrict(self, state: int, token: int, cell: Cell) -> Cell:
        """What `state` does with `token`."""
        if cell.shift is None or cell.is_extra:
            return cell
        if self._tokens.get(state, 0) >> token & 1:
            return replace(cell, shift=None)
        places = self._places.get((state, token))
        return cell if places is None else with_check(cell, lambda node: self._check(node, places))

    def _check(self, node: Node, places: Mapping[int, Ends]) -> object:
        for below in node.beneath():
            ends = places.get(below.state)
            if ends is None or self._leads_on(below, ends):
                return None
        return DEAD

    def _leads_on(self, node: Node, ends: Ends) -> bool:
        """Whether one of `ends` has a place below the cells from `node` on that it takes."""
        for cells, symbol in ends:
            for bottom, _ in node.paths(cells):
                made = self._goto(bottom.state, symbol)
                if made:
                    further = self._doubtful.get((bottom.state, made))
                    if further is None or self._leads_on(bottom, further):
                        return True
        return False


NONE = DeadEnds({}, {}, {}, {})


def save(path: Path, dead_ends: DeadEnds, fingerprint: str) -> None:
    """Write dead ends where `load` finds them."""
    narrow: dict[tuple[int, int, Ends], list[int]] = defaultdict(list)
    for (below, state, token), ends in sorted(dead_ends.narrow.items()):
        narrow[below, state, ends].append(token)
    data = {
        "fingerprint": fingerprint,
        "tokens": [[state, bits(tokens)] for state, tokens in sorted(dead_ends.tokens.items())],
        "over": [[*pair, bits(tokens)] for pair, tokens in sorted(dead_ends.over.items())],
        "narrow": [[*key, tokens] for key, tokens in narrow.items()],
        "doubtful": [[*pair, ends] for pair, ends in sorted(dead_ends.doubtful.items())],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    unfinished.write_bytes(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0))
    unfinished.replace(path)


def load(path: Path, fingerprint: str) -> DeadEnds | None:
    """The dead ends kept at `path`; None if they are another version's, or damaged."""
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        if data["fingerprint"] != fingerprint:
            return None
        return DeadEnds(
            {state: _mask(tokens) for state, tokens in data["tokens"]},
            {(below, state): _mask(tokens) for below, state, tokens in data["over"]},
            {(below, state, token): _ends(ends) for below, state, ends, tokens in data["narrow"] for token in tokens},
            {(below, state): _ends(ends) for below, state, ends in data["doubtful"]},
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None


def bits(mask: int) -> list[int]:
    """The numbers of the bits that are set, lowest first."""
    return [token for token in range(mask.bit_length()) if mask >> token & 1]


def _mask(tokens: Sequence[int]) -> int:
    return sum(1 << token for token in tokens)


def _ends(found: Sequence[Sequence[int]]) -> Ends:
    return tuple((cells, symbol) for cells, symbol in found)
