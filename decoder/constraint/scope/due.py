"""The names of which one must stand at the end of a text, where nothing but a name or a keyword may: for masks.

Where an identifier may also be a new one (`zz` in `f(zz` becomes a parameter with `=>`), no name is due: what makes it
new comes later, and then it is the guard that refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoder.constraint.keywords import STRING_PREFIXES
from decoder.constraint.scope.facts import Facts, FrameKind
from decoder.grammar.version import Version
from decoder.grammar.words import unfinished_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.constraint.scope.request import Request
    from decoder.grammar.state import State

_PROBE: Final = "qz"
"""Whatever is unfinished at the end, and no word, ends before it."""
_STRING_OPENINGS: Final = frozenset(
    spelled + quote
    for prefix in STRING_PREFIXES
    for spelled in (prefix, prefix.upper(), prefix.capitalize(), prefix[0] + prefix[1:].upper())
    for quote in "'\""
)


def due(request: Request, state: State) -> tuple[str, frozenset[str]] | None:
    """What has been written of a name, and the names and keywords of which it must be one; None where it may be new."""
    if not request.bindings.knows_all:
        return None
    probe = _PROBE
    while request.bindings.is_declared(probe):  # nothing must depend on how the probe is spelled
        probe += "_"
    probed = state.feed(probe)
    if probed is None:
        return None
    words, names = set[str](), set[str]()
    for version in probed.versions:
        written = unfinished_word(version, probed.window)
        facts = version.node.value
        space = request.only_references(version.node)
        if written is None or not written.endswith(probe) or space is None or not isinstance(facts, Facts):
            return None
        frame = facts.context.frame
        if frame.kind is FrameKind.GENERICS or (request.python and request.bindings.may_comprehend(frame)):
            return None
        words.add(written.removesuffix(probe))
        names.update(request.bindings.usable(facts, space))
        names.update(_keywords(version, probed))
    word = words.pop()
    if words or (request.python and word.lower() in STRING_PREFIXES):
        return None
    names.add(word)  # whether it may end here, the guard says when it does
    return word, frozenset(names | _STRING_OPENINGS if request.python else names)


def _keywords(version: Version, state: State) -> Iterator[str]:
    """The words other than identifiers that may stand where a version's unfinished word begins."""
    automaton, window = state.automaton, state.window
    before = Version(version.node, len(window.text), version.saved)
    names = automaton.tables.names
    for token in automaton.possible_tokens(before, window):
        if token != automaton.tables.word and names[token][:1].isalpha():
            yield names[token]
