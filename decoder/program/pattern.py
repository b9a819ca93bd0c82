"""Patterns: what a text may be, character by character. `constraint` reads texts by them, `lowering` makes grammars.

Patterns are regular expressions with a memory: what was written for a blank is repeated, a declared name may be used
later. A `str` is a pattern, too: the text itself. Knows no language, since `spelling`, which makes patterns, has put
quotes and semicolons in place.

Most patterns are compared by identity (`eq=False`), so that the caches here do not hash whole trees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from context_index.symbols import continues_identifier
from decoder.program.nodes import ValueType
from decoder.program.roles import Role

Expressions = frozenset[tuple[ValueType | None, str]]
"""Expressions with their types; None for a type that no blank has."""
_EXPRESSION_LENGTH = 8
"""`shortest` assumes that an expression has so many characters: more than the shortest literal of any type."""


@dataclass(frozen=True, eq=False, slots=True)
class Chars:
    """One character of some ranges, or, if `negated`, any other character. Negated, there may be no range."""

    ranges: tuple[tuple[str, str], ...]
    """The first and the last character of each."""
    negated: bool = False

    def accepts(self, character: str) -> bool:
        """Whether the pattern allows the character."""
        return any(first <= character <= last for first, last in self.ranges) is not self.negated

    def accepts_some(self, first: str, last: str) -> bool:
        """Whether the pattern allows some character from `first` to `last`."""
        if not self.negated:
            return any(low <= last and first <= high for low, high in self.ranges)
        allowed = ord(first)  # the first code point from `first` on that no range so far has
        for low, high in sorted(self.ranges):
            if ord(low) <= allowed <= ord(high):
                allowed = ord(high) + 1
        return allowed <= ord(last)


@dataclass(frozen=True, eq=False, slots=True)
class Cat:
    """Patterns one after another."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Alt:
    """One of several patterns; without options, nothing matches."""

    options: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """One of some texts. They are read together, so that hundreds of names are one reading, not hundreds."""

    rests: tuple[str, ...]
    """What is still to be written of each text."""

    def step(self, character: str) -> Words | None:
        """What is left of the texts that begin with the character; None for none."""
        rests = tuple(rest[1:] for rest in self.rests if rest[:1] == character)
        return Words(rests) if rests else None


@dataclass(frozen=True, eq=False, slots=True)
class Repeat:
    """A pattern several times."""

    item: Pattern
    least: int = 0
    most: int | None = None
    """None for any number."""
    joint: str = ""
    """The text between two items."""
    keys: frozenset[int] = frozenset()
    """The keys of blanks that are filled in anew each time."""


@dataclass(frozen=True, eq=False, slots=True)
class GrammarRule:
    """A pattern that a grammar defines once, as a rule with this name."""

    name: str
    item: Pattern


@dataclass(frozen=True, eq=False, slots=True)
class OfType:
    """One of the expressions that are known to be of a type."""

    type: ValueType


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    """A text that is remembered under a key, and repeated where the key occurs again."""

    key: int
    item: Pattern
    fresh: bool = False
    """Whether it is written anew even if the key has a text: the name of a declaration."""
    bare: bool = False
    """Whether the text is the contents of a string: it is remembered with quotes, but written here without."""


@dataclass(frozen=True, eq=False, slots=True)
class NewName:
    """A name that is not reserved. A `Known` after it can make it an expression of a type."""

    item: Pattern
    reserved: frozenset[str]
    declared: bool = True
    """Whether it is declared here, and so must be new. Otherwise it may be any name."""


@dataclass(frozen=True, eq=False, slots=True)
class Limited:
    """A part with a limit of tokens, after which it is brought to its end in the shortest way."""

    item: Pattern
    tokens: int


@dataclass(frozen=True, eq=False, slots=True)
class When:
    """Writes nothing. What follows can be written only if the facts pass the test."""

    test: Callable[[PatternFacts], bool]


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """Writes nothing. From here on blanks may use these expressions; the empty text stands for the last new name."""

    expressions: Expressions


