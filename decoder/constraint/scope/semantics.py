"""Updates the facts about names at each step of the automaton: for each token, and for each rule that is reduced.

A token opens a scope, and the rule that the token belongs to closes it. An identifier is undecided until the tables
leave one use for it. Then it is a new name, or it must be visible, or this reading of the text is dropped.

`lr.Stepper` calls `shift` and `reduce`; `constraint` makes the `ScopeSemantics` of a place. `uses` says what an
identifier is for, and `bindings` applies it.
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
    from decoder.grammar.stack import StackNode
    from decoder.grammar.tables import Tables

_BEFORE_PARAMETER: Final = frozenset({",", "("})
"""The tokens that may come before a parameter in brackets."""
_Decided = tuple[PendingIdentifier, Use, frozenset[str]]
"""An identifier, its use, and the rules that may take it as a child."""


@dataclass(frozen=True, slots=True)
class _Roles:
    """What the symbols of a grammar do to scopes: `languages.tables.ScopeTable` by symbols in place of names."""

    opens: Mapping[int, FrameKind]
    """By token, the kind of scope that it opens."""
    hidden: frozenset[int]
    """The rules without a node of their own in a syntax tree: they close no scope."""
    becomes: Mapping[int, FrameKind]
    """By rule, the kind that the scope of its bracket becomes."""
    ends: Mapping[int, frozenset[Introduction]]
    """By rule, the kinds of names that end with it."""
    declares: frozenset[int]
    """The rules that declare their own name in the scope around."""
    parens: frozenset[int]
    """The token `(`."""
    commas: frozenset[int]
    """The token `,`; empty in languages without comprehensions."""
    closers: frozenset[int]
    """The closing brackets; empty as well."""
    for_tokens: frozenset[int]
    """The tokens that begin a comprehension's clause; empty as well."""

    @classmethod
    @lru_cache
    def of(cls, tables: Tables, language: Language) -> _Roles:
        """The roles of a grammar's symbols."""
        name_tables, names = tables_of(language), tables.names
        table = name_tables.scopes
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
            commas=spelled(",") if name_tables.may_comprehend else nothing,
            closers=spelled(")", "]", "}") if name_tables.may_comprehend else nothing,
            for_tokens=spelled("for", "async") if name_tables.may_comprehend else nothing,
        )


