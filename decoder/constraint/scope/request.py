"""What all states of one suggestion share, and the state at its beginning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from context_index.symbols import Language
from decoder.constraint.scope.facts import BOTH, TYPE, VALUE, Facts, FrameKind, Kind, chain, frames
from decoder.constraint.scope.semantics import ScopeSemantics, root_facts
from decoder.constraint.scope.uses import REFERENCES, Use, Uses
from decoder.grammar.engine import Grammar
from decoder.grammar.roles import RoleFinder
from decoder.grammar.stack import Node
from decoder.grammar.state import State
from decoder.grammar.words import after_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.grammar import Entry


class Request:
    """What all readings of one suggestion share."""

    def __init__(self, grammar: Grammar, uses: Uses, semantics: ScopeSemantics, language: Language) -> None:
        self.grammar = grammar
        self.uses = uses
        self.semantics = semantics
        self.bindings = semantics.bindings
        self.python = language.is_python
        typed = language in (Language.TYPESCRIPT, Language.TSX)
        self.spaces = (VALUE, TYPE) if typed else (VALUE,)
        """Where a name that begins like the one being written must be found to settle the matter."""
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

    def only_references(self, node: Node) -> int | None:
        """The space of the references that alone may follow on a stack; None where an identifier may be more."""
        found = self.possible(node)
        if Use.TYPEOF in found and not _is_typeof(node):
            found = found - {Use.TYPEOF} | {Use.REFERENCE}
        return self.reference_space(node) if found and found <= REFERENCES else None

    def reference_space(self, node: Node) -> int:
        """Where a name must be found that comes next on a stack, if it is a reference."""
        if _is_typeof(node):
            return BOTH  # also of what is imported as a type
        found = self.possible(node) & (REFERENCES | {Use.TYPEOF})
        return VALUE if found <= {Use.REFERENCE, Use.TYPEOF} else TYPE if found == {Use.TYPE} else BOTH


def _is_typeof(node: Node) -> bool:
    return isinstance(node.value, Facts) and node.value.context.frame.kind is FrameKind.TYPEOF


def prepare(language: Language) -> None:
    """Make ready what the first suggestion in a language would have to wait for: some tenths of a second."""
    grammar = Grammar.load(language)
    uses_of(grammar, RoleFinder.of(grammar.tables, language), language)


def uses_of(grammar: Grammar, roles: RoleFinder, language: Language) -> Uses:
    """The uses of a language, made once."""
    known = _KNOWN.get(language)
    if known is None:
        known = _KNOWN[language] = Uses(grammar.tables, roles, python=language.is_python)
    return known


_KNOWN: dict[Language, Uses] = {}


def entered(request: Request, entry: Entry) -> State:
    """The state at an entry, with facts: the unfinished statement is read again, so that its open names are known."""
    state = entry.state
    assert state is not None  # noqa: S101 - the caller's condition
    root = root_facts(request.bindings)
    if entry.earlier is not None and entry.doubt is None:
        request.bindings.lenient = True
        again = _rooted(request, entry.earlier, root).advance(entry.since)
        request.bindings.lenient = False
        request.automaton.forget()
        if again is not None:
            request.bindings.entered = frozenset(
                frame for facts in facts_of(again) for frame in frames(facts.context.frame)
            )
            return _rooted(request, again, None)
    return _rooted(request, state, root)


def facts_of(state: State) -> Iterator[Facts]:
    """What is known on each reading."""
    return (version.node.value for version in state.versions if isinstance(version.node.value, Facts))


def open_names(state: State) -> frozenset[str]:
    """The names whose use is open, and those of functions and classes that are not over: they are declared above."""
    found: set[str] = set()
    for facts in facts_of(state):
        entry = facts.open
        while entry is not None:
            found.add(entry.name)
            entry = entry.before
        for frame in frames(facts.context.frame):
            found.update(bound.name for bound in chain(frame.names) if bound.kind is Kind.OWN)
    return frozenset(found)


def _rooted(request: Request, state: State, root: Facts | None) -> State:
    """The state on stacks whose tops are new nodes, so that nothing remembered of others applies to them."""
    versions = tuple(
        replace(version, node=Node(node.state, node.below, root or _began_anew(request, node.value), node.also))
        for version in state.versions
        for node in [version.node]
    )
    return State(request.automaton, versions, state.window)


def _began_anew(request: Request, facts: object) -> object:
    if not isinstance(facts, Facts):
        return facts
    store = request.bindings.store
    return store.facts(store.context(facts.context.frame), facts.open)
