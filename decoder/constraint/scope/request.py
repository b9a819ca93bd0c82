"""What all states at one place share, and the state at its beginning."""

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
from decoder.grammar.stack import Node
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
        self.plain = grammar.automaton_with(None)
        self._possible: dict[Node, frozenset[Use]] = {}

    def possible(self, node: Node) -> frozenset[Use]:
        """What an identifier that comes next on a stack may be for."""
        found = self._possible.get(node)
        if found is None:
            after = after_word(self.plain, node)
            found = frozenset[Use]().union(*(self.uses.possible(top) for top in after))
            self._possible[node] = found
        return found

    def is_reference(self, node: Node) -> bool:
        """Whether an identifier that comes next on a stack can be nothing but a reference."""
        found = self.possible(node)
        return bool(found) and found <= ({Use.REFERENCE} if _is_typeof(node) else {Use.REFERENCE, Use.OPERAND})

    def may_be_reference(self, node: Node) -> bool:
        """Whether an identifier that comes next on a stack may be a reference."""
        return Use.REFERENCE in self.possible(node)


def _is_typeof(node: Node) -> bool:
    return isinstance(node.value, Facts) and node.value.context.frame.kind is FrameKind.TYPEOF


def prepare(language: Language) -> None:
    """Make ready what the first suggestion in a language would have to wait for: some tenths of a second."""
    uses_of(language)


@cache
def uses_of(language: Language) -> ScopeUses:
    """The uses of a language, made once."""
    return ScopeUses(Grammar.load(language).tables, language)


def entered(request: Request, entry: Entry) -> State:
    """The state at an entry, with facts.

    The unfinished statement is read again, so that it is known what its names may turn out to be; where that fails,
    nothing is known of them.

    Raises:
        ValueError: The entry has no state.
    """
    state = entry.state
    if state is None:
        raise ValueError("no state at the cursor: the text above does not parse. Check `entry.state` first.")
    store = request.bindings.store
    root = store.facts(store.context(store.frame(None, FrameKind.ROOT, None)), None)
    request.bindings.lenient = True
    again = _rooted(request, entry.earlier, root).advance(entry.since)
    request.bindings.lenient = False
    request.automaton.forget()  # steps of the lenient reading judged no names
    return _rooted(request, state, root) if again is None else again


def facts_of(state: State) -> Iterator[Facts]:
    """The facts of each version that has some."""
    return (version.node.value for version in state.versions if isinstance(version.node.value, Facts))


def _rooted(request: Request, state: State, root: Facts) -> State:
    """The state on stacks whose tops are new nodes, so that nothing that is cached of others applies to them."""
    versions = tuple(
        replace(version, node=Node(node.state, node.below, root, node.also))
        for version in state.versions
        for node in [version.node]
    )
    return State(request.automaton, versions, state.window)
