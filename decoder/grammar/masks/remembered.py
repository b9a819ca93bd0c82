"""Answers about stacks, remembered by what their cells said that were asked.

To find an answer, the cells of a stack are asked what was asked when it was found, one after the other, until what they
said leaves one answer, or none that is known. Everything is numbers in few containers: a collector of garbage looks at
such once, and never again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.grammar.automaton import bits as numbers
from decoder.grammar.by_state import ALL
from decoder.grammar.masks.watched import MARK, STATE, SYMBOLS, TABLES, WatchedNode

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

_WIDTH: Final = 24
_NO_CELL: Final = 0
_BYTES: Final = 250
"""Of a question to a cell and what it said, measured with `tracemalloc` and rounded up."""


class Way:
    """The cells of one stack from the top down, as far as somebody has asked."""

    __slots__ = ("_cells", "is_merged")

    def __init__(self, node: Node) -> None:
        self._cells: list[Node] = [node]
        self.is_merged = False
        """Somebody has asked for cells below one that lies on several others."""

    def cell(self, depth: int) -> Node | None:
        """The cell at a depth; None where the stack has none, or where it is merged of several."""
        cells = self._cells
        while len(cells) <= depth:
            last = cells[-1]
            if last.also:
                self.is_merged = True
                return None
            below = last.under if isinstance(last, WatchedNode) else last.below
            if below is None:
                return last.below  # where the stack is watched, this was asked for
            cells.append(below)
        return cells[depth]


class Memory:
    """The answers to many questions, in one tree for each."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._sets: list[int] = []
        """What is asked of cells together, as bit sets."""
        self._of_set: dict[int, int] = {}
        self._said: dict[int, int] = {}
        """By set and state, the number of what it says."""
        self._numbers: dict[Hashable, int] = {}
        self.depths: list[int] = []
        """For each inner node of a tree, whom to ask."""
        self.asked: list[int] = []
        """And what: the number of a set."""
        self.after: dict[int, int] = {}
        """By inner node and what was said: the next one, or the complement of the answer."""

    @property
    def size(self) -> int:
        """Bytes, roughly."""
        return _BYTES * len(self.after)

    def node(self, depth: int, bits: int) -> int:
        """A new inner node."""
        number = self._of_set.get(bits)
        if number is None:
            number = self._of_set[bits] = len(self._sets)
            self._sets.append(bits)
        self.depths.append(depth)
        self.asked.append(number)
        return len(self.depths) - 1

    def bits(self, at: int) -> int:
        """What an inner node asks."""
        return self._sets[self.asked[at]]

    def said(self, cell: Node, number: int) -> int:
        """What a cell says to a set of questions."""
        bits = self._sets[number]
        if isinstance(cell, WatchedNode):
            cell.asked |= bits
            state, mark = cell.plain_state, cell.plain_mark
        else:
            state, mark = cell.state, cell.mark
        found = self._said.get(number << _WIDTH | state)
        if found is None:
            found = self._said[number << _WIDTH | state] = self._number(self._says(state, bits))
        if mark is not None and bits & MARK:
            found = self._number((found, mark))
        return found

    def _number(self, said: Hashable) -> int:
        return self._numbers.setdefault(said, len(self._numbers) + 1)

    def _says(self, state: int, bits: int) -> Hashable:
        if bits & STATE:
            return state
        tables = self._tables
        found: list[Hashable] = [
            tables.rows[state][symbol] if symbol < tables.token_count else tables.goto(state, symbol)
            for symbol in numbers(bits >> SYMBOLS & (1 << TABLES - SYMBOLS) - 1)
        ]
        found += [ALL[number][state] for number in numbers(bits >> TABLES)]
        return tuple(found)


class Answers:
    """The answers to one question, numbers from 0 on."""

    __slots__ = ("_memory", "_root")

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._root: int | None = None

    def find(self, way: Way) -> int | None:
        """The answer for a stack; None if it is not known. Where the stack is watched, what is asked is noted."""
        at = self._root
        memory = self._memory
        while at is not None and at >= 0:
            cell = way.cell(memory.depths[at])
            if cell is None and way.is_merged:
                return None
            at = memory.after.get(at << _WIDTH | (_NO_CELL if cell is None else memory.said(cell, memory.asked[at])))
        return None if at is None else ~at

    def keep(self, way: Way, asked: Mapping[int, int], answer: int) -> None:
        """Remember an answer that was found by asking this of the cells, bit sets by depth."""
        memory = self._memory
        left = dict(sorted(asked.items()))
        if self._root is None:
            self._root = _next(memory, left, answer)
        at = self._root
        while at >= 0:
            depth = memory.depths[at]
            if wanted := left.pop(depth, 0):
                bits = memory.bits(at)
                more = 0 if bits & STATE and (not wanted & MARK or bits & MARK) else wanted & ~bits
                if more:
                    left[depth] = more
            cell = way.cell(depth)
            if cell is None and way.is_merged:
                return
            key = at << _WIDTH | (_NO_CELL if cell is None else memory.said(cell, memory.asked[at]))
            following = memory.after.get(key)
            if following is None:
                following = memory.after[key] = _next(memory, left, answer)
            at = following


def _next(memory: Memory, left: dict[int, int], answer: int) -> int:
    for depth, bits in left.items():
        return memory.node(depth, bits)
    return ~answer


class Stacks:
    """Numbers for whole stacks."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}
        """By the number of the cells above, and a cell."""

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, node: Node) -> int | None:
        """The same for stacks of the same cells; None for one that is merged of several."""
        numbers = self._numbers
        number = -1
        at: Node | None = node
        while at is not None:
            if at.also:
                return None
            key = (number, at.state if at.mark is None else (at.state, at.mark))
            number = numbers.setdefault(key, len(numbers))
            at = at.below
        return numbers.setdefault((number, None), len(numbers))
