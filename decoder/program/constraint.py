"""A program as a constraint: an immutable state that is asked whether a text may come next (`ProgramConstraint`).

A state has all `readings`, the ways in which the program may have meant the text so far. To go back is to use an
earlier state. Tokens are counted by `after_token`, apart from the text, so it does not matter in which portions a text
comes. `limits` says what happens where a part has no tokens left.

`Program.constraint` makes the first state, and `generation` puts it into the `ConstraintState` of the program's text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from decoder.constraint import protocol
from decoder.constraint.protocol import ChecksPartialCharacters, CountsTokens, Refusal, Report
from decoder.errors import ProgramError
from decoder.program.limits import WHOLE, above, counted, exhausted_limit, without_longer_ways
from decoder.program.pattern import End, Limited, PatternFacts
from decoder.program.readings import Following, Reading, Stack, begins, resume_all, settled, stepped


@dataclass(frozen=True, slots=True)
class ProgramConstraint(ChecksPartialCharacters, CountsTokens):
    """All ways in which a program may have meant the text so far."""

    readings: tuple[Reading, ...]
    following: Following
    text: str = ""
    """The text so far."""
    ending: int | None = None
    """The offset from which parts that have no tokens left are brought to their end; None while there is no such part.

    It is where the last token ended, or one after that if the token began a character: any way may complete it.
    """

    @classmethod
    def of(cls, following: Following, prefix: str = "") -> ProgramConstraint:
        """The state before the first character.

        Args:
            prefix: Text that is written before the program's.

        Raises:
            ProgramError: the program allows no text at all.
        """
        first = following((), None)
        stack: Stack = None if first is None else (first, None)
        begun = settled([Reading(stack, PatternFacts())], "")
        if not begun:
            raise ProgramError("the program allows no text at all")
        return cls((Reading((prefix, stack), PatternFacts()),) if prefix else begun, following)

    def limited(self, tokens: int) -> ProgramConstraint:
        """The state with a limit: after so many more tokens, the text is brought to its end in the shortest way."""
        end = End(WHOLE, Limited("", tokens), tokens)
        readings = settled([replace(reading, stack=above(reading.stack, end)) for reading in self.readings], self.text)
        return replace(self, readings=readings, ending=self.ending if tokens else len(self.text))

    def advance(self, text: str) -> ProgramConstraint | Refusal:
        """The state after the text; a refusal where no reading can write it."""
        readings, written = self.readings, self.text
        for index, character in enumerate(text):
            resumed = self._resumed(readings, written)
            written += character
            readings = settled(
                [after for reading in resumed if (after := stepped(reading, character)) is not None], written
            )
            if not readings:
                return Refusal(protocol.Rule.PROGRAM, text[index:])
        return replace(self, readings=readings, text=written)

    def may_stop(self) -> Refusal | None:
        """None if the program may be over."""
        over = any(reading.stack is None for reading in resume_all(self.readings, self.text, self.following))
        return None if over else Refusal(protocol.Rule.PROGRAM, "the program goes on")

    def may_begin(self, partial: bytes) -> bool:
        """Whether a character that begins with these bytes may come next."""
        first, last = _character_range(partial)
        return any(begins(reading.next, first, last) for reading in self.waiting())

    def after_token(self, partial: bytes) -> ProgramConstraint:
        """The state after a token, whose whole characters `advance` has read: parts that it reached have a token less.

        Args:
            partial: The last bytes of the text, if they are no whole character yet.
        """
        # the partial character may be the first of a next step, whose limit then counts this token, too
        before = self.waiting() if partial else self.readings
        end = len(self.text) + bool(partial)
        readings = tuple(replace(reading, stack=counted(reading.stack, end)) for reading in before)
        exhausted = any(exhausted_limit(reading) for reading in readings)
        return replace(self, readings=readings, ending=end if exhausted else None)

    def report(self) -> Report:
        """An empty report: whatever a program allows is proven."""
        return Report()

    def waiting(self) -> tuple[Reading, ...]:
        """The readings with the program's next steps: each waits for a character or is over."""
        return self._resumed(self.readings, self.text)

    def _resumed(self, readings: tuple[Reading, ...], written: str) -> tuple[Reading, ...]:
        """The readings with the program's next steps. From `ending` on, only the shortest ways of parts are followed.

        Args:
            written: All text that the readings have written.
        """
        if self.ending is None or len(written) < self.ending:
            return resume_all(readings, written, self.following)
        # before and after: the program is not asked how it would go on after a longer way, and its step may end a part
        readings = without_longer_ways(readings, len(written))
        return without_longer_ways(resume_all(readings, written, self.following), len(written))


def _character_range(partial: bytes) -> tuple[str, str]:
    """The first and the last character that begin with these bytes of UTF-8, which are no whole character."""
    size = 2 + (partial[0] >= _THREE) + (partial[0] >= _FOUR)
    code = partial[0] & (0xFF >> (size + 1))
    for byte in partial[1:]:
        code = code << 6 | byte & 0x3F
    bits_left = 6 * (size - len(partial))
    first, last = code << bits_left, (code + 1 << bits_left) - 1
    return chr(max(first, _LEAST[size])), chr(min(last, 0x10FFFF))


_THREE, _FOUR = 0xE0, 0xF0
"""The least first byte of a character of three bytes, and of four."""
_LEAST = {2: 0x80, 3: 0x800, 4: 0x10000}
"""By count of bytes, the first code point that has so many."""