class ScopeSemantics:
    """The semantics at one place; see `lr.Semantics`.

    Args:
        tables: Of the grammar.
        uses: What the grammar uses each identifier for.
        language: The language of the text.
        around: The names that are visible at the cursor.
    """

    def __init__(self, tables: Tables, uses: ScopeUses, language: Language, around: VisibleNames) -> None:
        self._tables = tables
        self._uses = uses
        self._consumers = uses.consumers
        self._word = tables.word
        self._name_tables = tables_of(language)
        self.bindings = Bindings(uses, language, around)
        self.store = self.bindings.store
        self._roles = _Roles.of(tables, language)
        self._noteworthy = self._roles.commas | self._roles.closers | self._roles.for_tokens

    def shift(self, below: StackNode, state: int, token: int, text: str) -> object:
        """The facts after a token; DEAD where it leaves an identifier only a use that its name does not allow.

        Args:
            below: The node on which the token comes.
            state: The state after the token, which is not on the stack yet.
            token: Its number in the tables.
            text: What it says.
        """
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
            is_given, is_keyword = self.bindings.reads_above, token != self._word
            identifier = self.store.pending(text, below, facts.pending, is_keyword=is_keyword, is_given=is_given)
            facts = self.store.facts(facts.context, identifier)
        after = facts if facts.pending is None else self._assign_early_uses(facts, below, state)
        if after is not None and after.context.awaited is not None:
            after = self.bindings.resolve_awaited(after)
        return DEAD if after is None else after

    def _open_scope(self, facts: Facts, below: StackNode, state: int, token: int, kind: FrameKind) -> Facts | None:
        """The facts within the scope that a token opens; None where it cannot follow.

        An identifier before a bracket gets its use first, as it is not within the bracket.
        """
        if kind is not FrameKind.BRACKET:
            return self.bindings.open_scope(facts, kind)
        if token in self._roles.parens and self._is_within_parameters(below):
            return None
        settled = facts if facts.pending is None else self._assign_early_uses(facts, below, state)
        if settled is None:
            return None
        return self.bindings.open_scope(
            settled, self._uses.bracket(state) if self._name_tables.may_comprehend else kind
        )

    def reduce(self, below: StackNode, reduction: Reduce, nodes: tuple[StackNode, ...]) -> object:
        """The facts when a rule is reduced: its identifiers get their uses, its scope is closed; or DEAD."""
        base = below.value
        facts: Facts | None = nodes[-1].value if nodes else base  # type: ignore[assignment]  # all values are facts
        if facts is base or facts is None:  # the rule's text has changed nothing, or the stack has no facts
            return facts
        symbol = reduction.symbol
        if facts.pending is not None and (base is None or facts.pending is not base.pending):  # type: ignore[attr-defined]
            facts = self._assign_uses(facts, below, reduction, nodes)
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
        """A comma shows that a bracket is no comprehension, `for` that it is one; a closing bracket ends it."""
        frame = facts.context.frame
        if frame.kind is FrameKind.COMPREHENSION and token in self._roles.commas:
            return self.bindings.change_kind(facts, FrameKind.BRACKET)
        if frame.kind is FrameKind.COMPREHENSION and token in self._roles.for_tokens:
            return self.bindings.change_kind(facts, FrameKind.CLAUSES)
        if frame.kind in (FrameKind.COMPREHENSION, FrameKind.CLAUSES) and token in self._roles.closers:
            return self.bindings.change_kind(self.bindings.bind_awaited(facts), FrameKind.BRACKET)
        return facts

    def _is_within_parameters(self, below: StackNode) -> bool:
        """Whether a bracket would begin a parameter, see `NameTables.parameters_prefix`."""
        prefix = self._name_tables.parameters_prefix
        if not prefix or not self._uses.top(below.state) <= _BEFORE_PARAMETER:
            return False
        rules = self._uses.rules(below.state, 1)
        return bool(rules) and all(rule.startswith(prefix) for rule in rules)

    def _assign_uses(
        self, facts: Facts, below: StackNode, reduction: Reduce, nodes: tuple[StackNode, ...]
    ) -> Facts | None:
        """Give the identifiers among a rule's children their uses, or hand them up to the rule around.

        None where an identifier's use is not valid.

        In `const [b, c] = a` the rule `array_pattern` hands `b` and `c` up, and the declaration around binds them; an
        assignment around would refer to them. An identifier that is handed up is from then on in the rule's own node,
        right above `below`, and no keyword any more.
        """
        store = self.store
        rule = self._tables.names[reduction.symbol]
        handed_up, decided, before_rule = self._uses_in(facts.pending, [below, *nodes[:-1]], reduction)
        if not decided and len(nodes) == len(handed_up) == 1:
            only = handed_up[0]
            if only.below is below and not only.is_keyword:
                return facts  # a rule of this identifier alone: nothing changes
        tables = self._name_tables
        if rule == tables.dotted_rest:  # `.b.c`: of `a.b.c` only the first name matters
            handed_up = []
        elif rule == tables.dotted:
            handed_up = handed_up[-1:]
        is_dotted = rule == tables.dotted and len(nodes) > 1
        pending = before_rule
        for inner in reversed(handed_up):
            pending = store.pending(
                inner.name, below, pending, is_dotted=inner.is_dotted or is_dotted, is_given=inner.is_given
            )
        return self._use(store.facts(facts.context, pending), decided)

    def _uses_in(
        self, last: PendingIdentifier | None, nodes_below: list[StackNode], reduction: Reduce
    ) -> tuple[list[PendingIdentifier], list[_Decided], PendingIdentifier | None]:
        """What a rule does with the identifiers among its children.

        Args:
            last: The last identifier on the stack.
            nodes_below: By child, the node right below it, as in `PendingIdentifier.below`.

        Returns:
            The identifiers that the rule hands up and those that it gives a use, the last of the text first in both;
            and the last identifier before the rule, None for none.
        """
        handed_up: list[PendingIdentifier] = []
        decided: list[_Decided] = []
        rules = frozenset({self._tables.names[reduction.symbol]})
        child, identifier = len(nodes_below) - 1, last
        while identifier is not None:
            earlier_child = child
            while earlier_child >= 0 and nodes_below[earlier_child] is not identifier.below:
                earlier_child -= 1
            if earlier_child < 0:
                break  # it is before the rule
            child = earlier_child
            use = self._uses.use(reduction.symbol, reduction.production, child, identifier.is_keyword)
            if use is Use.UP:
                handed_up.append(identifier)
            else:
                decided.append((identifier, use, rules))
            identifier = identifier.before
        return handed_up, decided, identifier

    def _assign_early_uses(self, facts: Facts, below: StackNode, state: int) -> Facts | None:
        """Give a use to each identifier for which the tables leave only one; None where one of them is not valid.

        After `zz.` or `zz(` no rule can bind `zz` any more. So it is a reference, and is judged before its rule is
        complete. Identifiers that may get several uses stay undecided.

        Args:
            below: The node below the top of the stack.
            state: The state on top, which may not be on the stack yet.
        """
        uses = self._uses
        reach = max(2, self._consumers.reach(state))  # 2, since `early_under` looks below a top that begins a rule
        node: StackNode | None = below
        depth = 1  # of the node right above `node`, counted from the top
        identifier = facts.pending
        undecided: list[PendingIdentifier] = []
        decided: list[_Decided] = []
        while identifier is not None:
            while node is not None and identifier.below is not node and depth < reach:
                node = node.below
                depth += 1
            if node is None or identifier.below is not node:
                break  # no unfinished rule reaches down to it
            use = uses.early(state, depth, identifier.is_keyword)
            if use is None and depth == 2:  # noqa: PLR2004 - right under the top
                use = uses.early_under(below.state, state, identifier.is_keyword)
            if use is None or (depth == 1 and use is Use.REFERENCE):  # its text may not be all there yet
                undecided.append(identifier)
            else:
                decided.append((identifier, use, uses.rules(state, depth)))
            identifier = identifier.before
        if not decided:
            return facts
        pending = identifier  # those that no unfinished rule reaches
        for later in reversed(undecided):
            pending = self.store.pending(
                later.name,
                later.below,
                pending,
                is_keyword=later.is_keyword,
                is_dotted=later.is_dotted,
                is_given=later.is_given,
            )
        return self._use(self.store.facts(facts.context, pending), decided)

    def _use(self, facts: Facts, decided: list[_Decided]) -> Facts | None:
        """The facts when identifiers have their uses; None where one of them is not valid.

        Args:
            decided: The last identifier of the text first.
        """
        result: Facts | None = facts
        for identifier, use, rules in reversed(decided):
            if result is None:
                return None
            result = self.bindings.use(result, identifier, use, rules)
        return result
