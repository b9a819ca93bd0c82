"""What all states of the rule of scope at one place share, and the first of them (`entered`), for `constraint`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from context_index.symbols import Language
from decoder.constraint.scope.facts import Facts, FrameKind
from decoder.constraint.scope.languages.tables import Use
from decoder.constraint.scope.semantics import ScopeSemantics
from decoder.constraint.scope.uses import ScopeUses
from decoder.grammar.grammar import Grammar
from decoder.grammar.stack import StackNode
from decoder.grammar.state import State
from decoder.grammar.words import after_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.grammar import Entry


class Request:
    """What all readings at one place share."""

    def __init__(self, grammar: Grammar, uses: ScopeUses, semantics: ScopeSemantics, language: Language) -> None:
        self.grammar = grammar
        self.uses = uses
        self.bindings = semantics.bindings
        self.prefixes = language.record.lexis.prefixes
        """Small letters that look like a name and may begin a string; capitals mean the same."""
        self.automaton = grammar.automaton_with(semantics)
        """Drops the ways to parse the text in which a name is not valid."""
        self.plain = grammar.automaton_with(None)
        """Knows syntax only."""
        self._possible: dict[StackNode, frozenset[Use]] = {}

    def possible(self, node: StackNode) -> frozenset[Use]:
        """The uses that an identifier may have if it comes next on a stack; none if it cannot come next."""
        uses = self._possible.get(node)
        if uses is None:
            after = after_word(self.plain, node)
            uses = frozenset[Use]().union(*(self.uses.possible(top) for top in after))
            self._possible[node] = uses
        return uses

    def is_reference(self, node: StackNode) -> bool:
        """Whether an identifier that comes next on a stack can be nothing but a reference to a visible name."""
        uses = self.possible(node)
        must_be_visible = {Use.REFERENCE} if _is_after_typeof(node) else {Use.REFERENCE, Use.OPERAND}
        return bool(uses) and uses <= must_be_visible

    def may_be_reference(self, node: StackNode) -> bool:
        """Whether an identifier that comes next on a stack may be a reference."""
        return Use.REFERENCE in self.possible(node)


def _is_after_typeof(node: StackNode) -> bool:
    """Whether the operand of `typeof` comes next on a stack; a name there need not be visible (`Use.OPERAND`)."""
    return isinstance(node.value, Facts) and node.value.context.frame.kind is FrameKind.TYPEOF


def prepare(language: Language) -> None:
    """Compute what the first suggestion in a language would wait for otherwise: some tenths of a second."""
    uses_of(language)


@cache
def uses_of(language: Language) -> ScopeUses:
    """The uses of a language's identifiers, computed once."""
    return ScopeUses(Grammar.load(language).tables, language)


def entered(request: Request, entry: Entry) -> State:
    """The state at an entry, with facts about names.

    The unfinished statement above the entry is read again, so that the facts contain its names. They are not judged:
    what people have written may say names that we do not know. Where reading fails, nothing is known of them.

    Raises:
        ValueError: The entry has no state.
    """
    state = entry.state
    if state is None:
        raise ValueError("no state at the cursor: the text above does not parse. Check `entry.state` first.")
    store = request.bindings.store
    root = store.facts(store.context(store.frame(None, FrameKind.ROOT, None)), None)
    request.bindings.reads_above = True
    with_statement = _rooted(request, entry.earlier, root).advance(entry.since)
    request.bindings.reads_above = False
    request.automaton.forget()  # the cached steps of this reading judged no names
    return _rooted(request, state, root) if with_statement is None else with_statement


def facts_of(state: State) -> Iterator[Facts]:
    """The facts of each version: of each way to parse the text."""
    return (version.node.value for version in state.versions if isinstance(version.node.value, Facts))


def _rooted(request: Request, state: State, root: Facts) -> State:
    """The state with the facts `root` on the tops of its stacks, which are new nodes: no cache applies to them."""
    versions = tuple(
        replace(version, node=StackNode(node.state, node.below, root, node.also))
        for version in state.versions
        for node in [version.node]
    )
    return State(request.automaton, versions, state.window)
