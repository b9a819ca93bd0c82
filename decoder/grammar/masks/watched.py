"""A copy of a stack that notes what is asked of its cells.

An answer found on it holds for every stack whose cells say the same when they are asked the same (`remembered`). Of
most cells nobody asks more than which state a reduction on top of them leads to, and of those that are taken off
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from decoder.grammar.lr import Stepper
from decoder.grammar.stack import DEAD, Node

if TYPE_CHECKING:
    from decoder.grammar.actions import Reduce
    from decoder.grammar.by_state import ByState
    from decoder.grammar.lr import Step
    from decoder.grammar.tables import Tables

_Told = TypeVar("_Told")

STATE: Final = 1
"""Which state it is: no two states say the same."""
MARK: Final = 2
EXISTS: Final = 4
"""Whether the stack goes down so far."""
SYMBOLS: Final = 3
"""The first bit of symbols: of a token, what the state does at sight of it; of others, the state on top of it."""
TABLES: Final = 1024
"""The first bit of tables by state."""


class Told(NamedTuple):
    """What cells of a stack have been asked."""

    asked: dict[int, int]
    """By depth, the top being 0: a bit set."""
    is_merged: bool
    """A cell lies on several others: which way down was taken is not told by the first of them."""


class Watch:
    """A copy of a stack, and what its cells have been asked."""

    __slots__ = ("node",)

    def __init__(self, node: Node, reads: ByState[int]) -> None:
        """With `reads`, the same for states in which tokens are read alike."""
        self.node = WatchedNode(node, reads)

    def told(self) -> Told:
        """What has been asked so far. If the stack is a copy itself, that is noted for the first one too."""
        asked: dict[int, int] = {}
        is_merged = False
        pending: list[tuple[WatchedNode, int]] = [(self.node, 0)]
        while pending:
            node, depth = pending.pop()
            original = node.original
            watched = original if isinstance(original, WatchedNode) else None
            if node.asked:
                asked[depth] = asked.get(depth, 0) | node.asked
                if watched is not None:
                    watched.asked |= node.asked
            if node.is_end_asked:
                asked[depth + 1] = asked.get(depth + 1, 0) | EXISTS
                if watched is not None:
                    watched.is_end_asked = True
            if node.also:
                is_merged = True
                pending += [(other, depth + 1) for other in node.also if isinstance(other, WatchedNode)]
            if node.copied is not None:
                pending.append((node.copied, depth + 1))
        return Told(asked, is_merged)


class WatchedNode(Node):
    """A node without what a semantics knows of it; the cells below are copied when they are looked at."""

    __slots__ = ("_reads", "asked", "copied", "is_end_asked", "original", "plain_mark", "plain_state")

    def __init__(self, original: Node, reads: ByState[int]) -> None:
        self._reads = reads
        self.original = original
        self.copied: WatchedNode | None = None
        """The copy of the node below, once that has been looked at."""
        self.asked = 0
        self.is_end_asked = False
        """Somebody has asked for a node below, and there is none."""
        self.value = None
        self.plain_state: int
        self.plain_mark: object
        if isinstance(original, WatchedNode):
            self.plain_state = original.plain_state
            self.plain_mark = original.plain_mark
        else:
            self.plain_state = original.state
            self.plain_mark = original.mark
        self.also = tuple(WatchedNode(node, reads) for node in original.also) if original.also else ()

    @property
    def state(self) -> int:  # type: ignore[override]  # what are attributes of other nodes is asked for here
        """The state, whatever for: hardly another stack has the same."""
        self.asked |= STATE
        return self.plain_state

    @property
    def like(self) -> int:  # type: ignore[override]
        """The state, for what is the same in many."""
        self.asked |= 1 << TABLES + self._reads.number
        return self.plain_state

    @property
    def mark(self) -> object:  # type: ignore[override]
        """What a stricter rule remembers."""
        self.asked |= MARK
        return self.plain_mark

    def told(self, by_state: ByState[_Told]) -> _Told:
        """What a table has for the state."""
        self.asked |= 1 << TABLES + by_state.number
        return by_state[self.plain_state]

    @property
    def below(self) -> Node | None:  # type: ignore[override]
        """The node directly below; whether there is one counts as asked."""
        under = self.under
        if under is None:
            self.is_end_asked = True
        else:
            under.asked |= EXISTS
        return under

    @property
    def under(self) -> WatchedNode | None:
        """The same for those who will ask something of it."""
        copied = self.copied
        if copied is None:
            original = self.original
            below = original.under if isinstance(original, WatchedNode) else original.below
            if below is not None:
                copied = self.copied = WatchedNode(below, self._reads)
        return copied


class WatchingStepper(Stepper):
    """Asks no more of the cells of a watched stack than it must know."""

    def __init__(self, tables: Tables, remembered: int) -> None:
        super().__init__(tables, None, remembered)

    def step(self, node: Node, token: int, text: str = "", *, is_keyword: bool = False) -> tuple[Step, ...]:
        """All outcomes of `token` on top of `node`; none if it cannot follow."""
        if not isinstance(node, WatchedNode):
            return super().step(node, token, text, is_keyword=is_keyword)
        cell = self._tables.rows[node.plain_state][token]
        if cell is None and is_keyword:
            return super().step(node, token, text, is_keyword=is_keyword)
        node.asked |= 1 << SYMBOLS + token
        if cell is None:
            return ()
        return self._shifted(self._find_with(cell, node, token, is_keyword=is_keyword), text)

    def _reduce(self, node: Node, reduction: Reduce) -> list[Node]:
        below: Node | None = node
        cells: list[Node] = []
        for _ in range(reduction.count):
            if below is None or below.also:
                return self._reduce_merged(node, reduction)
            cells.append(below)
            below = below.under if isinstance(below, WatchedNode) else below.below
        if below is None:
            return super()._reduce(node, reduction)
        if isinstance(below, WatchedNode):
            below.asked |= 1 << SYMBOLS + reduction.symbol
            state = self._tables.goto(below.plain_state, reduction.symbol)
        else:
            state = self._tables.goto(below.state, reduction.symbol)
        if not state:
            return []
        if reduction.check is None:
            return [self._push(below, state, None)]
        cells.reverse()
        mark = reduction.check(below, tuple(cells))
        return [] if mark is DEAD else [self._push(below, state, None, mark)]
