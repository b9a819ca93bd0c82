"""What the end of a text leaves open: an unfinished word, and names that refer to nothing. `constraint` asks.

`unfinished` is the word at the end. `is_only_identifier` and `may_be_keyword` say what it may be. `unresolved_so_far`
is a name that is wrong unless later text binds it: `zz` in `return zz => 1` becomes a parameter.

A state has one version for each way to parse the text, and at least one: without any, `advance` returns None.
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
    """The unfinished identifier at the end of the text; empty where there is none."""
    words = (unfinished_word(version, state.window) for version in state.versions)
    return next((word for word in words if word), "")


def may_be_keyword(request: Request, state: State, version: Version, word: str) -> bool:
    """Whether an unfinished word, if it ends here, can be a keyword, and not a name that is spelled like one.

    - `total` is no keyword, and the grammar does not allow `for` after `x = `: no.
    - `this` after `x = `: yes, as no rule of the grammar reads `this` as a name.
    - `get` is soft: some rules of JavaScript read it as a name. A space ends the word and puts the keyword's token on
      each reading's stack. In one of `states_after_soft_keyword` nothing but a name is made of the token (`x = get`):
      no. In another state a rule wants the keyword itself (`class A { get`, TypeScript's `let x: string`): yes.
    """
    keyword = request.grammar.lexer.keywords.get(word)
    if keyword is None or keyword not in state.automaton.possible_tokens(version, state.window):
        return False
    if keyword not in request.uses.soft_keywords:
        return True
    ended = state.advance(" ")
    return ended is not None and any(
        after.node.state not in request.uses.states_after_soft_keyword for after in ended.versions
    )


def is_only_identifier(request: Request, state: State, version: Version) -> bool:
    """Whether the unfinished token can become nothing but an identifier."""
    tokens = state.automaton.possible_tokens(version, state.window)
    return all(token == request.grammar.tables.word for token in tokens)


def unresolved_so_far(request: Request, state: State) -> str | None:
    """The wrong name of the first way to parse the text; None where some way has no wrong name."""
    names = [_unresolved_in(request, state, version) for version in state.versions]
    return None if None in names else names[0]


def _unresolved_in(request: Request, state: State, version: Version) -> str | None:
    """A name that is wrong in one way to parse the text, unless later text binds it.

    The unfinished word at the end is such a name if it may be a reference, can be nothing but an identifier, and is not
    the beginning of a name that may be visible.
    """
    facts = version.node.value
    if not isinstance(facts, Facts):  # for mypy: to the grammar, a node's value is any object
        return None
    bindings = request.bindings
    if (unbound := bindings.unbound_name(facts)) is not None:
        return unbound
    word = unfinished_word(version, state.window)
    if not word or bindings.knows(facts, word) or not request.may_be_reference(version.node):
        return None
    return word if is_only_identifier(request, state, version) else None
