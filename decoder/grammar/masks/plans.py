"""What is asked about the texts of a vocabulary at one kind of place: the questions, and who shares their answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from decoder.grammar.dfa import Walkable
    from decoder.grammar.masks.paths import Ending, Texts
    from decoder.grammar.masks.remembered import Answers
    from decoder.grammar.version import Lexeme, Version, Window

    Mask = npt.NDArray[np.bool_]
    Indices = npt.NDArray[np.int32]
    Follows = Callable[[Version, Window, Texts, int], Mask]

DEEPEST: Final = 6
"""Tokens of the grammar within one text; what is longer is fed."""
FEW: Final = 16
"""So many texts are fed at less cost than tables are made for them.

More would be fed by first letters (`Feeding`), which takes letters together that only the external scanner takes alike.
"""


class LateError(Exception):
    """Nobody waits for the mask any more. What has been found out for it is kept."""


class Patience:
    """How long those who ask now will wait."""

    def __init__(self) -> None:
        self.is_late: Callable[[], object] = bool

    def check(self) -> None:
        """Raise `LateError` if nobody waits any more."""
        if self.is_late():
            raise LateError


class Point(NamedTuple):
    """Where texts begin: one reading, and how far the table lexer is into its token."""

    version: Version
    window: Window
    lexeme: Lexeme
    texts: Texts
    depth: int


class Question(NamedTuple):
    """Some texts, and how to find those of them that may follow a point."""

    ask: Callable[[Point, Mask], None]
    by_table: bool
    """Only texts that the external scanner leaves to the table lexer are meant."""
    answers: Answers
    by_word: dict[str, Answers] | None = None
    """Set where the unfinished word may make a difference: the answers, by what is written of it."""


class Inside(NamedTuple):
    """Texts that end within a token."""

    state: int
    """Of the lexer, at their end."""
    symbol: int
    """The token that ends there; END_OF_INPUT for none."""
    indices: Indices
    words: Mapping[str, list[int]]
    """Of those that may be a part of a keyword: their indices by the part."""
    question: Question
    """Decides where the tokens that the stack takes do not."""


@dataclass(slots=True, eq=False)
class Together:
    """Texts in which a token ends, asked about together for all tokens that reduce a stack alike."""

    endings: Mapping[int, Sequence[Ending]]
    """By the token's number."""
    codes: int
    """The numbers, as a bit set."""
    answers: dict[tuple[int, bytes], Answers] = field(default_factory=dict)
    """By some of the numbers, and what the external scanner knows."""
    deep: int = 0
    """The numbers of those about which nothing is remembered: much of the stack would have to be the same."""


class Plan(NamedTuple):
    """All that is asked about some texts at one kind of place."""

    questions: list[Question]
    inside: list[Inside]
    becoming: int
    """The tokens that texts may be within, as a bit set."""
    ends: Together
    if_word: tuple[Together, list[Question]]
    """The same where the unfinished word may be a keyword, and what is asked about the word."""
    declined: Mask | None
    """The texts that the external scanner leaves to the table lexer; None for all."""
    alone: dict[int, list[Question]]
    """By the number of a token, what is asked where it leaves a stack several ways."""


def is_at_root(lexer: Walkable, lexeme: Lexeme) -> bool:
    """Whether the table lexer has read nothing of a token."""
    return lexeme.state in lexer.roots.values()


def together(texts: Texts, ends: Mapping[int, list[Ending]]) -> Together:
    """The same object for the same endings, since states that read alike ask alike."""
    key = tuple((code, *map(id, endings)) for code, endings in sorted(ends.items()))
    found = texts.together.get(key)
    if found is None:
        found = texts.together[key] = Together(dict(ends), sum(1 << code for code in ends))
    return found
