"""Patterns: what a text may be, character by character. `constraint` reads texts by them, `lowering` makes grammars.

Regular expressions with a memory: what was written for a blank is repeated, a declared name may be used later. A `str`
is a pattern, too: itself. Knows no language; `spelling` has put quotes and semicolons in place.

Most patterns are compared by identity (`eq=False`), so the caches here hash no whole trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from context_index.symbols import continues_identifier
from decoder.program.nodes import Role, Type

Expressions = frozenset[tuple[Type | None, str]]
_EXPRESSION_LENGTH = 8
"""Characters that an expression counts for before it is known: more than the shortest literal of any type."""


@dataclass(frozen=True, eq=False, slots=True)
class Chars:
    """One character: of these ranges, of which there is at least one, or of none of them."""

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

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Alt:
    """One of several."""

    options: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """One of some texts. Read together: hundreds of names are one way to go on, not hundreds."""

    rests: tuple[str, ...]

    def step(self, character: str) -> Words | None:
        """What is left of those that begin with the character."""
        rests = tuple(rest[1:] for rest in self.rests if rest[:1] == character)
        return Words(rests) if rests else None


@dataclass(frozen=True, eq=False, slots=True)
class Repeat:
    """So many times."""

    item: Pattern
    least: int = 0
    most: int | None = None
    joint: str = ""
    """Between two."""
    keys: frozenset[int] = frozenset()
    """Blanks that are filled in anew each time."""


@dataclass(frozen=True, eq=False, slots=True)
class GrammarRule:
    """A part that a grammar defines once, by name."""

    name: str
    item: Pattern


@dataclass(frozen=True, eq=False, slots=True)
class OfType:
    """An expression that is known to be of a type."""

    type: Type


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """Some text that is remembered under a key, and repeated where the key stands again."""

    key: int
    item: Pattern
    fresh: bool = False
    """Never repeated: the name of a declaration."""
    bare: bool = False
    """Remembered in quotes, which are not written here."""


@dataclass(frozen=True, eq=False, slots=True)
class NewName:
    """A name that is not reserved. `Known` can make the last one an expression of a type."""

    item: Pattern
    reserved: frozenset[str]
    declared: bool = True
    """Whether it must be new. Otherwise it refers to something, or is declared elsewhere."""


@dataclass(frozen=True, eq=False, slots=True)
class Limited:
    """A part for which a model has so many tokens; after these it is brought to its end in the shortest way."""

    item: Pattern
    tokens: int


@dataclass(frozen=True, eq=False, slots=True)
class When:
    """Writes nothing; passes only where the facts allow what follows."""

    test: Callable[[PatternFacts], bool]


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """Writes nothing; from here on blanks may use these expressions. The empty text stands for the last new name."""

    expressions: Expressions


@dataclass(frozen=True, slots=True)
class AwaitedStep:
    """A part that a program awaits, after these texts were written for the parts before."""

    history: tuple[str, ...]
    item: Pattern
    role: Role | None = None
    """What it is for the part after it."""


@dataclass(frozen=True, slots=True)
class Again:
    """The rest of a repetition that has been written so many times; many count as `least`."""

    repeat: Repeat
    done: int
    kept: frozenset[int] = frozenset()
    """Keys that were filled in before it began."""


@dataclass(frozen=True, slots=True)
class End:
    """Where what began at `start` is complete."""

    start: int
    of: Named | NewName | Limited | AwaitedStep
    tokens: int = 0
    """Those left for a limited part."""


Pattern = (
    str | Chars | Cat | Alt | Words | Repeat | GrammarRule | OfType | Named | NewName | Limited | When | Known
    | AwaitedStep | Again | End
)  # fmt: skip


def any_of(characters: str) -> Chars:
    """One of the characters of a text."""
    return Chars(tuple((one, one) for one in characters))


def shortest(pattern: Pattern) -> int:
    """A lower bound of the characters that a pattern writes.

    What was written before and must be repeated counts for nothing, and so does the joint between two of a `Repeat`.
    """
    match pattern:
        case str():
            return len(pattern)
        case Words():
            return min(map(len, pattern.rests))
        case Again():
            return max(0, pattern.repeat.least - pattern.done) * shortest(pattern.repeat.item)
        case End():
            return 0
    return _shortest(pattern)


@lru_cache(maxsize=8192)
def _shortest(pattern: Pattern) -> int:
    match pattern:
        case Chars():
            return 1
        case Cat():
            return sum(map(shortest, pattern.parts))
        case Alt():
            return min(map(shortest, pattern.options), default=1)
        case Repeat():
            return pattern.least * shortest(pattern.item)
        case OfType():
            return _EXPRESSION_LENGTH
        case GrammarRule() | Named() | NewName() | Limited() | AwaitedStep():
            return shortest(pattern.item)
    return 0


@dataclass(frozen=True, slots=True)
class PatternFacts:
    """What is known at a place of the text.

    A blank is a part that the model fills in; its key is a number by which other parts repeat what was written for it.
    """

    written: tuple[tuple[int, str], ...] = ()
    """What was written for blanks, by their keys."""
    known: Expressions = frozenset()
    """Expressions of the context and declared names."""
    name: str = ""
    """The last new name."""
    limited: tuple[int, int] = (-2, -2)
    """Where the last part with a limit of tokens began, and where it was complete; -2 where none has been."""

    def of(self, key: int) -> str | None:
        """What was written for a key."""
        return next((text for one, text in self.written if one == key), None)

    def with_written(self, key: int, text: str) -> PatternFacts:
        """The facts once a text was written for a key."""
        return replace(self, written=(*(pair for pair in self.written if pair[0] != key), (key, text)))

    def without(self, keys: frozenset[int]) -> PatternFacts:
        """The facts with blanks that are filled in anew."""
        return replace(self, written=tuple(pair for pair in self.written if pair[0] not in keys))

    def with_known(self, expressions: Expressions) -> PatternFacts:
        """The facts with more expressions."""
        return replace(self, known=self.known | {(kind, text or self.name) for kind, text in expressions})

    def is_free(self, name: str) -> bool:
        """Whether the name may be declared."""
        return name not in _roots(self.known)

    def words(self, kind: Type) -> Words | None:
        """The expressions of a type."""
        return _words(self.known, kind)

    def fits(self, key: int, kind: Type, *, literal: bool) -> bool:
        """Whether a blank can be written as a literal, or else as an expression."""
        written = self.of(key)
        if written is None:
            return literal or self.words(kind) is not None
        return ((kind, written) in self.known) is not literal


@lru_cache(maxsize=256)
def _words(known: Expressions, kind: Type) -> Words | None:
    found = sorted({text for one, text in known if one is kind})
    return Words(tuple(found)) if found else None


@lru_cache(maxsize=256)
def _roots(known: Expressions) -> frozenset[str]:
    """The names with which the expressions begin."""
    return frozenset("".join(takewhile(continues_identifier, text)) for _, text in known)
