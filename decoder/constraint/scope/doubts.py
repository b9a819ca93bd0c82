"""Names at the end of a text that are wrong as they stand, and that only what follows may make right.

`zz` in `return zz => 1` refers to nothing unless it becomes a parameter; `a` in `import { a as b }` would be a second
name of the module unless it gets another. A report counts them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.constraint.scope.facts import BOTH, Facts
from decoder.constraint.scope.uses import REFERENCES, Use
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from decoder.constraint.scope.request import Request
    from decoder.grammar.state import State
    from decoder.grammar.version import Version


def doubted(request: Request, state: State) -> str | None:
    """A name that is wrong on all readings as it stands; None where it is right on one.

    A word that is unfinished counts where no visible name begins like it, and it may be a reference; or where an
    import would bring a name that begins like it into a module that has it: what is told from it by its end alone is
    made up more often than not.
    """
    doubts = [_doubted(request, state, version) for version in state.versions]
    return None if None in doubts else doubts[0]


def exported_again(request: Request, state: State) -> str | None:
    """A name at the end under which the module exports something already, unless it is given another; see there."""
    doubts = [_exported(request, state, version) for version in state.versions]
    return None if None in doubts else doubts[0]


def _exported(request: Request, state: State, version: Version) -> str | None:
    facts = version.node.value
    if request.python or not isinstance(facts, Facts):
        return None
    if word := unfinished_word(version, state.window):
        return word if request.bindings.is_exported(facts, word) and request.exports(version.node) else None
    return _exported_before(request, facts, version)


def _exported_before(request: Request, facts: Facts, version: Version) -> str | None:
    """The complete word at the end, if it is such a name."""
    last = facts.open
    if last is None or last.below is not version.node.below or not request.bindings.is_exported(facts, last.name):
        return None
    return last.name if request.is_exported(version.node) else None


def _doubted(request: Request, state: State, version: Version) -> str | None:
    facts = version.node.value
    if not isinstance(facts, Facts):
        return None
    bindings = request.bindings
    if (unseen := bindings.unseen(facts)) is not None:
        return unseen
    word = unfinished_word(version, state.window)
    if not word:
        return _doubted_before(request, facts, version)
    if request.exports(version.node) and bindings.begins_exported(facts, word):
        return word
    possible = request.possible(version.node)
    if Use.IMPORTED in possible and bindings.begins_twice(facts, word):
        return word
    if bindings.knows(facts, word, BOTH) or not possible & REFERENCES:
        return None
    tokens = state.automaton.possible_tokens(version, state.window)
    return None if any(token != request.grammar.tables.word for token in tokens) else word


def _doubted_before(request: Request, facts: Facts, version: Version) -> str | None:
    """The complete word at the end, if an import would bring it into a module that has it, or exports it again."""
    if (exported := _exported_before(request, facts, version)) is not None:
        return exported
    last = facts.open
    if last is None or last.below is not version.node.below or not request.bindings.is_imported_twice(facts, last.name):
        return None
    return last.name if Use.IMPORTED in request.uses.possible(version.node) else None
