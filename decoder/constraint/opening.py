"""The rule for brackets that a line below closes and nothing opens: the cursor's line must open them for it.

Until it has, neither the line nor its statement may end, so a header over several lines is not written. The line may
leave other brackets open around these. Further lines are free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from context_index.symbols import Language
from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor, scan


@dataclass(frozen=True, slots=True)
class Opening:
    """The state of the rule after a text."""

    place: Lexical
    """What is open at the end of the text."""
    around: int
    """How many brackets are open around the line: the fewest that were open at any of its places."""
    wanted: str
    """The brackets to open, outermost first; empty once a line has ended that leaves them open."""

    @classmethod
    def at(cls, prefix: str, wanted: str, *, language: Language) -> Opening:
        """The state at the end of `prefix`, whose last line has to open the brackets `wanted`, outermost first."""
        start = prefix.rfind("\n") + 1
        place, around = scan(at_cursor(prefix[:start], language=language), prefix[start:])
        return cls(place, around, wanted)

    def advance(self, text: str) -> Opening | Refusal:
        """The state after the text; a refusal where the line or a statement on it ends without the wanted brackets."""
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
        """The brackets that the line has opened and not closed, outermost first; quotes do not count."""
        frames = self.place.frames[self.around :]
        return "".join(frame[-1] for frame in frames if frame[-1] in "([{" and frame != "/[")

    def may_stop(self) -> Refusal | None:
        """None where the line, as it is, leaves the wanted brackets open."""
        return None if self._opened.endswith(self.wanted) else Refusal(Rule.OPENING, self.wanted)

    def report(self) -> Report:
        """An empty report: brackets are counted, not guessed."""
        return Report()
