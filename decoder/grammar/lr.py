"""What one token does to one stack: the reductions and the shift that the LR tables prescribe.

Where the tables leave several actions, a stack has several outcomes. Follows tree-sitter's `ts_parser__advance`,
without error recovery: a stack with no outcome is dead.
"""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from decoder.grammar.stack import Node, merged
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT, GrammarError, Reduce, Tables

if TYPE_CHECKING:
    from decoder.grammar.stricter import Strictness

_REMEMBERED = 1 << 13
_LONGEST_REDUCTION = 10_000


class Outcome(Enum):
    """What became of a stack."""

    SHIFTED = "shifted"
    """The token is on the stack."""
    REDUCED = "reduced"
    """The stack is another one now, and the token must be read again from it."""
    ACCEPTED = "accepted"
    """The text is complete."""


class Step(NamedTuple):
    """One outcome."""

    outcome: Outcome
    node: Node


class _Dead:
    """The value by which a semantics rejects a cell."""


DEAD = _Dead()


class Semantics(Protocol):
    """Computes what is known about each cell, and may kill the stack for it. Values must be immutable."""

    def shift(self, below: Node, state: int, token: int, text: str) -> object:
        """The value of a token's cell, or DEAD."""

    def reduce(self, below: Node, state: int, reduction: Reduce, cells: tuple[Node, ...]) -> object:
        """The value of the cell that replaces `cells`, lowest first, or DEAD."""


class Stepper:
    """Applies tokens to stacks, and remembers the outcomes of late.

    Different continuations of one state mostly begin with the same tokens: they share the work and the nodes.
    """

    def __init__(
        self, tables: Tables, semantics: Semantics | None = None, strictness: Strictness | None = None
    ) -> None:
        self._tables = tables
        self._semantics = semantics
        self._strictness = strictness
        self._recent: dict[tuple[Node, int, bool, str], tuple[Step, ...]] = {}
        self._older: dict[tuple[Node, int, bool, str], tuple[Step, ...]] = {}
        self._nodes: dict[tuple[Node, int, object], Node] = {}

    def step(self, node: Node, token: int, text: str = "", *, is_keyword: bool = False) -> tuple[Step, ...]:
        """All outcomes of `token` on top of `node`; none if it cannot follow.

        A keyword is a word too, and is read as one where the keyword cannot follow. The text matters to semantics only.
        """
        if self._semantics is None:
            text = ""
        key = (node, token, is_keyword, text)
        steps = self._recent.get(key)
        if steps is None:
            steps = self._older.get(key)
            if steps is None:
                steps = tuple(
                    self._end_extra(node)
                    if token == END_OF_EXTRA
                    else self._steps(node, token, text, is_keyword=is_keyword)
                )
            if len(self._recent) >= _REMEMBERED:
                self._older, self._recent, self._nodes = self._recent, {}, {}
            self._recent[key] = steps
        return steps

    def forget(self) -> None:
        """Drop what is remembered; only speed changes."""
        self._recent, self._older, self._nodes = {}, {}, {}

    def _steps(self, node: Node, token: int, text: str, *, is_keyword: bool) -> list[Step]:  # noqa: C901 - one loop of tree-sitter's
        tables = self._tables
        steps: list[Step] = []
        for _ in range(_LONGEST_REDUCTION):
            cell = tables.cells(node.state).get(token)
            last: Node | None = None
            if cell is not None:
                for reduction in cell.reductions:
                    for reduced in self._reduce(node, reduction):
                        if last is not None:
                            steps.append(Step(Outcome.REDUCED, last))
                        last = reduced
                if cell.shift is not None or cell.accepts:
                    if last is not None:
                        steps.append(Step(Outcome.REDUCED, last))
                    if cell.accepts:
                        steps.append(Step(Outcome.ACCEPTED, node))
                    else:
                        self._shift(node, cell.shift if not cell.is_extra else None, token, text, steps)
                    return steps
            if last is None:
                if not is_keyword or not self._may_be_word(node.state, token):
                    return steps
                token = tables.word
            else:
                node = last
        raise GrammarError("a grammar whose reductions never end")

    def _push(self, below: Node, state: int, value: object) -> Node:
        """The node of `state` on `below`: one object for one stack, so that equal readings are seen to be equal."""
        key = (below, state, value)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Node(state, below, value)
        return node

    def _may_be_word(self, state: int, keyword: int) -> bool:
        tables = self._tables
        word = tables.word
        return keyword != word and not tables.is_reserved(state, keyword) and word in tables.cells(state)

    def _shift(self, node: Node, state: int | None, token: int, text: str, steps: list[Step]) -> None:
        if self._strictness is not None and not self._strictness.may_shift(node, token):
            return
        if state is not None:
            value = self._semantics.shift(node, state, token, text) if self._semantics else None
            if value is DEAD:
                return
            node = self._push(node, state, value)
        steps.append(Step(Outcome.SHIFTED, node))

    def _reduce(self, node: Node, reduction: Reduce) -> list[Node]:
        """The stacks after `reduction`: one, unless stacks were merged within the cells that it takes."""
        if self._semantics is None:
            below: Node | None = node
            for _ in range(reduction.count):
                if below is None or below.also:
                    return self._reduce_merged(node, reduction)
                below = below.below
            if below is not None:
                return [self._push(below, self._tables.goto(below.state, reduction.symbol), None)]
        return self._reduce_merged(node, reduction)

    def _reduce_merged(self, node: Node, reduction: Reduce) -> list[Node]:
        by_top: dict[tuple[int, object], list[Node]] = defaultdict(list)
        for bottom, cells in node.paths(reduction.count):
            state = self._tables.goto(bottom.state, reduction.symbol)
            value = self._semantics.reduce(bottom, state, reduction, cells) if self._semantics else None
            if value is not DEAD:
                by_top[state, value].append(self._push(bottom, state, value))
        return [merged(nodes) for nodes in by_top.values()]

    def _end_extra(self, node: Node) -> list[Step]:
        """A non-terminal extra ends: reduce as the table does at the end of the input, and read on from there."""
        steps: list[Step] = []
        for reduction in self._tables.cell(node.state, END_OF_INPUT).reductions:
            for bottom, _ in node.paths(reduction.count):
                state = self._tables.goto(bottom.state, reduction.symbol)
                steps.append(
                    Step(Outcome.REDUCED, bottom if state == bottom.state else self._push(bottom, state, None))
                )
        return steps
