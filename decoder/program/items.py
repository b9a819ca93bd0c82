"""What a text may be, character by character: the items that a machine reads and a grammar is made of.

A `str` is an item, too: itself. Items know no language; a layout has put quotes and semicolons in place.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from decoder.program.nodes import Type


@dataclass(frozen=True, eq=False, slots=True)
class Chars:
    """One character: of these ranges, or of none of them."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def accepts(self, character: str) -> bool:
        """Whether the character is one of them."""
        return any(first <= character <= last for first, last in self.ranges) is not self.negated

    def accepts_some(self, first: str, last: str) -> bool:
        """Whether one from `first` to `last` is one of them."""
        if not self.negated:
            return any(low <= last and first <= high for low, high in self.ranges)
        point = ord(first)
        for low, high in sorted(self.ranges):
            if ord(low) <= point <= ord(high):
                point = ord(high) + 1
        return point <= ord(last)


@dataclass(frozen=True, eq=False, slots=True)
class Cat:
    """One after another."""

    parts: tuple[Item, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Alt:
    """One of several."""

    options: tuple[Item, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Repeat:
    """So many times."""

    item: Item
    least: int = 0
    most: int | None = None
    joint: str = ""
    """Stands between two."""
    keys: frozenset[int] = frozenset()
    """Blanks that are filled in anew each time."""


@dataclass(frozen=True, eq=False, slots=True)
class Blank:
    """A value of a type, or what was written for the key."""

    key: int
    type: Type
    literal: Item


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """Some text that is remembered under a key and repeated where the key stands again."""

    key: int
    item: Item
    fresh: bool = False
    """Never repeated: the name of a declaration."""


@dataclass(frozen=True, eq=False, slots=True)
class Quoted:
    """A string literal with holes; its parts are spelled as the language wants them, its quotes are among them."""

    plain: tuple[str | Hole, ...]
    """For holes that hold text."""
    interpolated: tuple[str | Hole, ...]
    """For holes that hold expressions."""


@dataclass(frozen=True, eq=False, slots=True)
class Hole:
    """A blank within a string literal: its text without quotes."""

    key: int
    type: Type
    content: Item


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """An expression of the type, or the one that was written for the key."""

    key: int
    type: Type


@dataclass(frozen=True, eq=False, slots=True)
class Free:
    """Passes only where the name may still be declared."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class NewName:
    """A name that is neither reserved nor taken; it is the one that `Declare` speaks of."""

    item: Item
    taken: frozenset[str]
    new: bool = True
    """False where it refers to something, and may be declared."""


@dataclass(frozen=True, eq=False, slots=True)
class Limited:
    """Something for which a model has so many tokens; then it is brought to its end in the shortest way."""

    item: Item
    tokens: int


@dataclass(frozen=True, eq=False, slots=True)
class Declare:
    """From here on the new name is an expression of the type."""

    type: Type | None


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """From here on these are expressions of these types."""

    expressions: tuple[tuple[Type, str], ...]


class WordSet:
    """Some words in order. Compared by identity: whoever makes one keeps it."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = tuple(sorted(set(words)))

    @cached_property
    def shortest(self) -> int:
        """Characters of the shortest."""
        return min(map(len, self.words))


@dataclass(frozen=True, slots=True)
class Words:
    """What is left of one of some words: those in [first, last), after `depth` characters."""

    of: WordSet
    first: int
    last: int
    depth: int = 0

    @property
    def ends(self) -> bool:
        """Whether one of them is complete."""
        return len(self.of.words[self.first]) == self.depth

    def step(self, character: str) -> Words | None:
        """Those that go on with the character."""
        words = self.of.words
        read = words[self.first][: self.depth] + character
        first = bisect_left(words, read, self.first, self.last)
        last = bisect_left(words, read + "\U0010ffff", first, self.last)
        return Words(self.of, first, last, self.depth + 1) if first < last else None


@dataclass(frozen=True, slots=True)
class Again:
    """The rest of a repetition, after so many times; many count as `least`."""

    repeat: Repeat
    done: int
    kept: frozenset[int] = frozenset()
    """Keys that were filled in before it began."""


@dataclass(frozen=True, slots=True)
class End:
    """Where what began at `start` is complete."""

    start: int
    of: Blank | Named | Hole | Expression | NewName


@dataclass(frozen=True, slots=True)
class Limit:
    """Where what began at `start` is complete, for which so many tokens are left."""

    start: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Echo:
    """The rest of a text that is repeated."""

    text: str


@dataclass(frozen=True, slots=True)
class Begin:
    """A step of a program begins."""

    history: tuple[str, ...]
    """What was written in the steps before."""
    item: Item


@dataclass(frozen=True, slots=True)
class Await:
    """What was written since `start` is what the program waits for."""

    history: tuple[str, ...]
    start: int


Item = (
    str | Chars | Cat | Alt | Repeat | Blank | Named | Quoted | Hole | Expression | Free | NewName | Limited | Declare
    | Known | Words | Again | End | Limit | Echo | Begin | Await
)  # fmt: skip


def one_of(text: str) -> Chars:
    """One of the characters of a text."""
    return Chars(tuple((one, one) for one in text))
