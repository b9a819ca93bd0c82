"""Updates the facts about names at each step of the automaton: for each token, and each rule that is reduced.

A token opens a scope, and the rule that the token belongs to closes it. An identifier is undecided until the tables
leave one use for it; then it is a new name, or it must be visible, or this way to parse the text is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language
from decoder.constraint.scope.bindings import Bindings
from decoder.constraint.scope.facts import Facts, FrameKind, PendingIdentifier
from decoder.constraint.scope.languages import tables_of
from decoder.constraint.scope.languages.tables import Use
from decoder.constraint.scope.uses import ScopeUses
from decoder.grammar.stack import DEAD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.constraint.scope.facts import Introduction
    from decoder.constraint.scope.visible import VisibleNames
    from decoder.grammar.actions import Reduce
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

_BEFORE_PARAMETER: Final = frozenset({",", "("})
_Decided = tuple[PendingIdentifier, Use, frozenset[str]]
"""An identifier, its use, and the rules that may consume it."""


@dataclass(frozen=True, slots=True)
class _Roles:
    """What the symbols of a grammar do to scopes (`languages`)."""

    opens: Mapping[int, FrameKind]
    hidden: frozenset[int]
    becomes: Mapping[int, FrameKind]
    ends: Mapping[int, frozenset[Introduction]]
    declares: frozenset[int]
    parens: frozenset[int]
    commas: frozenset[int]
    """These and what follows: of Python alone."""
    closers: frozenset[int]
    for_tokens: frozenset[int]

    @classmethod
    @lru_cache
    def of(cls, tables: Tables, language: Language) -> _Roles:
        """The roles of a grammar's symbols."""
        own, names = tables_of(language), tables.names
        table = own.scopes
        tokens, symbols = range(1, tables.token_count), range(tables.token_count, tables.symbol_count)

        def spelled(*texts: str) -> frozenset[int]:
            return frozenset(token for token in tokens if names[token] in texts)

        nothing = frozenset[int]()
        return cls(
            opens={token: table.opens[names[token]] for token in tokens if names[token] in table.opens},
            hidden=frozenset(symbol for symbol in symbols if not tables.is_visible(symbol)),
            becomes={symbol: table.becomes[names[symbol]] for symbol in symbols if names[symbol] in table.becomes},
            ends={symbol: table.ends[names[symbol]] for symbol in symbols if names[symbol] in table.ends},
            declares=frozenset(symbol for symbol in symbols if names[symbol] in table.declares),
            parens=spelled("("),
            commas=spelled(",") if own.may_comprehend else nothing,
            closers=spelled(")", "]", "}") if own.may_comprehend else nothing,
            for_tokens=spelled("for", "async") if own.may_comprehend else nothing,
        )


