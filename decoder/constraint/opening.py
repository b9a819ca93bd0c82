"""The brackets that the cursor's line has open at its end: those that lines below close, or none of what is open now.

Until a line has opened what is closed below, neither it nor its statement ends, so a header of several lines is not
written. What is open around these brackets, and what comes on further lines, is free.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.lexical import Lexical, at_cursor, scan


@dataclass(frozen=True, slots=True)
class Opening:
    """The place in the text, and what its line has open."""

    place: Lexical
    around: int
    """The brackets around the line: the fewest that were open since it began."""
    lowest: int
    """The fewest that were open since the cursor."""
    wanted: str | None
    """Opening brackets, outermost first, or "": what is open at the cursor is to be closed. None once it is done."""

    @classmethod
    def at(cls, prefix: str, wanted: str, *, python: bool) -> Opening:
        """The state at the end of `prefix`."""
        start = prefix.rfind("\n") + 1
        place, around = scan(at_cursor(prefix[:start], python=python), prefix[start:])
        is_free = wanted == "" and place.depth <= around
        return cls(place, around, place.depth, None if is_free else wanted)

    def advance(self, text: str) -> Opening | Refusal:
        """Refuses the end of a line that has not opened what it should, and of a statement on it."""
        if self.wanted is None:
            return self
        if text.isidentifier() and self.place.in_code:  # most tokens
            return replace(self, place=self.place.advance(text))
        state = self
        for character in text:
            place = state.place.step(character)
            state = replace(
                state, place=place, around=min(state.around, place.depth), lowest=min(state.lowest, place.depth)
            )
            if self.wanted == "":
                is_settled = state._is_right
            else:
                is_settled = place.in_code and (character == "\n" or (character == ";" and not state._opened))
                if is_settled and not state._is_right:
                    return Refusal(Rule.OPENING, self.wanted)
            if is_settled:
                return replace(state, wanted=None)
        return state

    @property
    def _is_right(self) -> bool:
        """Whether the line may end as it is."""
        return self.lowest <= self.around if self.wanted == "" else self._opened.endswith(self.wanted or "")

    @property
    def _opened(self) -> str:
        """The brackets that the line has open; quotes do not count."""
        frames = self.place.frames[self.around :]
        return "".join(frame[-1] for frame in frames if frame[-1] in "([{" and frame != "/[")

    def may_stop(self) -> Refusal | None:
        """Where the line leaves open what it should."""
        return None if self._is_right else Refusal(Rule.OPENING, self.wanted or self._opened)

    def report(self) -> Report:
        """Nothing: brackets are counted, not guessed."""
        return Report()
