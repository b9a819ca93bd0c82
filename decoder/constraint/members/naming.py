"""A name that is being written where a type checker knows the names, and what it may turn out to be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from context_index.symbols import Language, Position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.constraint.members.questions import Known

PROVES = frozenset({Position.MEMBER, Position.SUBSCRIPT, Position.IMPORTED_NAME, Position.MODULE})
"""Where a name that nobody could check may not exist: it is waited for longer, and shown to a checker in the end."""
TOLD = PROVES | {Position.OBJECT_KEY, Position.PROP}
"""Where a name that nobody could check is told of. A key that nobody expects is as right as any other."""
KEPT = TOLD | {Position.KEYWORD_ARGUMENT}
"""Where a name is read to its end although nothing is known of it: what follows tells an argument's from another."""
WEIGHED = frozenset({Position.OBJECT_KEY, Position.LITERAL})
"""Where a list refuses nothing in plain JavaScript, but only weighs."""
TYPED = frozenset({Language.TYPESCRIPT, Language.TSX})
_DEFAULT = "default"
_IN_SCRIPTS: Mapping[Position, tuple[str, ...]] = {
    Position.OBJECT_KEY: ("async", "get", "set", "static"),
    Position.IMPORTED_NAME: (_DEFAULT,),
    Position.PROP: ("data-",),
}
_FREE: Mapping[Language, Mapping[Position, tuple[str, ...]]] = {
    Language.PYTHON: {},
    Language.JAVASCRIPT: _IN_SCRIPTS,
    Language.TYPESCRIPT: _IN_SCRIPTS,
    Language.TSX: _IN_SCRIPTS,
}
"""Words that may stand there although they name nothing."""
MODIFIER = "type"
"""In TypeScript: what may stand before an imported name, and be one."""
RENAMES = "as"
"""Behind `type` of a list of imports it is a name, or gives `type` another."""
_DATA = "data-"
"""JSX takes every attribute that begins like this."""


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
    modified: bool = False
    """TypeScript: it stands behind the `type` of a list of imports, which may be the name itself: `type,`."""

    def may_be_free(self, word: str, language: Language) -> bool:
        """Whether a word that begins like this may stand there although no list has it."""
        if self.position is Position.PROP and word.startswith(_DATA):
            return True
        if self.position is Position.IMPORTED_NAME and language in TYPED and not self.modified:
            return MODIFIER.startswith(word) or _DEFAULT.startswith(word)
        return any(free.startswith(word) for free in _FREE[language].get(self.position, ()))

    def is_free(self, language: Language) -> bool:
        """Whether the word, now complete, may stand there although no list has it."""
        data = self.position is Position.PROP and self.word.startswith(_DATA)
        return data or self.word in _FREE[language].get(self.position, ())

    def is_modifier(self, language: Language) -> bool:
        """Whether the word, now complete, modifies the next one, unless the list goes on or ends there."""
        is_first = self.position is Position.IMPORTED_NAME and not self.modified
        return is_first and self.word == MODIFIER and language in TYPED


@dataclass(frozen=True, slots=True)
class Owing:
    """A name that is right only if the text goes on as it must."""

    word: str
    known: Known | None
    """None of an argument's name: what is known of it is asked for only once the equals sign shows that it is one."""
    naming: Naming
    equals: bool = False
    """An equals sign has been read, and no second one may follow."""
