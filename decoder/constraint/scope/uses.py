"""What identifiers on a stack may be used for; decided as soon as one use is left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import FrameKind, Kind
from decoder.constraint.scope.scope_tables import COMPREHENSIONS
from decoder.constraint.scope.use_tables import Use, takes_keyword, use_of, use_table
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
"""The states of so many cells from the top of a stack answer most questions about it."""
BINDS: Final = {
    Use.LOCAL: Kind.LOCAL,
    Use.PARAMETER: Kind.LOCAL,
    Use.OWN: Kind.OWN,
    Use.HOISTED: Kind.HOISTED,
    Use.CAPTURE: Kind.LOCAL,
}
"""What a use makes of a name, where it binds it."""


class Uses:
    """Answers for one grammar, each computed once."""

    def __init__(self, tables: Tables, language: Language) -> None:
        self._tables = tables
        self._table = use_table(language)
        self._python = language.is_python
        self.consumers = Consumers(tables)
        self._uses: dict[tuple[int, int, int, bool], Use] = {}
        self._tops: dict[int, frozenset[str]] = {}
        self._early: dict[tuple[int, int, bool], Use | None] = {}
        self._early_under: dict[tuple[int, int, bool], Use | None] = {}
        self._possible: dict[tuple[int, ...], frozenset[Use]] = {}
        self._rules: dict[tuple[int, int], frozenset[str]] = {}
        self._brackets: dict[int, FrameKind] = {}
        self.soft = self._soft_keywords()
        """Keywords that some rule reads as a name."""

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
        """The same for the cell right under the top, where the top begins a rule of its own."""
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
        _down(stack, _KEYED - 1)
        key = tuple(node.state for node in stack[:_KEYED])
        found = self._possible.get(key)
        if found is None:
            found, deepest = self._follow_up(stack)
            if deepest < _KEYED:
                self._possible[key] = found
        return found

    def _follow_up(self, stack: list[Node]) -> tuple[frozenset[Use], int]:
        """The uses that the identifier on top of a stack may get, and how deep the stack had to be looked at."""
        found: set[Use] = set()
        deepest = 0
        pending = [(stack[0].state, 1)]  # a state, and how deep in `stack` the cell right under it is
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
                depth = under + consumer.index
                deepest = max(deepest, depth)
                below = _down(stack, depth)
                if below is None:
                    continue
                following = (self._tables.goto(below.state, consumer.symbol), depth)
                if following[0] and following not in seen:
                    seen.add(following)
                    pending.append(following)
        return frozenset(found), deepest

    def _is_operand(self, stack: list[Node]) -> bool:
        """Whether the identifier on top of a stack is an operand, so that no bare arrow function may begin with it."""
        below = None if self._python else _down(stack, 1)
        return below is not None and bool(self.top(below.state) & _OPERATORS)

    def _only(self, consumers: Iterable[Consumer], *, is_keyword: bool) -> Use | None:
        uses = {self.use(*consumer, is_keyword) for consumer in consumers}
        return uses.pop() if len(uses) == 1 and Use.UP not in uses else None

    def _find(self, consumer: Consumer, *, is_keyword: bool) -> Use:
        if is_keyword and not takes_keyword(self._tables, consumer):
            return Use.NOTHING
        return use_of(self._tables, self._table, consumer)

    def top(self, state: int) -> frozenset[str]:
        """The names of what may be on top of a stack."""
        found = self._tops.get(state)
        if found is None:
            names = self._tables.names
            found = self._tops[state] = frozenset(names[symbol] for symbol in self.consumers.symbols(state))
        return found

    def _soft_keywords(self) -> frozenset[int]:
        tables, consumers = self._tables, self.consumers
        found: set[int] = set()
        for consumer, states in consumers.alone(lambda consumer: takes_keyword(tables, consumer)).items():
            if self.use(*consumer, is_keyword=True) is not Use.NOTHING:
                found.update(*map(consumers.symbols, states))
        return frozenset(one for one in found if one < tables.token_count and tables.names[one].isalpha())


def _down(stack: list[Node], depth: int) -> Node | None:
    """The node so far under the first; `stack` grows as it is walked."""
    while len(stack) <= depth:
        below = stack[-1].below
        if below is None:
            return None
        stack.append(below)
    return stack[depth]
