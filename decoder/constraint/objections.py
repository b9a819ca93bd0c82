"""Words to which somebody objected once the whole text was there: none of them is written at its place again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from decoder.constraint.protocol import Refusal, Report, Rule


@dataclass(frozen=True, slots=True)
class Objection:
    """A word that may not stand at a place, as what follows shows (`const` before a name that is assigned again)."""

    offset: int
    """Code points from the beginning of the text."""
    word: str


@dataclass(frozen=True, slots=True)
class Objections:
    """One state of the rule: no word begins at such a place as the one there did.

    With its first letter a word is over: were it refused with its last, half of it would be left to make something of.

    Args:
        made: The objections.
        length: Code points fed so far.
    """

    made: tuple[Objection, ...]
    length: int = 0

    def feed(self, text: str) -> Objections | Refusal:
        """The state after `text`."""
        for one in self.made:
            place = one.offset - self.length
            if place >= 0 and text[place : place + 1] == one.word[:1] != "":
                return Refusal(Rule.OBJECTION, one.word)
        return replace(self, length=self.length + len(text))

    def may_stop(self) -> Refusal | None:
        """Nothing against it."""
        return None

    def report(self) -> Report:
        """Other rules tell what is not proven."""
        return Report()
