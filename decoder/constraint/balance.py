"""Brackets and quotes: a text closes only what is open, and each only once.

A suggestion does not close a bracket that the text after the cursor closes; where the model would, the suggestion
ends. A bracket that the suggestion opens may be closed by either, so `{` may end a line above an existing block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from context_index.symbols import CLOSES
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import LOOKED_AT, Lexical, at_cursor, left_open, scan

_FARTHEST = 40_000
"""Characters of the text after the cursor that are read if a bracket is closed nearby, but perhaps by the bracket that
closes an enclosing one: the end of a long class is far below."""
_QUOTES = "'\"`"
_CLOSERS = frozenset((*CLOSES, *_QUOTES))


@dataclass(frozen=True)  # no slots, because of the cached properties
class Cursor:
    """The place at the cursor, and the text after it."""

    place: Lexical
    after: str

    @cached_property
    def depth(self) -> int:
        """The number of open brackets and strings."""
        return self.place.depth - _ends_with_line(self.place)

    def is_closed(self, place: Lexical) -> bool:
        """Whether the text after the cursor leaves no more open after `place` than it does at the cursor.

        Only if the cursor is in code: the end of a string or a comment closes nothing that was opened in it.
        """
        if not self.place.in_code:
            return False
        near = left_open(place, self.after)
        if near <= self._left_near or near > self.depth or len(self.after) <= LOOKED_AT:
            return near <= self._left_near
        return left_open(place, self.after, _FARTHEST) <= self._left_far

    @cached_property
    def _left_near(self) -> int:
        return left_open(self.place, self.after)

    @cached_property
    def _left_far(self) -> int:
        return left_open(self.place, self.after, _FARTHEST)


@dataclass(frozen=True, slots=True)
class Balance:
    """The place in the text, and how far out the suggestion may close."""

    place: Lexical
    floor: int
    """Depth below which brackets belong to the text after the cursor."""
    cursor: Cursor

    @classmethod
    def at(cls, prefix: str, suffix: str, *, python: bool) -> Balance:
        """The state at the end of `prefix`, `suffix` being what follows the cursor."""
        place = at_cursor(prefix, python=python)
        cursor = Cursor(place, suffix)
        line, _, rest = suffix.partition("\n")
        if place.innermost.removeprefix("f") in ("'", '"') and scan(place, line)[0].depth >= place.depth:
            # a string of one line without an end: the suggestion closes it, and code follows
            open_after = left_open(place._replace(frames=place.frames[:-1], recent=""), rest)
            return cls(place, cursor.depth - open_after - 1, cursor)
        open_after = left_open(place, suffix)
        if not place.in_code and open_after < place.depth:
            open_after = 0  # the string is closed further on, so nothing around it can be closed before
        return cls(place, cursor.depth - open_after, cursor)

    def advance(self, text: str) -> Balance | Refusal:
        """Refuses closing brackets that match nothing, or that the text after the cursor holds already."""
        place = self.place
        if _CLOSERS.isdisjoint(text):  # most tokens
            return Balance(place.advance(text), self.floor, self.cursor)
        for character in text:
            if character in CLOSES and place.in_code:
                if place.innermost[-1:] != CLOSES[character]:
                    return Refusal(Rule.BALANCE, character)
                if place.depth <= self.floor:
                    return Refusal(Rule.BALANCE, character, supplied=True)
            after = place.step(character)
            closes_string = after.depth < place.depth and character in _QUOTES
            if closes_string and after.depth < self.floor:
                return Refusal(Rule.BALANCE, character, supplied=True)
            place = after
        return Balance(place, self.floor, self.cursor)

    def may_stop(self) -> Refusal | None:
        """Not inside a string that the suggestion itself opened, nor a bracket or comment that nothing closes."""
        place, cursor = self.place, self.cursor
        is_own_string = cursor.place.in_code and not place.in_code and place.innermost[-1:] in _QUOTES
        is_deeper = place.depth - _ends_with_line(place) > cursor.depth
        if is_own_string or (is_deeper and not cursor.is_closed(place)):
            return Refusal(Rule.BALANCE, place.frames[-1])
        return None

    def report(self) -> Report:
        """Nothing is ever left unproven here."""
        return Report()


def _ends_with_line(place: Lexical) -> bool:
    """Whether the innermost frame is a comment that needs no closing."""
    return bool(place.frames) and place.frames[-1] in ("#", "//")
