"""A name that is being written where a type checker knows the names, and what it may turn out to be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from context_index.symbols import Position

if TYPE_CHECKING:
    from decoder.constraint.members.questions import Known

PROVES = frozenset({Position.MEMBER, Position.SUBSCRIPT, Position.IMPORTED_NAME, Position.MODULE})
"""Where a name that nobody could check may not exist: it is waited for longer, and shown to a checker in the end."""
TOLD = PROVES | {Position.OBJECT_KEY, Position.PROP}
"""Where a name that nobody could check is told of. A key that nobody expects is as right as any other."""
KEPT = TOLD | {Position.KEYWORD_ARGUMENT}
"""Where a name is read to its end although nothing is known of it: what follows tells an argument's from another."""
REFUTED = PROVES | {Position.OBJECT_KEY, Position.KEYWORD_ARGUMENT}
"""Where a name may be one that a checker has refused."""
WEIGHED = frozenset({Position.OBJECT_KEY, Position.LITERAL})
"""Where a list refuses nothing in plain JavaScript, but only weighs."""
_FREE = {
    Position.OBJECT_KEY: ("async", "get", "set", "static"),
    Position.IMPORTED_NAME: ("type", "default"),
    Position.PROP: ("data-",),
}
"""Words that may stand there although they name nothing."""
_DATA = "data-"
"""JSX takes every attribute that begins like this."""
STRING_PREFIXES = frozenset(["r", "b", "u", "f", "t", "rb", "br", "rf", "fr", "rt", "tr"])


class Target(Enum):
    """Whether a member that is not listed may be one that is being made."""

    NO = auto()
    DOUBTFUL = auto()
    """Assigning to it is allowed, and may be an error for a checker."""
    YES = auto()


@dataclass(frozen=True, slots=True)
class Naming:
    """A name that is being written where a type checker knows the names."""

    position: Position
    start: int
    """How much had been written when the place was reached."""
    quoted: bool
    target: Target = Target.NO
    word: str = ""
    strayed: bool = False
    """It has left the list, and that has been charged."""

    def may_be_free(self, word: str) -> bool:
        """Whether a word that begins like this may stand there although no list has it."""
        if self.position is Position.PROP and word.startswith(_DATA):
            return True
        return any(free.startswith(word) for free in _FREE.get(self.position, ()))

    @property
    def is_free(self) -> bool:
        """Whether the word, now complete, may stand there although no list has it."""
        data = self.position is Position.PROP and self.word.startswith(_DATA)
        return data or self.word in _FREE.get(self.position, ())


@dataclass(frozen=True, slots=True)
class Owing:
    """A name that is right only if the text goes on as it must."""

    word: str
    known: Known | None
    """None of an argument's name: what is known of it is asked for only once the equals sign shows that it is one."""
    naming: Naming
    equals: bool = False
    """An equals sign has been read, and no second one may follow."""
