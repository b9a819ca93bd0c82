"""The use of every identifier of a text, read off the reductions that consume it: how tests look at the tables of uses.

Each node of a stack carries the identifiers in it whose use is still open, and the list of all that have been decided.
Where the grammar keeps two readings, `(a, b` that may be parameters, both lists are kept, one with each version, until
the text decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from context_index.symbols import Language
from decoder.constraint.scope.languages.tables import Use
from decoder.constraint.scope.request import uses_of
from decoder.constraint.scope.use_tables import takes_keyword
from decoder.grammar import Grammar, State
from decoder.grammar.consumers import Consumer
from decoder.grammar.stack import StackNode
from decoder.grammar.state import start
from decoder.grammar.tables import START_STATE

if TYPE_CHECKING:
    from decoder.grammar.actions import Reduce


class Decided(NamedTuple):
    """One identifier with its use, and all that were decided before it."""

    name: str
    use: Use
    before: Decided | None


class Pending(NamedTuple):
    """An identifier whose use is open. A keyword is one only where a rule takes it for a name."""

    name: str
    is_keyword: bool


class NodeValue(NamedTuple):
    """What is known about one node of a stack."""

    symbol: int
    pending: tuple[Pending, ...]
    decided: Decided | None


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The identifiers of one reading of a text."""

    decided: tuple[tuple[str, Use], ...]
    """In the order in which the text decided them."""
    pending: tuple[str, ...]
    """Outermost first."""


class DecidesUses:
    """The semantics that finds uses; see `lr.Semantics`."""

    def __init__(self, grammar: Grammar, language: Language) -> None:
        self._tables = grammar.tables
        self._uses = uses_of(language)

    def shift(self, below: StackNode, state: int, token: int, text: str) -> NodeValue:  # noqa: ARG002 - the protocol's
        """A word is an identifier without a use; a keyword may become one."""
        pending: tuple[Pending, ...] = ()
        if token == self._tables.word or text.isidentifier():
            pending = (Pending(text, token != self._tables.word),)
        return NodeValue(token, pending, _decided(below))

    def reduce(self, below: StackNode, reduction: Reduce, nodes: tuple[StackNode, ...]) -> NodeValue:
        """Give each open identifier its use, or hand it up."""
        decided = _decided(nodes[-1]) if nodes else _decided(below)
        open_: list[Pending] = []
        for index, node in enumerate(nodes):
            value = node.value
            if not isinstance(value, NodeValue):
                continue
            consumer = Consumer(reduction.symbol, reduction.production, index)
            for pending in value.pending:
                if pending.is_keyword and not takes_keyword(self._tables, consumer):
                    continue
                use = self._uses.use(*consumer, is_keyword=False)
                if use is Use.UP:
                    open_.append(Pending(pending.name, is_keyword=False))
                else:
                    decided = Decided(pending.name, use, decided)
        return NodeValue(reduction.symbol, tuple(open_), decided)


def _decided(node: StackNode) -> Decided | None:
    return node.value.decided if isinstance(node.value, NodeValue) else None


def identifiers(top: StackNode) -> Identifiers:
    """The identifiers on the stack under `top`."""
    decided: list[tuple[str, Use]] = []
    link = _decided(top)
    while link is not None:
        decided.append((link.name, link.use))
        link = link.before
    pending: list[str] = []
    node: StackNode | None = top
    while node is not None:
        if isinstance(node.value, NodeValue):
            pending += reversed([one.name for one in node.value.pending if not one.is_keyword])
        node = node.below
    return Identifiers(tuple(reversed(decided)), tuple(reversed(pending)))


def begin(language: Language) -> State:
    """The state before the first character of a file, with uses."""
    grammar = Grammar.load(language)
    return start(grammar.automaton_with(DecidesUses(grammar, language)), StackNode(START_STATE, None))


def readings(state: State) -> list[Identifiers]:
    """The identifiers of each reading and their uses."""
    return [identifiers(version.node) for version in state.versions]
