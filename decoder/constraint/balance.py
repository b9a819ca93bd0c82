"""Brackets and quotes that the text after the cursor closes: a suggestion does not close them again, it ends there.

A bracket that the suggestion opens may be closed by either, so `{` may end a line above an existing block. What closes
nothing is the grammar's matter, what is left open the verifier's.
"""

from __future__ import annotations

from dataclasses import dataclass

from context_index.symbols import CLOSES, Language
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor, scan

_LOOKED_AT = 4_000
"""Characters of the text after the cursor that are read."""
_QUOTES = "'\"`"
_CLOSERS = frozenset((*CLOSES, *_QUOTES))


@dataclass(frozen=True, slots=True)
class Balance:
    """The place in the text, and how far out the suggestion may close."""

    place: Lexical
    floor: int
    """Depth below which brackets belong to the text after the cursor."""

    @classmethod
    def at(cls, prefix: str, suffix: str, *, language: Language) -> Balance:
        """The state at the end of `prefix`, `suffix` being what follows the cursor."""
        place = at_cursor(prefix, language=language)
        suffix = suffix[:_LOOKED_AT]
        if place.in_code:
            return cls(place, _closed(place, suffix))
        line, _, rest = suffix.partition("\n")
        if place.string is not None and not place.string.has_lines and scan(place, line)[0].depth >= place.depth:
            around = place._replace(frames=place.frames[:-1], recent="")
            return cls(place, _closed(around, "\n" + rest))  # nothing ends the string on its line: the suggestion does
        is_closed = place.string is not None and scan(place, suffix)[1] < place.depth
        return cls(place, place.depth if is_closed else 0)

    def advance(self, text: str) -> Balance | Refusal:
        """Refuses to close what the text after the cursor closes already."""
        place = self.place
        if _CLOSERS.isdisjoint(text):  # most tokens
            return Balance(place.advance(text), self.floor)
        for character in text:
            after = place.step(character)
            closes = after.depth < place.depth and character in _CLOSERS
            if closes and after.depth < self.floor:
                return Refusal(Rule.BALANCE, character)
            place = after
        return Balance(place, self.floor)

    def may_stop(self) -> None:
        """Anywhere: the verifier judges the whole file."""

    def report(self) -> Report:
        """Nothing: brackets are counted, not guessed."""
        return Report()


def _closed(place: Lexical, suffix: str) -> int:
    """How many brackets the text after a place in code closes; none if it does not begin with that.

    A line further down that closes one may as well close what the suggestion opens.
    """
    first, *others = suffix.split("\n")
    near = [first]
    for line in others:
        if line.strip() and line.lstrip()[0] not in CLOSES:
            break
        near.append(line)
    closes = scan(place, "\n".join(near))[1] < place.depth
    return place.depth - scan(place, suffix)[1] if closes else 0
