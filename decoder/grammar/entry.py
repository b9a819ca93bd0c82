"""The automaton's state at a cursor, found quickly.

States are cached by line, so an edit costs reading the lines after it, not the file. Where the text above the cursor
does not parse there is no state: what is written there is judged when it is finished. One object serves one open
document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import tree_sitter

from decoder.grammar import pinned
from decoder.grammar.engine import Grammar
from decoder.grammar.whole_file import LatestTree, Surroundings, common_prefix

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.state import State

_LINES_APART: Final = 4
"""Keeping every fourth line's state costs a quarter of the memory, and reading three lines at most."""
_LINES_LOOKED_AT: Final = 12
"""Remembered lines above the cursor in which the start of its statement is looked for."""
_INDENTATION: Final = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a constrained text begins."""

    state: State | None
    """None where the text above does not parse: syntax and names are not constrained there."""
    surroundings: Surroundings
    """What the finished text must fit into."""
    reread: int
    """Characters that had to be read; the states of the rest were cached."""
    earlier: State
    """The state some lines above, at the start of a statement if one begins near, from which to read `since` again."""
    since: str
    """The text between `earlier` and the place of the entry."""


@dataclass(frozen=True, slots=True)
class _LineState:
    """The state at the start of a line."""

    offset: int
    state: State


class Entries:
    """The states of one document, by line. Not for several threads at once."""

    def __init__(self, language: Language, *, portable: bool = False) -> None:
        self._grammar = Grammar.load(language, portable=portable)
        self._latest = LatestTree(tree_sitter.Parser(tree_sitter.Language(pinned.capsule(language))))
        self._statement = "pass\n" if language.is_python else "throw x;"
        """What can be only where a statement begins."""
        self._text = ""
        self._known = [_LineState(0, self._grammar.start())]

    def enter(self, text: str, offset: int, cursor: int | None = None, *, known_faults: int | None = None) -> Entry:
        """The state after text[:offset], to write what replaces text[offset:cursor]: nothing, or a half-typed word.

        Args:
            known_faults: The number of ERROR and MISSING nodes of the text, if it is known.
        """
        self._forget_changed(text)
        known = self._nearest(offset)
        cursor = offset if cursor is None else cursor
        state = self._read(text, offset, known)
        surroundings = Surroundings(self._latest, text[:offset], text[cursor:], text[offset:cursor], known_faults)
        earlier = self._statement_start(text, offset)
        return Entry(state, surroundings, offset - known.offset, earlier.state, text[earlier.offset : offset])

    def _statement_start(self, text: str, offset: int) -> _LineState:
        """A remembered line above at which a statement begins; where none is near, the farthest that was looked at."""
        index = bisect_right(self._known, offset, key=lambda known: known.offset) - 1
        farthest = max(0, index - _LINES_LOOKED_AT)
        while index > farthest and not self._begins_statement(text, self._known[index]):
            index -= 1
        return self._known[index]

    def _begins_statement(self, text: str, known: _LineState) -> bool:
        indentation = _INDENTATION.match(text, known.offset)
        return known.state.advance((indentation.group() if indentation else "") + self._statement) is not None

    def _forget_changed(self, text: str) -> None:
        """Drop states that depend on text that has changed."""
        same = common_prefix(self._text, text)
        self._text = text
        self._known = [known for known in self._known if known.offset <= same]

    def _nearest(self, offset: int) -> _LineState:
        return self._known[bisect_right(self._known, offset, key=lambda known: known.offset) - 1]

    def _read(self, text: str, offset: int, known: _LineState) -> State | None:
        """Read line by line from a known state to the cursor; None at a fault."""
        trail = [known]
        state: State | None = known.state
        while known.offset < offset and state is not None:
            end = text.find("\n", known.offset, offset) + 1 or offset
            state = known.state.advance(text[known.offset : end])
            if state is not None:
                known = _LineState(end, state)
                if text[end - 1 : end] == "\n":
                    trail.append(known)
        self._keep(trail)
        return state

    def _keep(self, trail: list[_LineState]) -> None:
        merged = {known.offset: known for known in self._known}
        near_the_end = len(trail) - _LINES_APART
        for number, known in enumerate(trail):
            if number % _LINES_APART == 0 or number > near_the_end:
                merged[known.offset] = known
        self._known = [merged[offset] for offset in sorted(merged)]
