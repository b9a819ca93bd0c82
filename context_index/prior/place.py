"""Properties of the place at which a name is completed, from the lexemes before it and the text after it.

`PlacePrior` asks `place_of`; the features are made from its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index.languages.record import Lexis
from context_index.prior.contexts import KEYWORDS, context_at_end
from context_index.prior.lexemes import END_OF_LINE, is_word, lexemes

if TYPE_CHECKING:
    from context_index.prior.hashing import Hashes

SITUATIONS: Final = ("statement", "assigned", "called", "dotted")
"""What may be around the place: a statement begins there, a value is assigned, `(` follows, `.` follows."""
_BEFORE_STATEMENT: Final = frozenset({END_OF_LINE, ";", "{", "}"})
_ASSIGNMENT_SIGNS: Final = frozenset({"=", ":", ":="})
_SEARCH_ENDS: Final = frozenset({"(", "[", "{", ",", ";", END_OF_LINE})
"""Lexemes at which the search for an assigned name ends."""
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_REACH: Final = 40
"""The lexemes before the place in which the assigned name is looked for."""
_ANNOTATION_REACH: Final = 8
"""An annotation's `:` is fewer lexemes than this before its `=`; in `limit: int | None = ` it is 4 before."""


@dataclass(frozen=True, slots=True)
class PriorPlace:
    """What is known of a place, apart from the names that may be there."""

    context: Hashes
    """uint64 [CONTEXT_KINDS]: the contexts of a name at the place."""
    situations: tuple[bool, ...]
    """For each of `SITUATIONS`, whether the place is in it."""
    target: str = ""
    """The name that gets the value at the place: the one before `=` or `:`, or the argument's parameter; else empty."""


def place_of(
    before: Sequence[str], after: str, signature: Callable[[str], str | None] = lambda _name: None
) -> PriorPlace:
    """What is known of a place.

    Args:
        before: The lexemes before it; some hundreds are enough.
        after: The rest of the line after it.
        signature: The parameters of a function that is visible there, `(a, b: int)`; None for an unknown function.
    """
    last = before[-1] if before else END_OF_LINE
    following = after.lstrip(" ")
    situations = (
        last in _BEFORE_STATEMENT,
        last in _ASSIGNMENT_SIGNS,
        following.startswith("("),
        following.startswith((".", "?.")),
    )
    return PriorPlace(
        context_at_end(before), situations, _assigned_name(before) or _current_parameter(before, signature)
    )


def _assigned_name(before: Sequence[str]) -> str:
    """The name before the `=` or `:` whose value is being written; empty where there is none."""
    index, least = len(before) - 1, max(len(before) - _REACH, 0)
    while index > least and before[index] not in _SEARCH_ENDS:
        if before[index] in _ASSIGNMENT_SIGNS:
            name = before[index - 1]
            nearby = range(index - 1, max(index - _ANNOTATION_REACH, 0), -1)
            colon = next((place for place in nearby if before[place] in {":", *_SEARCH_ENDS}), 0)  # 0: neither is near
            if before[index] == "=" and before[colon] == ":" and colon:  # `limit: int = `
                name = before[colon - 1]
            return name if is_word(name) and name not in KEYWORDS else ""
        index -= 1
    return ""


def _current_parameter(before: Sequence[str], signature: Callable[[str], str | None]) -> str:
    """The parameter whose argument begins here; empty where none does, or the function is unknown."""
    depth = commas = 0
    for index in range(len(before) - 1, 0, -1):
        lexeme = before[index]
        if lexeme in _OPENING and not depth:
            label = signature(before[index - 1]) if lexeme == "(" and before[-1] in {"(", ","} else None
            return "" if label is None else parameter_of(label, commas)
        depth += (lexeme in _CLOSING) - (lexeme in _OPENING)
        commas += lexeme == "," and not depth
    return ""


def parameter_of(signature: str, index: int) -> str:
    """The name of the parameter with an index in `(a, b: int = 0)`; empty where there is none."""
    parts: list[list[str]] = [[]]
    depth = 0
    for lexeme in lexemes(signature, Lexis())[1:]:
        if lexeme in _CLOSING and not depth:
            break
        depth += (lexeme in _OPENING) - (lexeme in _CLOSING)
        if lexeme == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(lexeme)
    names = [name for part in parts if (name := next(filter(is_word, part), ""))]
    return names[index] if index < len(names) else ""
