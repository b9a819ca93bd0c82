"""What identifiers on a stack may be used for; decided as soon as one use is left. `semantics` and `request` ask."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import FrameKind, Introduction
from decoder.constraint.scope.languages import tables_of
from decoder.constraint.scope.languages.python import COMPREHENSIONS
from decoder.constraint.scope.languages.tables import Use
from decoder.constraint.scope.use_tables import takes_keyword, use_of
from decoder.grammar.consumers import Consumer, Consumers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_index.symbols import Language
    from decoder.grammar.stack import StackNode
    from decoder.grammar.tables import Tables


_OPERATORS: Final = frozenset({
    "+", "-", "*", "/", "%", "**", "==", "===", "!=", "!==", "<", "<=", ">", ">=", "&&", "||", "??", "&", "|", "^",
    "<<", ">>", ">>>", "!", "~", "++", "--", "typeof", "void", "delete", "await", "instanceof", "new", "extends",
})  # fmt: skip
"""Tokens after which an operand follows: no arrow function without parentheses around it."""
_KEYED: Final = 4
"""Most answers about a stack depend on no more than the states of so many nodes from its top. An answer that does is
cached by these states."""
BINDS: Final = {
    Use.LOCAL: Introduction.LOCAL,
    Use.PARAMETER: Introduction.LOCAL,
    Use.OWN: Introduction.OWN,
    Use.HOISTED: Introduction.HOISTED,
    Use.CAPTURE: Introduction.LOCAL,
}
"""By use that binds a name, how it introduces the name."""


class ScopeUses:
    """What the rules of one grammar use identifiers for; each answer is computed once.

    An identifier lies on the parser's stack until a rule takes it as a child, and only this rule says what it is used
    for. `use` is the answer of one rule. `early` and `early_under` look ahead: they answer if all rules that may still
    take the identifier agree. `possible` collects the uses that are left. A `depth` of 1 is the top of the stack.
    """

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._name_tables = tables_of(language)
        self.consumers = Consumers(tables)
        self._uses: dict[tuple[int, int, int, bool], Use] = {}
        self._tops: dict[int, frozenset[str]] = {}
        self._early: dict[tuple[int, int, bool], Use | None] = {}
        self._early_under: dict[tuple[int, int, bool], Use | None] = {}
        self._possible: dict[tuple[int, ...], frozenset[Use]] = {}
        self._rules: dict[tuple[int, int], frozenset[str]] = {}
        self._brackets: dict[int, FrameKind] = {}
        states_after_name = self._states_of_named_keywords()
        self.soft_keywords = self._tokens_on_top(states_after_name)
        """Keywords that some rule reads as a name, such as JavaScript's `get`: in `x = get`, not in `get x() {}`."""
        self.states_after_soft_keyword = states_after_name - self._states_of_other_keywords()
        """The states with a soft keyword on top in which it can only be a name, as after `x = get`.

        The state after `class A { get` is not among them: there the keyword itself may be meant.
        """

    def use(self, symbol: int, production: int, index: int, is_keyword: bool) -> Use:  # noqa: FBT001 - in the order of the key
        """What a rule uses its child at an index for, if that is an identifier, or a keyword read as one."""
        key = (symbol, production, index, is_keyword)
        use = self._uses.get(key)
        if use is None:
            use = self._uses[key] = self._find(Consumer(symbol, production, index), is_keyword=is_keyword)
        return use

    def early(self, state: int, depth: int, is_keyword: bool) -> Use | None:  # noqa: FBT001 - see above
        """The only use that is left for the identifier in the node `depth` from the top; None while there are more."""
        key = (state, depth, is_keyword)
        if key not in self._early:
            self._early[key] = self._only(self.consumers.of(state, depth), is_keyword=is_keyword)
        return self._early[key]

    def early_under(self, below: int, top: int, is_keyword: bool) -> Use | None:  # noqa: FBT001 - see above
        """The same for the node right under the top if the top begins a rule of its own: `f` under the `(` of `f(`.

        Only a use that binds no name is decided this early. Other uses wait for their rule.
        """
        key = (below, top, is_keyword)
        if key not in self._early_under:
            only = self._only(self.consumers.under(below, top), is_keyword=is_keyword)
            self._early_under[key] = only if only in (Use.REFERENCE, Use.NOTHING) else None
        return self._early_under[key]

    def bracket(self, state: int) -> FrameKind:
        """Python: the kind of scope that a bracket opens, if it is on top of a stack of this state."""
        kind = self._brackets.get(state)
        if kind is None:
            rules = self.rules(state, 1)
            kind = FrameKind.GENERICS if rules == {"type_parameter"} else FrameKind.BRACKET
            kind = self._brackets[state] = FrameKind.COMPREHENSION if rules & COMPREHENSIONS else kind
        return kind

    def rules(self, state: int, depth: int) -> frozenset[str]:
        """The names of the rules that may take the node `depth` from the top."""
        rules = self._rules.get((state, depth))
        if rules is None:
            consumers = self.consumers.of(state, depth)
            rules = self._rules[state, depth] = frozenset(self._tables.names[consumer.symbol] for consumer in consumers)
        return rules

    def possible(self, top: StackNode) -> frozenset[Use]:
        """The uses that the identifier on top of a stack may get, also by way of rules that hand it up."""
        stack: list[StackNode] = [top]
        _node_below(stack, _KEYED - 1)  # adds the nodes of the key to `stack`, as far as there are so many
        key = tuple(node.state for node in stack[:_KEYED])
        uses = self._possible.get(key)
        if uses is None:
            uses, deepest = self._follow_up(stack)
            if deepest < _KEYED:  # the answer depends on nothing that is not in the key
                self._possible[key] = uses
        return uses

    def _follow_up(self, stack: list[StackNode]) -> tuple[frozenset[Use], int]:
        """The uses that the identifier on top of a stack may get, and how deep the stack had to be searched.

        A rule that hands the identifier up is followed: its children leave the stack, the rule's symbol takes their
        place, and the rules that may take this symbol are asked in turn. So `[a` may become a pattern that binds `a`.

        Args:
            stack: The top first; nodes below it are added as they are needed.
        """
        uses: set[Use] = set()
        deepest = 0
        pending = [(stack[0].state, 1)]  # the state of a top, and the index in `stack` of the node right under it
        seen = set(pending)
        while pending:
            state, under = pending.pop()
            for consumer in self.consumers.of(state, 1):
                use = self.use(*consumer, is_keyword=False)
                if use is Use.PARAMETER and self._is_operand(stack):
                    continue
                if use is not Use.UP:
                    uses.add(use)
                    continue
                depth = under + consumer.index  # the rule takes `index` more nodes, those before this child
                deepest = max(deepest, depth)
                below = _node_below(stack, depth)
                if below is None:
                    continue
                following = (self._tables.goto(below.state, consumer.symbol), depth)
                if following[0] and following not in seen:
                    seen.add(following)
                    pending.append(following)
        return frozenset(uses), deepest

    def _is_operand(self, stack: list[StackNode]) -> bool:
        """JavaScript: whether the identifier on top of a stack is an operand, which begins no bare arrow function."""
        below = _node_below(stack, 1) if self._name_tables.may_be_bound_after else None
        return below is not None and bool(self.top(below.state) & _OPERATORS)

    def _only(self, consumers: Iterable[Consumer], *, is_keyword: bool) -> Use | None:
        """The use on which some rules agree; None where they differ, or hand the identifier up."""
        uses = {self.use(*consumer, is_keyword) for consumer in consumers}
        return uses.pop() if len(uses) == 1 and Use.UP not in uses else None

    def _find(self, consumer: Consumer, *, is_keyword: bool) -> Use:
        """See `use`. A keyword that the rule does not read as a name refers to nothing."""
        if is_keyword and not takes_keyword(self._tables, consumer):
            return Use.NOTHING
        return use_of(self._tables, self._name_tables.uses, consumer)

    def top(self, state: int) -> frozenset[str]:
        """The names of the symbols that may be on top of a stack of this state."""
        top = self._tops.get(state)
        if top is None:
            names = self._tables.names
            top = self._tops[state] = frozenset(names[symbol] for symbol in self.consumers.symbols(state))
        return top

    def _states_of_named_keywords(self) -> frozenset[int]:
        """The states in which some rule takes the top alone and, if it is a keyword, reads it as a name with a use."""
        tables = self._tables
        rules = self.consumers.alone(lambda consumer: takes_keyword(tables, consumer)).items()
        named = (states for consumer, states in rules if self.use(*consumer, is_keyword=True) is not Use.NOTHING)
        return frozenset(chain.from_iterable(named))

    def _states_of_other_keywords(self) -> frozenset[int]:
        """The states in which some rule takes the top alone and does not read a keyword as a name."""
        tables = self._tables
        return frozenset(
            chain.from_iterable(self.consumers.alone(lambda consumer: not takes_keyword(tables, consumer)).values())
        )

    def _tokens_on_top(self, states: Iterable[int]) -> frozenset[int]:
        """The tokens that consist of letters and may be on top of stacks of these states."""
        tables = self._tables
        symbols = chain.from_iterable(map(self.consumers.symbols, states))
        return frozenset(symbol for symbol in symbols if symbol < tables.token_count and tables.names[symbol].isalpha())


def _node_below(stack: list[StackNode], distance: int) -> StackNode | None:
    """The node at a distance below the top, which is at distance 0; None where the stack ends before.

    Args:
        stack: The top first; the nodes on the way down are added to it.
    """
    while len(stack) <= distance:
        below = stack[-1].below
        if below is None:
            return None
        stack.append(below)
    return stack[distance]
