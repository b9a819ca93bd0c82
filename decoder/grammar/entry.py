"""The automaton's state at a cursor, found quickly, in broken files too.

States are cached by line, so an edit costs reading the lines after it, not the file. Where the text above the cursor
does not parse, `repair` finds a way past the error, and the entry reports it. One object serves one open document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import tree_sitter

from decoder.grammar import pinned
from decoder.grammar.engine import Grammar
from decoder.grammar.repair import HORIZON, LINES_BACK, Repair, find_repair
from decoder.grammar.whole import LatestTree, Surroundings, common_prefix

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.state import State

_LINES_APART: Final = 4
"""Keeping every fourth line's state costs a quarter of the memory, and reading three lines at most."""
_MOST_REPAIRS: Final = 24
"""Beyond so many faults above the cursor, a text is taken for another language's."""


_LINES_LOOKED_AT: Final = 12
"""Remembered lines above the cursor in which the start of its statement is looked for."""

_INDENTATION: Final = re.compile(r"[ \t]*")


class EntryKind(StrEnum):
    """How the automaton got to the cursor."""

    WHOLE = "whole"
    """All text above the cursor parses."""
    REPAIRED = "repaired"
    """Faults above the cursor were read past; `Entry.repairs` says where and how."""
    NONE = "none"
    """No state could be had: syntax is not constrained here."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a constrained text begins."""

    kind: EntryKind
    state: State | None
    surroundings: Surroundings
    """What the finished text must fit into."""
    repairs: tuple[Repair, ...] = ()
    reread: int = 0
    """Characters that had to be read; the states of the rest were cached."""
    earlier: State | None = None
    """The state some lines above, at the start of a statement if one begins near, from which to read `since` again."""
    since: str = ""
    """The text between `earlier` and the place of the entry."""


@dataclass(frozen=True, slots=True)
class _LineState:
    """The state at the start of a line."""

    offset: int
    state: State
    depends_on: int
    """The end of the text that the state depends on; beyond `offset` after a repair."""
    repairs: tuple[Repair, ...]


class Entries:
    """The states of one document, by line. Not for several threads at once."""

    def __init__(self, language: Language, *, portable: bool = False) -> None:
        self._grammar = Grammar.load(language, portable=portable)
        self._latest = LatestTree(tree_sitter.Parser(tree_sitter.Language(pinned.capsule(language))))
        self._statement = "pass\n" if language.is_python else "throw x;"
        """What can be only where a statement begins."""
        self._text = ""
        self._known = [_LineState(0, self._grammar.start(), 0, ())]

    def enter(self, text: str, offset: int, cursor: int | None = None, *, known_faults: int | None = None) -> Entry:
        """The state after text[:offset], to write what replaces text[offset:cursor]: nothing, or a half-typed word.

        Args:
            known_faults: The number of ERROR and MISSING nodes of the text, if it is known.
        """
        self._forget_changed(text)
        known = self._nearest(offset)
        cursor = offset if cursor is None else cursor
        parts = (text[:offset], text[cursor:], text[offset:cursor])
        reached = self._read(text, offset, known)
        if reached is None:
            unread = Surroundings(self._latest, *parts, known_faults)
            return Entry(EntryKind.NONE, None, unread, reread=offset - known.offset)
        kind = EntryKind.REPAIRED if reached.repairs else EntryKind.WHOLE
        surroundings = Surroundings(self._latest, *parts, known_faults, reached.state)
        earlier = self._statement_start(text, offset)
        since = text[earlier.offset : offset]
        return Entry(kind, reached.state, surroundings, reached.repairs, offset - known.offset, earlier.state, since)

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
        self._known = [known for known in self._known if known.depends_on <= same]

    def _nearest(self, offset: int) -> _LineState:
        index = bisect_right(self._known, offset, key=lambda known: known.offset) - 1
        while self._known[index].depends_on > offset:  # a repair that looked beyond the cursor
            index -= 1
        return self._known[index]

    def _read(self, text: str, offset: int, known: _LineState) -> _LineState | None:
        """Read line by line from a known state to the cursor, repairing what does not parse."""
        trail = [known]
        while known.offset < offset:
            end = text.find("\n", known.offset, offset) + 1 or offset
            state = known.state.advance(text[known.offset : end])
            if state is not None:
                known = _LineState(end, state, max(end, known.depends_on), known.repairs)
            elif len(trail) < LINES_BACK and trail[0].offset > 0:
                return self._read(text, offset, self._earlier(trail[0]))
            else:
                past = _repair(text, offset, known, trail)
                if past is None:
                    return None
                known = past
            if text[known.offset - 1 : known.offset] == "\n":
                trail.append(known)
        self._keep(trail)
        return known

    def _earlier(self, known: _LineState) -> _LineState:
        """A state some lines above, so that a repair sees the same lines whatever was remembered."""
        return self._known[max(0, self._known.index(known) - LINES_BACK)]

    def _keep(self, trail: list[_LineState]) -> None:
        merged = {known.offset: known for known in self._known}
        near_the_end = len(trail) - _LINES_APART
        for number, known in enumerate(trail):
            if number % _LINES_APART == 0 or number > near_the_end:
                merged[known.offset] = known
        self._known = [merged[offset] for offset in sorted(merged)]


def _repair(text: str, offset: int, known: _LineState, trail: list[_LineState]) -> _LineState | None:
    """The state on the far side of what is not accepted after `known`."""
    if len(known.repairs) >= _MOST_REPAIRS:
        return None
    fault = _first_refused(known.state, text, known.offset, offset)
    found = find_repair(text, fault, offset, [(line.offset, line.state) for line in trail[-LINES_BACK:]])
    if found is None:
        return None
    depends_on = max(min(fault + HORIZON, len(text)), known.depends_on)
    return _LineState(found.offset, found.state, depends_on, (*known.repairs, found.repair))


def _first_refused(state: State, text: str, start: int, end: int) -> int:
    """The offset of the character that no reading survives."""
    for at in range(start, end):
        following = state.advance(text[at])
        if following is None:
            return at
        state = following
    return end
