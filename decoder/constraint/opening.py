"""Brackets that a line below closes and nothing opens: the cursor's line has to leave them open.

Until it does, neither the line nor its statement ends, so a header of several lines is not written. What is open around
these brackets, and what comes on further lines, is free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from context_index.symbols import Language
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor, scan


@dataclass(frozen=True, slots=True)
class Opening:
    """The place in the text, and what its line has open."""

    place: Lexical
    around: int
    """The brackets around the line: the fewest that were open since it began."""
    wanted: str
    """Opening brackets, outermost first; empty once a line has left them open."""

    @classmethod
    def at(cls, prefix: str, wanted: str, *, language: Language) -> Opening:
        """The state at the end of `prefix`."""
        start = prefix.rfind("\n") + 1
        place, around = scan(at_cursor(prefix[:start], language=language), prefix[start:])
        return cls(place, around, wanted)

    def advance(self, text: str) -> Opening | Refusal:
        """Refuses the end of a line that has not opened them, and of a statement on it."""
        if not self.wanted:
            return self
        if text.isidentifier() and self.place.in_code:  # most tokens
            return replace(self, place=self.place.advance(text))
        state = self
        for character in text:
            place = state.place.step(character)
            state = replace(state, place=place, around=min(state.around, place.depth))
            if place.in_code and (character == "\n" or (character == ";" and not state._opened)):
                if not state._opened.endswith(self.wanted):
                    return Refusal(Rule.OPENING, self.wanted)
                return replace(state, wanted="")
        return state

    @property
    def _opened(self) -> str:
        """The brackets that the line has open; quotes do not count."""
        frames = self.place.frames[self.around :]
        return "".join(frame[-1] for frame in frames if frame[-1] in "([{" and frame != "/[")

    def may_stop(self) -> Refusal | None:
        """Where the line leaves them open."""
        return None if self._opened.endswith(self.wanted) else Refusal(Rule.OPENING, self.wanted)

    def report(self) -> Report:
        """Nothing: brackets are counted, not guessed."""
        return Report()
