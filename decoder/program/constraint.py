"""A program as a constraint: an immutable state that is asked whether a text may come next."""

from __future__ import annotations

from dataclasses import dataclass, replace

from decoder.constraint.protocol import CountsTokens, Foresees, Refusal, Report, Rule
from decoder.program import items
from decoder.program.distance import shortest
from decoder.program.limits import brought_to_an_end, counted, exhausted
from decoder.program.machine import Facts, NoSource, Source, Thread, begins, resumed, settled, stepped
from decoder.program.nodes import ProgramError


@dataclass(frozen=True, slots=True)
class ProgramConstraint(Foresees, CountsTokens):
    """All ways in which a program may have meant the text so far."""

    threads: tuple[Thread, ...]
    source: Source
    text: str = ""
    closing: bool = False
    """Whether only the shortest ways to the end are gone on with."""
    ending: int | None = None
    """From which place on parts that have no tokens left are brought to their end."""

    @classmethod
    def of(cls, source: Source) -> ProgramConstraint:
        """The state before the first character.

        Raises:
            ProgramError: the program allows no text at all.
        """
        first = source.step(())
        began = () if first is None else settled([Thread((first, None), Facts())], "")
        if first is not None and not began:
            raise ProgramError("the program allows no text at all")
        return cls(began or (Thread(None, Facts()),), source)

    @classmethod
    def of_item(cls, item: items.Item) -> ProgramConstraint:
        """The state before the first character of an item."""
        return cls(settled([Thread((item, None), Facts())], ""), NoSource())

    def feed(self, text: str) -> ProgramConstraint | Refusal:
        """The state after the text."""
        threads, written = self.threads, self.text
        for place, character in enumerate(text):
            resumes = self._resumed(threads, written)
            written += character
            threads = settled([after for one in resumes if (after := stepped(one, character)) is not None], written)
            if not threads:
                return Refusal(Rule.PROGRAM, text[place:])
        return replace(self, threads=threads, text=written)

    def may_stop(self) -> Refusal | None:
        """None where the program is over."""
        over = any(thread.stack is None for thread in resumed(self.threads, self.text, self.source))
        return None if over else Refusal(Rule.PROGRAM, "the program goes on")

    def may_begin(self, partial: bytes) -> bool:
        """Whether a character that begins with these bytes may come next."""
        first, last = _spanned(partial)
        if first >= "\ud800" and last <= "\udfff":
            return False  # halves of pairs, which UTF-8 does not write
        return any(begins(thread, first, last) for thread in self._resumed(self.threads, self.text))

    def behind_token(self, partial: bytes) -> ProgramConstraint:
        """The state once a token has been chosen, of which these bytes are no whole character yet."""
        begun = self._resumed(self.threads, self.text) if partial else self.threads
        threads = counted(begun, len(self.text), within=bool(partial))
        place = len(self.text) + bool(partial)  # a character that was begun is written
        return replace(self, threads=threads, ending=place if exhausted(threads) else None)

    def report(self) -> Report:
        """Nothing: what a program allows is proven."""
        return Report()

    def _resumed(self, threads: tuple[Thread, ...], written: str) -> tuple[Thread, ...]:
        """The threads that may go on, each with what it waited for."""
        if self.ending is not None and len(written) >= self.ending:
            threads = brought_to_an_end(threads, len(written))
        found = resumed(threads, written, self.source)
        return _nearest(found) if self.closing else found


def _spanned(partial: bytes) -> tuple[str, str]:
    """The first and the last character that begin with these bytes of UTF-8."""
    lead = partial[0]
    missing = (2 if lead < _THREE else 3 if lead < _FOUR else 4) - len(partial)
    low = _code(partial + b"\x80" * missing)
    floor = {_THREE: 0x800, _FOUR: 0x10000}.get(lead, 0)
    return chr(max(low, floor)), chr(min(_code(partial + b"\xbf" * missing), 0x10FFFF))


def _code(encoded: bytes) -> int:
    code = encoded[0] & (0xFF >> (len(encoded) + 1))
    for byte in encoded[1:]:
        code = code << 6 | byte & 0x3F
    return code


_THREE, _FOUR = 0xE0, 0xF0
"""The least first bytes of a character of three and of four."""


def _nearest(threads: tuple[Thread, ...]) -> tuple[Thread, ...]:
    """The threads that are nearest to the end: the farthest steps of the program first, then the fewest characters."""
    distances = [_distance(thread) for thread in threads]
    least = min(distances)
    return tuple(thread for thread, far in zip(threads, distances, strict=True) if far == least)


def _distance(thread: Thread) -> tuple[int, int]:
    """Steps gone, negated, or as many as there can be where it is over; and characters to the end of the step."""
    characters, stack = 0, thread.stack
    steps = -_ENDLESS
    while stack is not None:
        item, stack = stack
        characters += shortest(item)
        if isinstance(item, items.Await | items.Begin):
            steps = -len(item.history)
    return steps, characters


_ENDLESS = 1 << 30
