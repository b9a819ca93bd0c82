"""Applies one token to one stack: the reductions and the shift that the LR tables prescribe.

Where the tables have several actions, there are several resulting stacks. This follows tree-sitter's
`ts_parser__advance` without its error recovery: a stack on which a token has no action is dropped. `automaton` calls
`Stepper.step` for each token, `words` for a word that may come next.
"""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

from decoder.grammar.compiled import GrammarError
from decoder.grammar.stack import DEAD, StackNode, merged
from decoder.grammar.tables import END_OF_EXTRA, END_OF_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoder.grammar.actions import Reduce
    from decoder.grammar.tables import Tables

_REMEMBERED = 1 << 13
"""The fewest steps that are cached; at most twice as many are."""
_LONGEST_REDUCTION = 10_000
"""The most reductions in a row before one token. More show that a grammar's reductions never end."""


class TokenEffect(Enum):
    """What a token does to a stack."""

    SHIFTED = "shifted"
    """The token is on the stack."""
    REDUCED = "reduced"
    """The stack is another one now, and the token must be read again from it."""
    ACCEPTED = "accepted"
    """The text is complete."""


SHIFTED: Final = TokenEffect.SHIFTED
REDUCED: Final = TokenEffect.REDUCED
ACCEPTED: Final = TokenEffect.ACCEPTED
"""Constants, since reading a member of an enumeration takes as long as making a node."""


class Semantics(Protocol):
    """Computes a value for each node of a stack, and may reject the stack: `DEAD` as its value drops the stack.

    Values must be immutable, and cheap to hash and to compare: they distinguish stacks. Results must depend on the
    arguments alone, since they are cached.
    """

    def shift(self, below: StackNode, state: int, token: int, text: str) -> object:
        """The value of the node of `state` that a token puts on `below`, or DEAD.

        Args:
            text: The token's text. It is empty if the question is only what an unfinished token can still become
                (`Stepper.takes`). A token that is no word must get the same answer then: its beginning has been
                accepted on this answer, so a rejection for its text would come too late. The beginnings of words are
                judged elsewhere (`constraint.scope`).
        """

    def reduce(self, below: StackNode, reduction: Reduce, nodes: tuple[StackNode, ...]) -> object:
        """The value of the node on `below` that replaces `nodes`, which come lowest first, or DEAD.

        There are no nodes if the rule has no children. At the end of an extra this is not asked (`Stepper._end_extra`).
        """


Step = tuple[TokenEffect, StackNode]
"""One outcome of a token: its effect, and the stack. A plain tuple: making a named one would double a step's time."""

_Push = tuple[int, int]
"""What a shift pushes: the state, and the token."""
_Outcome = tuple[TokenEffect, StackNode, _Push | None]
"""A step before the token's text is known. What a shift pushes is not on the stack yet; None if it pushes nothing."""
_Memo = dict[tuple[StackNode, int, bool, str], tuple[Step, ...]]
"""By stack, token, whether it is a keyword, and text: the steps."""


