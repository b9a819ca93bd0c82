"""Names that are visible nowhere where a text ends, unless the text after the cursor makes them something else.

`zz` in `return zz => 1` refers to nothing unless it becomes a parameter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import Facts, FrameKind, frames
from decoder.constraint.scope.request import Request, facts_of
from decoder.grammar.state import State
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from decoder.grammar.version import Version


TO_WORD_END: Final = re.compile(r"[^\w$]?[\w$]+|[^\w$]")
"""The pieces of a text: a word or a single character each."""
_BRACKETS: Final = frozenset({FrameKind.BRACKET, FrameKind.COMPREHENSION, FrameKind.CLAUSES, FrameKind.GENERICS})
_BLANK_LINES: Final = re.compile(r"\A(?:[^\S\n]*(?:#[^\n]*)?\n)+")
_NEAR_AHEAD: Final = 80
_FAR_AHEAD: Final = 2_000
"""Characters of the text after the cursor that are read."""
_ENDS: Final = "\n;"
_CLOSED: Final = re.compile(r"[^\S\n]*[)\]}]+[^\S\n]*(?=\n|\Z)")
"""Brackets that an editor has closed at the end of a line."""
_VALUE: Final = " = null;\n"
"""A stand-in for the value that is not yet written after a destructuring pattern."""
_ENDS_PARAMETERS: Final = ") {\n}\n"
"""A stand-in for the body that is not yet written after parameters at the end of a line."""


def unresolved(request: Request, state: State, suffix: str) -> str | None:
    """A name that is not visible even with the text after the cursor; None where the text may end here."""
    unbound = [_unbound_name(request, state, version) for version in state.versions]
    if None in unbound:
        return None
    bindings, automaton = request.bindings, request.automaton
    names = frozenset(name for name in unbound if name is not None)
    # the following text is read with the same tables, but its own names are not judged: they are not ours
    bindings.judged = names | {unfinished(state)}
    automaton.forget()
    try:
        following = _following(suffix, python=request.python)
        is_resolved = _is_resolved_by(request, state, following)
        if not is_resolved and not request.python and (rest := _unwritten(suffix)):
            body = state.advance(rest)
            is_resolved = body is not None and all(bindings.unbound_name(facts) is None for facts in facts_of(body))
    finally:
        bindings.judged = None
        automaton.forget()
    return None if is_resolved else unbound[0]


def unfinished(state: State) -> str:
    """The unfinished identifier at the end, or an empty text."""
    words = (unfinished_word(version, state.window) for version in state.versions)
    return next((word for word in words if word), "")


def may_be_keyword(request: Request, state: State, version: Version, word: str) -> bool:
    """Whether a complete word can only be a keyword there; elsewhere tree-sitter reads it as a name."""
    names, soft = request.grammar.tables.names, request.uses.soft
    tokens = state.automaton.possible_tokens(version, state.window)
    return word.isalpha() and any(names[token] == word and token not in soft for token in tokens)


def _unwritten(suffix: str) -> str:
    """What may be written next at the end of a line, after the brackets that an editor has closed."""
    closed = _CLOSED.match(suffix)
    if closed is not None:
        return closed[0].rstrip() + _VALUE
    return "" if suffix.partition("\n")[0].strip() else _ENDS_PARAMETERS


def _following(suffix: str, *, python: bool) -> str:
    """The text after the cursor, as far as it is read; in Python a statement ends only where the next begins."""
    near = suffix[:_FAR_AHEAD]
    if not python:
        return near + _ENDS if len(suffix) <= _FAR_AHEAD else near  # the end of the file ends the statement
    near = _BLANK_LINES.sub("\n", near)
    return near if near.strip() else "\npass"


def _is_resolved_by(request: Request, begun: State, suffix: str) -> bool:
    """Whether some prefix of the text after the cursor leaves no name unbound."""
    state: State | None = begun
    is_below = False
    for piece in (*suffix[:_NEAR_AHEAD], *TO_WORD_END.findall(suffix[_NEAR_AHEAD:])):
        state = state.advance(piece) if state is not None else None
        if state is None:
            return False
        if all(request.bindings.unbound_name(facts) is None for facts in facts_of(state)):
            return True
        if is_below and not piece.isspace() and all(_is_over(request, facts) for facts in facts_of(state)):
            return False
        is_below = is_below or (request.python and "\n" in piece)
    return False


def _is_over(request: Request, facts: Facts) -> bool:
    """Whether, in the next line of Python, an unbound name stays unbound, as no bracket is open.

    The grammar's tables would let a list of targets continue there: `zz,` and on the next line `x = 1`.
    """
    if request.bindings.unbound_name(facts) is None:
        return False
    return not any(frame.kind in _BRACKETS for frame in frames(facts.context.frame))


def _unbound_name(request: Request, state: State, version: Version) -> str | None:
    facts = version.node.value
    if not isinstance(facts, Facts):
        return None
    bindings = request.bindings
    unbound = bindings.unbound_name(facts)
    if unbound is not None:
        return unbound
    word = unfinished_word(version, state.window)
    if word and request.may_be_reference(version.node):
        return None if bindings.is_visible(facts, word) or may_be_keyword(request, state, version, word) else word
    return None


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
    tokens = state.automaton.possible_tokens(version, state.window)
    return None if any(token != request.grammar.tables.word for token in tokens) else word
