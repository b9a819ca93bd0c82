"""The automaton's state at a cursor, found quickly.

States are cached by line, so after an edit only the lines below it are read again, not the whole file. Where the text
above the cursor does not parse there is no state: there the grammar refuses nothing. One `Entries` serves one open
document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoder.grammar.grammar import Grammar

if TYPE_CHECKING:
    from context_index.symbols import Language
    from decoder.grammar.state import State

_LINES_APART: Final = 4
"""The state of every fourth line is kept: this takes a quarter of the memory, and at most three more lines are read."""
_LINES_LOOKED_AT: Final = 12
"""So many kept line states above the cursor are searched for the start of its statement."""
_INDENTATION: Final = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """The place where a constrained text begins."""

    state: State | None
    """None where the text above does not parse: syntax and names are not constrained there."""
    earlier: State
    """A state some lines above, at the start of a statement if one begins near.

    The names rule reads `since` again from here, so that it sees the whole unfinished statement.
    """
    since: str
    """The text between the place of `earlier` and the place of the entry."""


@dataclass(frozen=True, slots=True)
class _LineState:
    """The state at the start of a line, or at the cursor."""

    offset: int
    state: State


class Entries:
    """The states of one document, by line. Not for several threads at once."""

    def __init__(self, language: Language, *, portable: bool = False) -> None:
        self._grammar = Grammar.load(language, portable=portable)
        self._statement = language.record.statement
        """A text that parses only where a statement begins."""
        self._text = ""
        """The document as it was last read; `_kept` belongs to it."""
        self._kept = [_LineState(0, self._grammar.start())]
        """By offset; the first is the start of the document."""

    def enter(self, text: str, offset: int) -> Entry:
        """The entry after `text[:offset]`."""
        self._forget_changed(text)
        known = self._kept[self._count_up_to(offset) - 1]
        state = self._read(text, offset, known)
        earlier = self._statement_start(text, offset)
        return Entry(state, earlier.state, text[earlier.offset : offset])

    def shared(self, text: str) -> int:
        """How many characters of a text are as in the one that was read last: they need not be read again."""
        return _common_prefix(self._text, text)

    def at_line(self, text: str, offset: int) -> tuple[int, State]:
        """The start of the line that has an offset, and the state there.

        Where the text above that line does not parse, both are of the nearest kept line up to which it does.
        """
        start = text.rfind("\n", 0, offset) + 1
        state = self.enter(text, start).state
        known = self._kept[self._count_up_to(start) - 1]
        return (known.offset, known.state) if state is None else (start, state)

    def readable(self, text: str) -> int:
        """How many characters of a text can be read: all, or those before the first that cannot follow."""
        if self.enter(text, len(text)).state is not None:
            return len(text)
        known = self._kept[-1]
        return known.offset + known.state.readable(text[known.offset :])

    def _statement_start(self, text: str, offset: int) -> _LineState:
        """The nearest kept line at which a statement begins; where there is none near, the farthest one searched."""
        index = self._count_up_to(offset) - 1
        farthest = max(0, index - _LINES_LOOKED_AT)
        while index > farthest and not self._begins_statement(text, self._kept[index]):
            index -= 1
        return self._kept[index]

    def _begins_statement(self, text: str, known: _LineState) -> bool:
        indentation = _INDENTATION.match(text, known.offset)
        return known.state.advance((indentation.group() if indentation else "") + self._statement) is not None

    def _forget_changed(self, text: str) -> None:
        """Drop the states of lines after the first change."""
        unchanged = _common_prefix(self._text, text)
        self._text = text
        del self._kept[self._count_up_to(unchanged) :]

    def _count_up_to(self, offset: int) -> int:
        """How many of the kept lines begin at an offset or before it."""
        return bisect_right(self._kept, offset, key=lambda known: known.offset)

    def _read(self, text: str, offset: int, known: _LineState) -> State | None:
        """Read line by line from a known state to the offset, and keep some states; None where the text is refused."""
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
        """Keep every fourth state of a trail, and the last few. The first is kept already."""
        near_the_end = len(trail) - _LINES_APART
        added = [
            known for index, known in enumerate(trail) if index and (index % _LINES_APART == 0 or index > near_the_end)
        ]
        place = self._count_up_to(trail[0].offset)
        self._kept[place:place] = added


def _common_prefix(first: str, second: str) -> int:
    """How many characters two texts share at their beginning, by bisection: comparing slices is fast."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