class ScopeSemantics:
    """The semantics of one place; see `lr.Semantics`."""

    def __init__(self, tables: Tables, uses: ScopeUses, language: Language, around: VisibleNames) -> None:
        self._tables = tables
        self._uses = uses
        self._consumers = uses.consumers
        self._word = tables.word
        self._names = tables_of(language)
        self.bindings = Bindings(uses, language, around)
        self.store = self.bindings.store
        self._roles = _Roles.of(tables, language)
        self._noteworthy = self._roles.commas | self._roles.closers | self._roles.for_tokens

    def shift(self, below: Node, state: int, token: int, text: str) -> object:
        """The facts after a token, or DEAD where it leaves an identifier only uses that it cannot have."""
        facts = below.value
        if not isinstance(facts, Facts):
            raise TypeError("a stack without facts")
        kind = self._roles.opens.get(token)
        if kind is not None:
            opened = self._open_scope(facts, below, state, token, kind)
            if opened is None:
                return DEAD
            facts = opened
        elif token in self._noteworthy:
            facts = self._note_comprehension(facts, token)
        if token == self._word or token in self._uses.soft_keywords:
            is_given, is_keyword = self.bindings.lenient, token != self._word
            entry = self.store.pending(text, below, facts.pending, is_keyword=is_keyword, is_given=is_given)
            facts = self.store.facts(facts.context, entry)
        after = facts if facts.pending is None else self._assign_early_uses(facts, below, state)
        if after is not None and after.context.awaited is not None:
            after = self.bindings.resolve_awaited(after)
        return DEAD if after is None else after

    def _open_scope(self, facts: Facts, below: Node, state: int, token: int, kind: FrameKind) -> Facts | None:
        """The facts within the scope that a token opens. What is before a bracket is not within it."""
        if kind is not FrameKind.BRACKET:
            return self.bindings.open_scope(facts, kind)
        if token in self._roles.parens and self._is_within_parameters(below):
            return None
        settled = facts if facts.pending is None else self._assign_early_uses(facts, below, state)
        if settled is None:
            return None
        return self.bindings.open_scope(settled, self._uses.bracket(state) if self._names.may_comprehend else kind)

    def reduce(self, below: Node, reduction: Reduce, cells: tuple[Node, ...]) -> object:
        """The facts when a rule is complete: its identifiers have their uses, its scope is closed."""
        base = below.value
        facts: Facts | None = cells[-1].value if cells else base  # type: ignore[assignment]  # all values are facts
        if facts is base or facts is None:
            return facts
        symbol = reduction.symbol
        if facts.pending is not None and (base is None or facts.pending is not base.pending):  # type: ignore[attr-defined]
            facts = self._assign_uses(facts, below, reduction, cells)
            if facts is None:
                return DEAD
        depth = base.context.frame.depth if isinstance(base, Facts) else 0
        if facts.context.frame.depth > depth and symbol not in self._roles.hidden:
            kind_after = self._roles.becomes.get(symbol)
            if kind_after is not None:
                facts = self.bindings.change_kind(facts, kind_after)
            else:
                dying, declares = self._roles.ends.get(symbol), symbol in self._roles.declares
                closed = self.bindings.close_scopes(facts, depth, dying, declares=declares)
                if closed is None:
                    return DEAD
                facts = closed
        return facts

    def _note_comprehension(self, facts: Facts, token: int) -> Facts:
        """Python: a comma shows that a bracket holds no comprehension, `for` that it does; a closer ends it."""
        frame = facts.context.frame
        if frame.kind is FrameKind.COMPREHENSION and token in self._roles.commas:
            return self.bindings.change_kind(facts, FrameKind.BRACKET)
        if frame.kind is FrameKind.COMPREHENSION and token in self._roles.for_tokens:
            return self.bindings.change_kind(facts, FrameKind.CLAUSES)
        if frame.kind in (FrameKind.COMPREHENSION, FrameKind.CLAUSES) and token in self._roles.closers:
            return self.bindings.change_kind(self.bindings.bind_awaited(facts), FrameKind.BRACKET)
        return facts

    def _is_within_parameters(self, below: Node) -> bool:
        """JavaScript: a bracket in a parameter list, where tree-sitter would take `(a, (b).c) =>`."""
        if not self._names.may_be_bound_after or not self._uses.top(below.state) <= _BEFORE_PARAMETER:
            return False
        rules = self._uses.rules(below.state, 1)
        return bool(rules) and all(rule.startswith("formal_parameters") for rule in rules)

    def _assign_uses(self, facts: Facts, below: Node, reduction: Reduce, cells: tuple[Node, ...]) -> Facts | None:
        """Give the identifiers among a rule's children their uses, or keep them for the rule around."""
        uses, store = self._uses, self.store
        under = [below, *cells[:-1]]
        index = len(under) - 1
        kept: list[PendingIdentifier] = []
        decided: list[_Decided] = []
        rule = self._tables.names[reduction.symbol]
        entry = facts.pending
        while entry is not None:
            at = index
            while at >= 0 and under[at] is not entry.below:
                at -= 1
            if at < 0:
                break
            index = at
            use = uses.use(reduction.symbol, reduction.production, at, entry.is_keyword)
            if use is Use.UP:
                kept.append(entry)
            else:
                decided.append((entry, use, frozenset({rule})))
            entry = entry.before
        if not decided and len(kept) == 1 and kept[0].below is below and not kept[0].is_keyword and len(cells) == 1:
            return facts
        if rule == "dotted_name_repeat1":  # `.b.c`: of `a.b.c` only the first matters
            kept = []
        elif rule == "dotted_name":
            kept = kept[-1:]
        is_dotted = rule == "dotted_name" and len(cells) > 1
        pending = entry
        for one in reversed(kept):
            pending = store.pending(
                one.name, below, pending, is_dotted=one.is_dotted or is_dotted, is_given=one.is_given
            )
        return self._use(store.facts(facts.context, pending), decided)

    def _assign_early_uses(self, facts: Facts, below: Node, state: int) -> Facts | None:
        """Give the identifiers their uses for which the tables leave only one; None where one of them is not valid."""
        uses = self._uses
        reach = max(2, self._consumers.reach(state))
        node: Node | None = below
        depth = 1
        entry = facts.pending
        undecided: list[PendingIdentifier] = []
        decided: list[_Decided] = []
        while entry is not None:
            while node is not None and entry.below is not node and depth < reach:
                node = node.below
                depth += 1
            if node is None or entry.below is not node:
                break
            use = uses.early(state, depth, entry.is_keyword)
            if use is None and depth == 2:  # noqa: PLR2004 - right under the top
                use = uses.early_under(below.state, state, entry.is_keyword)
            if use is None or (depth == 1 and use is Use.REFERENCE):  # its text may not be all there yet
                undecided.append(entry)
            else:
                decided.append((entry, use, uses.rules(state, depth)))
            entry = entry.before
        if not decided:
            return facts
        pending = entry
        for one in reversed(undecided):
            pending = self.store.pending(
                one.name,
                one.below,
                pending,
                is_keyword=one.is_keyword,
                is_dotted=one.is_dotted,
                is_given=one.is_given,
            )
        return self._use(self.store.facts(facts.context, pending), decided)

    def _use(self, facts: Facts, decided: list[_Decided]) -> Facts | None:
        """The facts once identifiers, the last first, have their uses; None where one of them is not valid."""
        result: Facts | None = facts
        for one, use, rules in reversed(decided):
            if result is None:
                return None
            result = self.bindings.use(result, one, use, rules)
        return result
