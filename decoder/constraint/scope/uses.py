"""What identifiers on a stack may be used for; decided as soon as one use is left."""

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
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables


_OPERATORS: Final = frozenset({
    "+", "-", "*", "/", "%", "**", "==", "===", "!=", "!==", "<", "<=", ">", ">=", "&&", "||", "??", "&", "|", "^",
    "<<", ">>", ">>>", "!", "~", "++", "--", "typeof", "void", "delete", "await", "instanceof", "new", "extends",
})  # fmt: skip
_KEYED: Final = 4
"""Most answers about a stack depend on no more than the states of so many cells from its top: they are the key under
which an answer is remembered."""
BINDS: Final = {
    Use.LOCAL: Introduction.LOCAL,
    Use.PARAMETER: Introduction.LOCAL,
    Use.OWN: Introduction.OWN,
    Use.HOISTED: Introduction.HOISTED,
    Use.CAPTURE: Introduction.LOCAL,
}
"""What a use makes of a name, where it binds it."""


class ScopeUses:
    """What the rules of one grammar make of identifiers; each answer is computed once.

    An identifier lies on the parser's stack until a rule takes it as a child, and only the rule says what it is used
    for. `use` is the answer of one rule. `early` and `early_under` look ahead: all rules that may still take it agree.
    `possible` gathers the uses that are left. In these, the cell `depth` 1 is the top of the stack.
    """

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._names = tables_of(language)
        self.consumers = Consumers(tables)
        self._uses: dict[tuple[int, int, int, bool], Use] = {}
        self._tops: dict[int, frozenset[str]] = {}
        self._early: dict[tuple[int, int, bool], Use | None] = {}
        self._early_under: dict[tuple[int, int, bool], Use | None] = {}
        self._possible: dict[tuple[int, ...], frozenset[Use]] = {}
        self._rules: dict[tuple[int, int], frozenset[str]] = {}
        self._brackets: dict[int, FrameKind] = {}
        named = self._states_of_named_keywords()
        self.soft_keywords = self._tokens_on_top(named)
        """Keywords that some rule reads as a name, such as `get` in JavaScript: in `x = get`, not in `get x() {}`."""
        self.states_after_soft_keyword = named - self._states_of_other_keywords()
        """The states with such a keyword on top in which it can only be a name, as after `x = get`.

        The state after `class A { get` is not among them: there the keyword itself may be meant.
        """

    def use(self, symbol: int, production: int, index: int, is_keyword: bool) -> Use:  # noqa: FBT001 - in the order of the key
        """What a rule makes of an identifier in one of its children."""
        key = (symbol, production, index, is_keyword)
        use = self._uses.get(key)
        if use is None:
            use = self._uses[key] = self._find(Consumer(symbol, production, index), is_keyword=is_keyword)
        return use

    def early(self, state: int, depth: int, is_keyword: bool) -> Use | None:  # noqa: FBT001 - see above
        """The one use that is left for the identifier in the cell `depth` from the top; None while there are more."""
        key = (state, depth, is_keyword)
        if key not in self._early:
            self._early[key] = self._only(self.consumers.of(state, depth), is_keyword=is_keyword)
        return self._early[key]

    def early_under(self, below: int, top: int, is_keyword: bool) -> Use | None:  # noqa: FBT001 - see above
        """The same for the cell right under the top, where the top begins a rule of its own: `f` under the `(` of `f(`.

        Only a use that binds no name is told this early; the others wait for their rule.
        """
        key = (below, top, is_keyword)
        if key not in self._early_under:
            only = self._only(self.consumers.under(below, top), is_keyword=is_keyword)
            self._early_under[key] = only if only in (Use.REFERENCE, Use.NOTHING) else None
        return self._early_under[key]

    def bracket(self, state: int) -> FrameKind:
        """Python: what a bracket on top of a stack opens."""
        kind = self._brackets.get(state)
        if kind is None:
            rules = self.rules(state, 1)
            kind = FrameKind.GENERICS if rules == {"type_parameter"} else FrameKind.BRACKET
            kind = self._brackets[state] = FrameKind.COMPREHENSION if rules & COMPREHENSIONS else kind
        return kind

    def rules(self, state: int, depth: int) -> frozenset[str]:
        """The rules that may consume the cell `depth` from the top."""
        rules = self._rules.get((state, depth))
        if rules is None:
            consumers = self.consumers.of(state, depth)
            rules = self._rules[state, depth] = frozenset(self._tables.names[consumer.symbol] for consumer in consumers)
        return rules

    def possible(self, top: Node) -> frozenset[Use]:
        """The uses that the identifier on top of a stack may get, followed through the rules that hand it up."""
        stack: list[Node] = [top]
        _node_below(stack, _KEYED - 1)  # for `stack` to have the cells of the key, as far as there are so many
        key = tuple(node.state for node in stack[:_KEYED])
        found = self._possible.get(key)
        if found is None:
            found, deepest = self._follow_up(stack)
            if deepest < _KEYED:  # nothing was looked at that is not in the key
                self._possible[key] = found
        return found

    def _follow_up(self, stack: list[Node]) -> tuple[frozenset[Use], int]:
        """The uses that the identifier on top of a stack may get, and how deep the stack had to be looked at.

        A rule that hands the identifier up is followed: its children leave the stack, what it makes comes in their
        place, and the rules that take that are asked in turn. So `[a` may become a pattern, and `a` what that binds.

        Args:
            stack: The top first; nodes below it are added as they are needed.
        """
        found: set[Use] = set()
        deepest = 0
        pending = [(stack[0].state, 1)]  # the state of a top, and where in `stack` the cell right under this top is
        seen = set(pending)
        while pending:
            state, under = pending.pop()
            for consumer in self.consumers.of(state, 1):
                use = self.use(*consumer, is_keyword=False)
                if use is Use.PARAMETER and self._is_operand(stack):
                    continue
                if use is not Use.UP:
                    found.add(use)
                    continue
                depth = under + consumer.index  # the rule takes `index` more cells, those before this child
                deepest = max(deepest, depth)
                below = _node_below(stack, depth)
                if below is None:
                    continue
                following = (self._tables.goto(below.state, consumer.symbol), depth)
                if following[0] and following not in seen:
                    seen.add(following)
                    pending.append(following)
        return frozenset(found), deepest

    def _is_operand(self, stack: list[Node]) -> bool:
        """Whether the identifier on top of a stack is an operand, so that no bare arrow function may begin with it."""
        below = _node_below(stack, 1) if self._names.may_be_bound_after else None
        return below is not None and bool(self.top(below.state) & _OPERATORS)

    def _only(self, consumers: Iterable[Consumer], *, is_keyword: bool) -> Use | None:
        uses = {self.use(*consumer, is_keyword) for consumer in consumers}
        return uses.pop() if len(uses) == 1 and Use.UP not in uses else None

    def _find(self, consumer: Consumer, *, is_keyword: bool) -> Use:
        if is_keyword and not takes_keyword(self._tables, consumer):
            return Use.NOTHING
        return use_of(self._tables, self._names.uses, consumer)

    def top(self, state: int) -> frozenset[str]:
        """The names of what may be on top of a stack."""
        found = self._tops.get(state)
        if found is None:
            names = self._tables.names
            found = self._tops[state] = frozenset(names[symbol] for symbol in self.consumers.symbols(state))
        return found

    def _states_of_named_keywords(self) -> frozenset[int]:
        tables = self._tables
        found = self.consumers.alone(lambda consumer: takes_keyword(tables, consumer)).items()
        named = (states for consumer, states in found if self.use(*consumer, is_keyword=True) is not Use.NOTHING)
        return frozenset(chain.from_iterable(named))

    def _states_of_other_keywords(self) -> frozenset[int]:
        tables = self._tables
        return frozenset(
            chain.from_iterable(self.consumers.alone(lambda consumer: not takes_keyword(tables, consumer)).values())
        )

    def _tokens_on_top(self, states: Iterable[int]) -> frozenset[int]:
        tables = self._tables
        found = chain.from_iterable(map(self.consumers.symbols, states))
        return frozenset(one for one in found if one < tables.token_count and tables.names[one].isalpha())


def _node_below(stack: list[Node], distance: int) -> Node | None:
    """The node so far below the top, which is at distance 0; None where the stack ends before.

    Args:
        stack: The top first; the nodes on the way down are added to it.
    """
    while len(stack) <= distance:
        below = stack[-1].below
        if below is None:
            return None
        stack.append(below)
    return stack[distance]
