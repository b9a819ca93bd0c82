"""The word at the end of a text, and names that refer to nothing unless later text makes them right.

`zz` in `return zz => 1` refers to nothing unless it becomes a parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.constraint.scope.facts import Facts
from decoder.constraint.scope.request import Request
from decoder.grammar.state import State
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from decoder.grammar.version import Version


def unfinished(state: State) -> str:
    """The unfinished identifier at the end, or an empty text."""
    words = (unfinished_word(version, state.window) for version in state.versions)
    return next((word for word in words if word), "")


def may_be_keyword(request: Request, state: State, version: Version, word: str) -> bool:
    """Whether a complete word can be a keyword there, one that no rule reads as a name."""
    keyword = request.grammar.lexer.keywords.get(word)
    if keyword is None or keyword in request.uses.soft:
        return False
    return keyword in state.automaton.possible_tokens(version, state.window)


def is_only_identifier(request: Request, state: State, version: Version) -> bool:
    """Whether the unfinished token can become nothing but an identifier."""
    tokens = state.automaton.possible_tokens(version, state.window)
    return all(token == request.grammar.tables.word for token in tokens)


def unresolved_so_far(request: Request, state: State) -> str | None:
    """A name that is wrong in every reading of the text; None where one reading has no wrong name.

    An unfinished word counts where it may be a reference and no visible name begins with it.
    """
    names = [_unresolved_so_far(request, state, version) for version in state.versions]
    return None if None in names else names[0]


def _unresolved_so_far(request: Request, state: State, version: Version) -> str | None:
    facts = version.node.value
    if not isinstance(facts, Facts):
        return None
    bindings = request.bindings
    if (unbound := bindings.unbound_name(facts)) is not None:
        return unbound
    word = unfinished_word(version, state.window)
    if not word or bindings.knows(facts, word) or not request.may_be_reference(version.node):
        return None
    return word if is_only_identifier(request, state, version) else None
