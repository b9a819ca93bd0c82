"""What many tokens do to one stack, found out together.

Most tokens that may follow an expression first make the same of it, one reduction after the other, so these are done
once for all of them. What remains is asked of the reduced stacks, and these are far fewer than stacks are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoder.grammar.automaton import bits
from decoder.grammar.lr import Outcome
from decoder.grammar.masks.remembered import Answers, Way
from decoder.grammar.masks.watched import Watch

if TYPE_CHECKING:
    from decoder.grammar.actions import Reduce
    from decoder.grammar.automaton import Automaton
    from decoder.grammar.by_state import ByState
    from decoder.grammar.lr import Stepper
    from decoder.grammar.masks.remembered import Memory
    from decoder.grammar.stack import Node

DEEP: Final = 20
"""Cells of a stack beyond which nothing is remembered about a token: such an answer hardly ever serves twice."""


class Reduced(NamedTuple):
    """A stack after the reductions that some tokens have in common."""

    node: Node
    shifts: int
    """Tokens that it takes whatever lies below."""
    asks: int
    """Tokens that it may take: rules are to be asked, or there are several ways."""


class _Moves(NamedTuple):
    """What a state does at sight of some tokens."""

    reductions: tuple[tuple[Reduce, int], ...]
    shifts: int
    asks: int


class Lookahead:
    """Answers under one automaton without a semantics.

    Tokens are numbers, and sets of them bits. A keyword that is read as a word where it has no place has a number of
    its own, `keyword` above the token's.
    """

    def __init__(self, automaton: Automaton) -> None:
        self._tables = automaton.tables
        self._stepper = automaton.stepper
        self.keyword = self._tables.token_count
        self._moves: dict[tuple[int, int], _Moves] = {}

    def code(self, token: int, *, is_keyword: bool) -> int:
        """The number of a token."""
        return token + self.keyword if is_keyword else token

    def token(self, code: int) -> tuple[int, bool]:
        """The token of a number, and whether it is a keyword that may be read as a word."""
        return (code - self.keyword, True) if code >= self.keyword else (code, False)

    def reduced(self, node: Node, codes: int) -> list[Reduced]:
        """The stacks that tokens lead to before one of them is put on top; tokens that none takes are left out."""
        found: list[Reduced] = []
        pending = [(node, codes)]
        while pending:
            at, some = pending.pop()
            reductions, shifts, asks = self._moves_of(at.state, some)
            for reduction, those in reductions:
                after = self._stepper.reduce(at, reduction)
                if len(after) == 1:
                    pending.append((after[0], those))
                elif after:
                    asks |= those
            if shifts or asks:
                found.append(Reduced(at, shifts, asks))
        return found

    def _moves_of(self, state: int, codes: int) -> _Moves:
        moves = self._moves.get((state, codes))
        if moves is None:
            moves = self._moves[state, codes] = self._find_moves(state, codes)
        return moves

    def _find_moves(self, state: int, codes: int) -> _Moves:
        row = self._tables.rows[state]
        reductions: dict[Reduce, int] = {}
        shifts = asks = 0
        for code in bits(codes):
            token, is_keyword = self.token(code)
            cell = row[token]
            if cell is None:
                asks |= is_keyword << code
            elif cell.shift is None and not cell.accepts and len(cell.reductions) == 1:
                reductions[cell.reductions[0]] = reductions.get(cell.reductions[0], 0) | 1 << code
            elif cell.reductions or cell.accepts or cell.check is not None or cell.spelled is not None:
                asks |= 1 << code
            elif cell.shift is not None:
                shifts |= 1 << code
        return _Moves(tuple(reductions.items()), shifts, asks)


class Taken:
    """Which tokens get onto a stack at last, remembered by the part of the stack that tells."""

    def __init__(self, lookahead: Lookahead, stepper: Stepper, memory: Memory, reads: ByState[int]) -> None:
        self._lookahead = lookahead
        self._stepper = stepper
        self._memory = memory
        self._reads = reads
        self._answers: dict[int, Answers] = {}
        """By tokens, as a bit set: numbers of what was found."""
        self._found: list[tuple[int, int]] = []
        self._deep = 0
        """Tokens about which nothing is remembered: much of the stack would have to be the same."""

    def of(self, node: Node, tokens: int) -> tuple[int, int]:
        """Those of some tokens that get onto a stack, and those of all that are read again on the way."""
        takes = again = 0
        for reduced, shifts, asks in self._lookahead.reduced(node, tokens) if tokens else ():
            takes |= shifts
            for token in bits(asks & self._deep):
                some, others = self._find(token, reduced)
                takes, again = takes | some, again | others
            if remembered := asks & ~self._deep:
                some, others = self._found[self._remembered(remembered, reduced, Way(reduced))]
                takes, again = takes | some, again | others
        return takes, again

    def _find(self, token: int, node: Node) -> tuple[int, int]:
        steps = self._stepper.step(node, token)
        is_read_again = any(outcome is Outcome.REDUCED for outcome, _ in steps)
        takes = self._stepper.takes(node, token) if is_read_again else bool(steps)
        return takes << token, is_read_again << token

    def _remembered(self, tokens: int, node: Node, way: Way) -> int:
        answers = self._answers.setdefault(tokens, Answers(self._memory))
        known = answers.find(way)
        if known is not None:
            return known
        watch = Watch(node, self._reads)
        watched = watch.node
        takes = again = 0
        if tokens & (tokens - 1):
            below = Way(watched)
            for token in bits(tokens):
                some, others = self._found[self._remembered(1 << token, watched, below)]
                takes, again = takes | some, again | others
        else:
            takes, again = self._find(tokens.bit_length() - 1, watched)
            if len(watch.told().asked) > DEEP:
                self._deep |= tokens
        self._found.append((takes, again))
        asked, is_merged = watch.told()
        if not is_merged:
            answers.keep(way, asked, len(self._found) - 1)
        return len(self._found) - 1
