"""Brackets and quotes: nothing is closed that was not opened, and nothing twice.

A bracket that the text after the cursor closes is not closed by the suggestion as well; a model that wants to is done.
"""

from __future__ import annotations

from dataclasses import dataclass

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import CLOSES, Lexical, at_cursor, left_open


@dataclass(frozen=True, slots=True)
class Balance:
    """The place in the text, and how far out the suggestion may close."""

    place: Lexical
    floor: int
    """Depth below which brackets belong to the text after the cursor."""
    depth: int
    """Depth at the cursor: the suggestion must come back to it, or go below."""

    @classmethod
    def at(cls, prefix: str, suffix: str, *, python: bool) -> Balance:
        """The state at the end of `prefix`, `suffix` being what follows the cursor."""
        place = at_cursor(prefix, python=python)
        depth = place.depth - _ends_with_line(place)
        return cls(place, depth - left_open(place, suffix), depth)

    def feed(self, text: str) -> Balance | Refusal:
        """Refuses closing brackets that match nothing, or that the text after the cursor holds already."""
        place = self.place
        for character in text:
            if character in CLOSES and place.in_code:
                if place.innermost[-1:] != CLOSES[character]:
                    return Refusal(Rule.BALANCE, character)
                if place.depth <= self.floor:
                    return Refusal(Rule.BALANCE, character, supplied=True)
            after = place.step(character)
            closes_string = after.depth < place.depth and character in "'\"`"
            if closes_string and after.depth < self.floor:
                return Refusal(Rule.BALANCE, character, supplied=True)
            place = after
        return Balance(place, self.floor, self.depth)

    def may_stop(self) -> Refusal | None:
        """Not inside a bracket, string or comment that the suggestion itself opened."""
        if self.place.depth - _ends_with_line(self.place) > self.depth:
            return Refusal(Rule.BALANCE, self.place.frames[-1])
        return None

    def report(self) -> Report:
        """Nothing is ever left unproven here."""
        return Report()


def _ends_with_line(place: Lexical) -> bool:
    """Whether the innermost frame is a comment that needs no closing."""
    return bool(place.frames) and place.frames[-1] in ("#", "//")