class Stepper:
    """Applies tokens to stacks, and caches recent steps.

    Different continuations of one state mostly begin with the same tokens, so they share the work and the nodes.
    """

    def __init__(self, tables: Tables, semantics: Semantics | None = None) -> None:
        self._tables = tables
        self._semantics = semantics
        self._recent: _Memo = {}
        self._older: _Memo = {}
        """The steps that were recent until `_recent` was full last; the ones before those are forgotten."""
        self._nodes: dict[tuple[StackNode, int, object], StackNode] = {}
        """The answers of `_push` since `_recent` was full last."""
        self._reduced: dict[tuple[StackNode, int, bool], list[_Outcome]] = {}
        """The answers of `_outcomes` since then; empty without semantics."""

    def step(self, node: StackNode, token: int, text: str = "", *, is_keyword: bool = False) -> tuple[Step, ...]:
        """All outcomes of `token` on top of `node`; none if it cannot follow.

        Args:
            text: The token's text, for the semantics only.
            is_keyword: Whether the token is a keyword, cut from a word. Where it cannot follow, it is tried as a word.
        """
        if self._semantics is None:
            text = ""
        key = (node, token, is_keyword, text)
        steps = self._recent.get(key)
        if steps is None:
            steps = self._older.get(key)
            if steps is None:
                steps = self._shifted(self._outcomes(node, token, is_keyword=is_keyword), text)
            if len(self._recent) >= _REMEMBERED:
                self._older, self._recent, self._nodes, self._reduced = self._recent, {}, {}, {}
            self._recent[key] = steps
        return steps

    def takes(self, node: StackNode, token: int) -> bool:
        """Whether `token` can be shifted or ends the text, however many reductions come before."""
        pending, seen = [node], {node}
        while pending:
            for outcome, after in self.step(pending.pop(), token):
                if outcome is not REDUCED:
                    return True
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
        return False

    def forget(self) -> None:
        """Clear the caches; only speed changes."""
        self._recent, self._older, self._nodes, self._reduced = {}, {}, {}, {}

    def _shifted(self, outcomes: Iterable[_Outcome], text: str) -> tuple[Step, ...]:
        """The outcomes with the token pushed, now that its text is known."""
        steps: list[Step] = []
        for outcome, node, push in outcomes:
            if push is None:
                steps.append((outcome, node))
                continue
            state, token = push
            value = None if self._semantics is None else self._semantics.shift(node, state, token, text)
            if value is not DEAD:
                steps.append((outcome, self._push(node, state, value)))
        return tuple(steps)

    def _outcomes(self, node: StackNode, token: int, *, is_keyword: bool) -> list[_Outcome]:
        """The outcomes of `token`, whatever its text. With semantics, the texts of a token share this cached answer."""
        if token == END_OF_EXTRA:
            return self._end_extra(node)
        if self._semantics is None:
            return self._find_outcomes(node, token, is_keyword=is_keyword)
        key = (node, token, is_keyword)
        outcomes = self._reduced.get(key)
        if outcomes is None:
            outcomes = self._reduced[key] = self._find_outcomes(node, token, is_keyword=is_keyword)
        return outcomes

    def _find_outcomes(self, node: StackNode, token: int, *, is_keyword: bool) -> list[_Outcome]:  # noqa: C901 - one loop of tree-sitter's
        """Reduce until the token is shifted.

        A round makes all reductions of one state. They may give several stacks, where the grammar is ambiguous or
        stacks were merged. The last one goes on to the next round, the others are outcomes.
        """
        tables, rows = self._tables, self._tables.rows
        outcomes: list[_Outcome] = []
        cell = rows[node.state][token]
        for _ in range(_LONGEST_REDUCTION):
            last: StackNode | None = None
            if cell is not None:
                for reduction in cell.reductions:
                    for reduced in self._reduce(node, reduction):
                        if last is not None:
                            outcomes.append((REDUCED, last, None))
                        last = reduced
                if cell.shift is not None or cell.accepts:
                    if last is not None:
                        outcomes.append((REDUCED, last, None))
                    if cell.accepts:
                        outcomes.append((ACCEPTED, node, None))
                    else:
                        pushed_state = 0 if cell.is_extra else cell.shift
                        outcomes.append((SHIFTED, node, (pushed_state, token) if pushed_state else None))
                    return outcomes
            if last is None:
                if cell is not None or not is_keyword or not self._may_be_word(node.state, token):
                    return outcomes
                token = tables.word  # the keyword cannot follow: read it as a word
            else:
                node = last
            cell = rows[node.state][token]
        raise GrammarError("a grammar whose reductions never end")

    def _push(self, below: StackNode, state: int, value: object) -> StackNode:
        """The node of `state` on `below`: equal stacks are one object, so that equal readings are recognised.

        Equal stacks from before and after the caches were cleared are two objects. Both are then read on, which costs
        time only.
        """
        key = (below, state, value)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = StackNode(state, below, value)
        return node

    def _may_be_word(self, state: int, keyword: int) -> bool:
        """Whether the state takes an identifier that is spelled like the keyword."""
        tables = self._tables
        word = tables.word
        return keyword != word and not tables.is_reserved(state, keyword) and tables.rows[state][word] is not None

    def _reduce(self, node: StackNode, reduction: Reduce) -> list[StackNode]:
        """The stacks after `reduction`: one, or several where stacks were merged within the nodes that it takes.

        There are none if the stack has too few nodes, has no place for the rule, or is dropped by the semantics.
        """
        below: StackNode | None = node
        semantics = self._semantics
        nodes: list[StackNode] = []
        for _ in range(reduction.count):
            if below is None or below.also:
                return self._reduce_merged(node, reduction)
            nodes.append(below)
            below = below.below
        if below is None:
            return []
        state = self._tables.goto(below.state, reduction.symbol)
        if not state:  # tree-sitter shares states between rules that can be here and rules that cannot
            return []
        value: object = None
        if semantics is not None:
            nodes.reverse()
            value = semantics.reduce(below, reduction, tuple(nodes))
        return [] if value is DEAD else [self._push(below, state, value)]

    def _reduce_merged(self, node: StackNode, reduction: Reduce) -> list[StackNode]:
        """The stacks after `reduction` where several stacks share the nodes that it takes; equal tops are merged."""
        by_top: dict[tuple[int, object], list[StackNode]] = defaultdict(list)
        for bottom, nodes in node.paths(reduction.count):
            state = self._tables.goto(bottom.state, reduction.symbol)
            if not state:
                continue
            value = self._semantics.reduce(bottom, reduction, nodes) if self._semantics else None
            if value is not DEAD:
                by_top[state, value].append(self._push(bottom, state, value))
        return [merged(nodes) for nodes in by_top.values()]

    def _end_extra(self, node: StackNode) -> list[_Outcome]:
        """The outcomes of `END_OF_EXTRA`: the reductions that the table has at the end of the input.

        An extra that is a rule, such as Rust's comments, leads from each state in which it may begin to the same state.
        So its nodes are dropped, and the stack is again as it was before the extra. It keeps its value, so the
        semantics are not asked; and the next state is never 0. If it is another state, it is pushed, as tree-sitter
        does. No grammar in `Language` has such extras.
        """
        outcomes: list[_Outcome] = []
        cell = self._tables.rows[node.state][END_OF_INPUT]
        for reduction in () if cell is None else cell.reductions:
            for bottom, _ in node.paths(reduction.count):
                state = self._tables.goto(bottom.state, reduction.symbol)
                after = bottom if state == bottom.state else self._push(bottom, state, None)
                outcomes.append((REDUCED, after, None))
        return outcomes
