"""Brackets and quotes: nothing is closed that was not opened, and nothing twice.

A bracket that the text after the cursor closes is not closed by the suggestion as well; a model that wants to is done.
"""

from __future__ import annotations

from dataclasses import dataclass

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import CLOSES, Lexical, at_cursor, left_open, scan

_MOST_BEYOND = 4
_QUOTES = "'\"`"
_CLOSERS = frozenset((*CLOSES, *_QUOTES))


@dataclass(frozen=True, slots=True)
class Balance:
    """The place in the text, and how far out the suggestion may close."""

    place: Lexical
    floor: int
    """Depth below which brackets belong to the text after the cursor."""
    ceiling: int
    """Depth to which the suggestion may come back in any case: that at the cursor, and the braces that only the text
    after the cursor closes."""
    suffix: str = ""
    """The text after the cursor, where it may close what the suggestion opens."""
    left: int = 0
    """How many brackets that text leaves open of those that are open at the cursor."""

    @classmethod
    def at(cls, prefix: str, suffix: str, *, python: bool) -> Balance:
        """The state at the end of `prefix`, `suffix` being what follows the cursor."""
        place = at_cursor(prefix, python=python)
        depth = place.depth - _ends_with_line(place)
        line, _, rest = suffix.partition("\n")
        if place.innermost.removeprefix("f") in ("'", '"') and scan(place, line)[0].depth >= place.depth:
            # a string on one line, ended by nothing: the suggestion closes it, and what follows is code
            open_after, beyond = _after(place._replace(frames=place.frames[:-1], recent=""), rest)
            return cls(place, depth - open_after - 1, depth + beyond)
        open_after, beyond = _after(place, suffix)
        if not place.in_code and open_after < place.depth:
            open_after = 0  # the string is closed further on, so nothing around it can be closed before
        return cls(place, depth - open_after, depth + beyond, suffix, left_open(place, suffix))

    def feed(self, text: str) -> Balance | Refusal:
        """Refuses closing brackets that match nothing, or that the text after the cursor holds already."""
        place = self.place
        if _CLOSERS.isdisjoint(text):  # most tokens
            return Balance(place.feed(text), self.floor, self.ceiling, self.suffix, self.left)
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
        return Balance(place, self.floor, self.ceiling, self.suffix, self.left)

    def may_stop(self) -> Refusal | None:
        """Not inside a bracket, string or comment that the suggestion itself opened and nothing below closes."""
        if self.place.depth - _ends_with_line(self.place) <= self.ceiling:
            return None
        if self.suffix and left_open(self.place, self.suffix) <= self.left:  # `f(() => {` above `});`
            return None
        return Refusal(Rule.BALANCE, self.place.frames[-1])

    def report(self) -> Report:
        """Nothing is ever left unproven here."""
        return Report()


def _after(place: Lexical, suffix: str) -> tuple[int, int]:
    """How many open brackets the text after the cursor leaves open, and how many braces it closes beyond them all."""
    braces = ("{",) * (0 if place.python else _MOST_BEYOND)
    remaining = left_open(place._replace(frames=(*braces, *place.frames)), suffix) - len(braces)
    return max(remaining, 0), max(-remaining, 0)


def _ends_with_line(place: Lexical) -> bool:
    """Whether the innermost frame is a comment that needs no closing."""
    return bool(place.frames) and place.frames[-1] in ("#", "//")
