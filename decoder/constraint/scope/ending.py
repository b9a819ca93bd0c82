"""Whether a text may end where it does, as far as names go: what the text below would still have to make right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoder.constraint.scope.facts import TYPE, Facts, FrameKind, Kind, chain, frames
from decoder.constraint.scope.request import Request, facts_of, open_names
from decoder.constraint.scope.uses import REFERENCES
from decoder.grammar.state import State
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from decoder.grammar.version import Version

TO_WORD_END: Final = re.compile(r"[^\w$]?[\w$]+|[^\w$]")
"""The pieces of a text, a word each or a sign."""
_BRACKETS: Final = frozenset(
    {FrameKind.BRACKET, FrameKind.COMPREHENSION, FrameKind.CLAUSES, FrameKind.GENERICS, FrameKind.HEAD}
)
_BLANK_LINES: Final = re.compile(r"\A(?:[^\S\n]*(?:#[^\n]*)?\n)+")
_GOES_ON_IN_LIST: Final = re.compile(r"\s*[,}]")
_NEAR_AHEAD: Final = 80
_FAR_AHEAD: Final = 2_000
"""Characters in which a list of exports that ends with `from` may end."""
_ENDS: Final = "\n;"
_CLOSED: Final = re.compile(r"[^\S\n]*[)\]}]+[^\S\n]*(?=\n|\Z)")
"""What an editor closes after a cursor at the end of a line."""
_VALUE: Final = " = null;\n"
"""What nobody has written yet after a pattern that declares names."""
_ENDS_PARAMETERS: Final = ") {\n}\n"
"""What nobody has written yet after parameters at the end of a line."""


def unmet(request: Request, state: State, suffix: str) -> str | None:
    """A name that is not right yet, unless the text after makes it so; None where the text may end."""
    unseen = [_unseen(request, state, version) for version in state.versions]
    if None in unseen:
        return None
    bindings, automaton = request.bindings, request.automaton
    names = frozenset(name for name in unseen if name is not None)
    bindings.judged = names | {unfinished(state)}  # which may be a value that nobody knows
    automaton.forget()
    try:
        following = _following(suffix, python=request.python)
        made_right = _is_made_right(request, state, following, _only_types(request, state, names))
        if not made_right and not request.python and (rest := _unwritten(suffix)):
            body = state.advance(rest)
            made_right = body is not None and all(bindings.unseen(facts) is None for facts in facts_of(body))
    finally:
        bindings.judged = None
        automaton.forget()
    return None if made_right else unseen[0]


def redeclared(request: Request, state: State, suffix: str) -> str | None:
    """A name that the scope has already, declared again by a statement that only the text after ends.

    `const { a } = b` may still become something else than a declaration of `a`, until it is over.
    """
    if request.python:
        return None
    bindings, automaton = request.bindings, request.automaton
    undecided, own = {*open_names(state), unfinished(state)}, _declared(state)
    names = frozenset(name for name in undecided if name in own or bindings.has_declared(name))
    if not names:
        return None
    bindings.judged, bindings.refused = names, ""
    automaton.forget()
    try:
        found = _refused_in(request, state, suffix.partition("\n")[0][:_NEAR_AHEAD] + "\n;", names)
        if found is None and (rest := _unwritten(suffix)):
            return _refused_in(request, state, rest, names)
        return found
    finally:
        bindings.judged = None
        automaton.forget()


def ends_name(suffix: str) -> bool:
    """Whether a list goes on or is over with the text after, so that what stands before it is a name as it is."""
    return _GOES_ON_IN_LIST.match(suffix) is not None


def unfinished(state: State) -> str:
    """The identifier that is unfinished at the end."""
    words = (unfinished_word(version, state.window) for version in state.versions)
    return next((word for word in words if word), "")


def may_be_keyword(request: Request, state: State, version: Version, word: str) -> bool:
    """Whether a complete word may stand there as a keyword alone; elsewhere tree-sitter takes it for a name."""
    names, soft = request.grammar.tables.names, request.uses.soft
    tokens = state.automaton.possible_tokens(version, state.window)
    return word.isalpha() and any(names[token] == word and token not in soft for token in tokens)


def _refused_in(request: Request, begun: State, following: str, names: frozenset[str]) -> str | None:
    """The one of some names because of which a text cannot follow, though it parses."""
    bindings, state = request.bindings, begun
    for place, character in enumerate(following, start=1):
        after = state.advance(character)
        if after is None:
            parses = State(request.plain, begun.versions, begun.window).advance(following[:place]) is not None
            return bindings.refused if parses and bindings.refused in names else None
        state = after
        if not names & open_names(state) and character.isspace():
            return None
    return None


def _unwritten(suffix: str) -> str:
    """What somebody would write next at the end of a line, in front of the text after; after what an editor closed."""
    closed = _CLOSED.match(suffix)
    if closed is not None:
        return closed[0].rstrip() + _VALUE
    return "" if suffix.partition("\n")[0].strip() else _ENDS_PARAMETERS


def _following(suffix: str, *, python: bool) -> str:
    """The text after, as far as it is read; in Python a line ends only where something begins in another."""
    near = suffix[:_FAR_AHEAD]
    if not python:
        return near + _ENDS if len(suffix) <= _FAR_AHEAD else near  # the end of the text ends what stands there
    near = _BLANK_LINES.sub("\n", near)
    return near if near.strip() else "\npass"


def _declared(state: State) -> frozenset[str]:
    """What the scopes that are open on some reading have got by now."""
    found = set[str]()
    for facts in facts_of(state):
        for frame in frames(facts.context.frame):
            found.update(bound.name for bound in chain(frame.names) if bound.kind is not Kind.OWN)
    return frozenset(found)


def _only_types(request: Request, state: State, names: frozenset[str]) -> frozenset[str]:
    """Those of some names that are visible as types, whatever they may be needed as."""
    sees = request.bindings.sees
    return frozenset(name for name in names for facts in facts_of(state) if sees(facts, name, TYPE))


def _is_made_right(request: Request, begun: State, suffix: str, undecided: frozenset[str]) -> bool:
    """Whether no name is unseen once the text after has begun, and the use of some is decided."""
    state: State | None = begun
    is_below = False
    for piece in (*suffix[:_NEAR_AHEAD], *TO_WORD_END.findall(suffix[_NEAR_AHEAD:])):
        state = state.advance(piece) if state is not None else None
        if state is None:
            return False
        if undecided and undecided & open_names(state):
            continue
        if all(request.bindings.unseen(facts) is None for facts in facts_of(state)):
            return True
        if is_below and not piece.isspace() and all(_is_over(request, facts) for facts in facts_of(state)):
            return False
        is_below = is_below or (request.python and "\n" in piece)
    return False


def _is_over(request: Request, facts: Facts) -> bool:
    """In Python, in the next line: whether a name is unseen that nothing there makes right, there being no bracket.

    The tables let a list of targets go on there: `zz,` and on the next line `x = 1`.
    """
    if request.bindings.unseen(facts) is None:
        return False
    return not any(frame.kind in _BRACKETS for frame in frames(facts.context.frame))


def _unseen(request: Request, state: State, version: Version) -> str | None:
    facts = version.node.value
    if not isinstance(facts, Facts):
        return None
    bindings = request.bindings
    unseen = bindings.unseen(facts)
    if unseen is not None:
        return unseen
    word = unfinished_word(version, state.window)
    if word and request.possible(version.node) & REFERENCES:
        space = request.reference_space(version.node)
        return None if bindings.sees(facts, word, space) or may_be_keyword(request, state, version, word) else word
    return None