@dataclass(frozen=True, slots=True)
class AwaitedStep:
    """A part that a program awaits."""

    history: tuple[str, ...]
    """The texts that were written for the parts before."""
    item: Pattern
    role: Role | None = None
    """The role that decides what is written between this part and the next."""


@dataclass(frozen=True, slots=True)
class Again:
    """The rest of a repetition."""

    repeat: Repeat
    done: int
    """How many items have been written. Without an upper bound it stops at `least`, or at 1 if that is 0."""
    kept: frozenset[int] = frozenset()
    """The keys that had a text before the repetition began: they are not filled in anew."""


@dataclass(frozen=True, slots=True)
class End:
    """Writes nothing. Here a pattern that began at the offset `start` is complete."""

    start: int
    of: Named | NewName | Limited | AwaitedStep
    """The pattern."""
    tokens: int = 0
    """The tokens that are left for a limited part."""


Pattern = (
    str | Chars | Cat | Alt | Words | Repeat | GrammarRule | OfType | Named | NewName | Limited | When | Known
    | AwaitedStep | Again | End
)  # fmt: skip


def any_of(characters: str) -> Chars:
    """One of the characters of a text."""
    return Chars(tuple((character, character) for character in characters))


def shortest(pattern: Pattern) -> int:
    """A lower bound of the count of characters that a pattern writes; of an expression, an assumed length.

    What was written before and must be repeated counts as 0, and so does the joint between the items of a `Repeat`.
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

    A blank is a place that the model fills in. Its key is a number by which other places repeat what was written there.
    """

    written: tuple[tuple[int, str], ...] = ()
    """Keys of blanks, each with what was written for it."""
    known: Expressions = frozenset()
    """Expressions of the context and declared names."""
    name: str = ""
    """The last new name."""
    limited: tuple[int, int] = (-2, -2)
    """Where the last part with a limit of tokens began, and where it was complete; -2 where there was none."""

    def of(self, key: int) -> str | None:
        """What was written for a key; None where nothing was."""
        return next((text for written_key, text in self.written if written_key == key), None)

    def with_written(self, key: int, text: str) -> PatternFacts:
        """The facts with a text for a key."""
        return replace(self, written=(*(pair for pair in self.written if pair[0] != key), (key, text)))

    def without(self, keys: frozenset[int]) -> PatternFacts:
        """The facts without the texts of some keys."""
        return replace(self, written=tuple(pair for pair in self.written if pair[0] not in keys))

    def with_known(self, expressions: Expressions) -> PatternFacts:
        """The facts with more expressions, in which the empty text is replaced by the last new name."""
        return replace(self, known=self.known | {(kind, text or self.name) for kind, text in expressions})

    def is_free(self, name: str) -> bool:
        """Whether a name may be declared, as no known expression begins with it."""
        return name not in _roots(self.known)

    def words(self, kind: ValueType) -> Words | None:
        """The expressions of a type; None for none."""
        return _words(self.known, kind)

    def fits(self, key: int, kind: ValueType, *, literal: bool) -> bool:
        """Whether a blank of a type can be written: as a literal if `literal` is set, else as an expression.

        A blank whose key has a text is written like that text.
        """
        written = self.of(key)
        if written is None:
            return literal or self.words(kind) is not None
        return ((kind, written) in self.known) is not literal


@lru_cache(maxsize=256)
def _words(known: Expressions, kind: ValueType) -> Words | None:
    texts = sorted({text for known_kind, text in known if known_kind is kind})
    return Words(tuple(texts)) if texts else None


@lru_cache(maxsize=256)
def _roots(known: Expressions) -> frozenset[str]:
    """The names with which the expressions begin."""
    return frozenset("".join(takewhile(continues_identifier, text)) for _, text in known)
