"""Properties of the place at which a name is completed, from the lexemes before it and the text after it."""

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
"""What is around the place; the last two depend on the text after it on its line."""
_BEFORE_STATEMENT: Final = frozenset({END_OF_LINE, ";", "{", "}"})
_ASSIGNS: Final = frozenset({"=", ":", ":="})
_STOPS: Final = frozenset({"(", "[", "{", ",", ";", END_OF_LINE})
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_REACH: Final = 40
"""Lexemes in which the target of what is written is looked for."""
_ANNOTATION_REACH: Final = 8
"""The `:` of an annotation is fewer lexemes than this before its `=`; 4 before it in `limit: int | None = `."""


@dataclass(frozen=True, slots=True)
class PriorPlace:
    """What is known of a place but for the names that may be there."""

    context: Hashes
    """uint64 [CONTEXT_KINDS]: its context."""
    situations: tuple[bool, ...]
    """One for each of `SITUATIONS`."""
    target: str = ""
    """What the value is for: the name before `=` or `:`, the parameter that the argument is for."""


def place_of(
    before: Sequence[str], after: str, signature: Callable[[str], str | None] = lambda _name: None
) -> PriorPlace:
    """What is known of a place.

    Args:
        before: The lexemes before it; some hundreds are enough.
        after: The rest of the line after it.
        signature: The parameters of a function that is visible there, `(a, b: int)`.
    """
    last = before[-1] if before else END_OF_LINE
    following = after.lstrip(" ")
    situations = (
        last in _BEFORE_STATEMENT,
        last in _ASSIGNS,
        following.startswith("("),
        following.startswith((".", "?.")),
    )
    return PriorPlace(context_at_end(before), situations, _target(before) or _parameter(before, signature))


def _target(before: Sequence[str]) -> str:
    """The name that what is written here becomes the value of."""
    index, least = len(before) - 1, max(len(before) - _REACH, 0)
    while index > least and before[index] not in _STOPS:
        if before[index] in _ASSIGNS:
            name = before[index - 1]
            near = range(index - 1, max(index - _ANNOTATION_REACH, 0), -1)
            colon = next((at for at in near if before[at] in {":", *_STOPS}), 0)  # 0: neither is near
            if before[index] == "=" and before[colon] == ":" and colon:  # `limit: int = `
                name = before[colon - 1]
            return name if is_word(name) and name not in KEYWORDS else ""
        index -= 1
    return ""


def _parameter(before: Sequence[str], signature: Callable[[str], str | None]) -> str:
    """The parameter that an argument which begins here is for."""
    depth = commas = 0
    for index in range(len(before) - 1, 0, -1):
        one = before[index]
        if one in _OPENING and not depth:
            label = signature(before[index - 1]) if one == "(" and before[-1] in {"(", ","} else None
            return "" if label is None else parameter_of(label, commas)
        depth += (one in _CLOSING) - (one in _OPENING)
        commas += one == "," and not depth
    return ""


def parameter_of(signature: str, index: int) -> str:
    """The name of a parameter of `(a, b: int = 0)`; empty where there is none."""
    parts: list[list[str]] = [[]]
    depth = 0
    for one in lexemes(signature, Lexis())[1:]:
        if one in _CLOSING and not depth:
            break
        depth += (one in _OPENING) - (one in _CLOSING)
        if one == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(one)
    names = [name for part in parts if (name := next(filter(is_word, part), ""))]
    return names[index] if index < len(names) else ""
