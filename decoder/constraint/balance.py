"""The rule for brackets and quotes that the text after the cursor closes: a suggestion does not close them again.

A bracket that the suggestion opens may be closed by the suggestion or by the text after it, so `{` may end a line above
an existing block. A closing sign that closes nothing is refused by the grammar, not here. A bracket that is left open
is judged by the verifier.
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
    """The state of the rule after a text."""

    place: Lexical
    """What is open at the end of the text."""
    floor: int
    """How many brackets and quotes must stay open, since the text after the cursor closes so many."""

    @classmethod
    def at(cls, prefix: str, suffix: str, *, language: Language) -> Balance:
        """The state at the cursor, between the texts `prefix` and `suffix`."""
        place = at_cursor(prefix, language=language)
        suffix = suffix[:_LOOKED_AT]
        if place.in_code:
            return cls(place, _closed_count(place, suffix))
        line, _, rest = suffix.partition("\n")
        if place.string is not None and not place.string.has_lines and scan(place, line)[0].depth >= place.depth:
            # the suggestion ends the string, as nothing else on its line does
            outside = place._replace(frames=place.frames[:-1], recent="")
            return cls(place, _closed_count(outside, "\n" + rest))
        is_closed = place.string is not None and scan(place, suffix)[1] < place.depth
        return cls(place, place.depth if is_closed else 0)

    def advance(self, text: str) -> Balance | Refusal:
        """The state after the text; a refusal where it closes what the text after the cursor closes already."""
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
        """None: a suggestion may end anywhere, as the verifier judges the whole file."""

    def report(self) -> Report:
        """An empty report: brackets are counted, not guessed."""
        return Report()


def _closed_count(place: Lexical, suffix: str) -> int:
    """How many brackets the text after a place in code closes; 0 unless its first lines close one.

    The first lines are the rest of the cursor's line, and lines below it that begin with a closing bracket or are
    blank. A line further down that closes a bracket may as well close one that the suggestion opens.
    """
    first, *others = suffix.split("\n")
    near = [first]
    for line in others:
        if line.strip() and line.lstrip()[0] not in CLOSES:
            break
        near.append(line)
    closes = scan(place, "\n".join(near))[1] < place.depth
    return place.depth - scan(place, suffix)[1] if closes else 0
