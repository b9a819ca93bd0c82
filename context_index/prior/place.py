"""Properties of the place at which a name is completed, from the lexemes before it and the text after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from context_index.prior.contexts import KEYWORDS, call_around, context_at_end, line_head
from context_index.prior.lexemes import END_OF_LINE, is_word

SITUATIONS: Final = (
    "statement", "assigned", "argument", "returned", "condition", "class", "decorator", "iterated", "index", "key",
    "called", "dotted", "indexed", "assigned to",
)  # fmt: skip
"""What is around the place; the last four depend on the text after it on its line."""
_CLASSES: Final = frozenset({"new", "raise", "throw", "except", "extends", "implements", "instanceof", "class"})
_CONDITIONS: Final = frozenset({"if", "elif", "while", "not", "and", "or", "&&", "||", "!", "assert", "?", "is"})
_STOPS: Final = frozenset({"(", "[", "{", ",", ";", END_OF_LINE})
_REACH: Final = 40
"""Lexemes in which the target of what is written is looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of a place but for the names that may be there."""

    ways: tuple[int, ...]
    """Its context in each of `contexts.WAYS`."""
    last: str
    """The last name before it, whatever is between."""
    situations: tuple[bool, ...]
    """One for each of `SITUATIONS`."""
    target: str = ""
    """What the value is for: the name before `=` or `:`, the parameter that the argument is for."""
    callee: str = ""
    receiver: str = ""
    """The name before the dot of a member."""
    expected: str = ""
    """The type of the parameter, as written."""
    given: tuple[str, ...] = ()
    """Names that the line has had since it began, last first."""


def place_of(before: Sequence[str], after: str, signature: Callable[[str], str | None] = lambda _name: None) -> Place:
    """What is known of a place.

    Args:
        before: The lexemes before it; some hundreds are enough.
        after: The rest of the line after it.
        signature: The parameters of a function that is visible there, `(a, b: int)`.
    """
    last = before[-1] if before else END_OF_LINE
    callee, argument = call_around(before)
    parameter, expected = "", ""
    if callee is not None and last in {"(", ","} and (label := signature(callee)):
        parameter, expected = parameter_of(label, argument)
    is_member = last in {".", "?."}
    receiver = before[-2] if is_member and len(before) > 1 and is_word(before[-2]) else ""
    following = after.lstrip(" ")
    names = tuple(one for one in _line(before) if is_word(one) and one not in KEYWORDS)
    situations = (
        last in {END_OF_LINE, ";", "{", "}"} or not before,
        last == "=" or (last == ":" and not _opens_annotation(before)),
        callee is not None and last in {"(", ","},
        last in {"return", "yield", "=>"},
        last in _CONDITIONS,
        last in _CLASSES or (last in {"(", ","} and line_head(before) == "class") or _opens_annotation(before),
        last == "@",
        last in {"in", "of"},
        last == "[",
        last == "{",
        following.startswith("("),
        following.startswith((".", "?.")),
        following.startswith("["),
        following.startswith("=") and not following.startswith(("==", "=>")),
    )
    return Place(
        context_at_end(before, (callee, argument)),
        names[0] if names else "",
        situations,
        _target(before) or parameter,
        callee or "",
        receiver,
        expected,
        names,
    )


def parameter_of(signature: str, index: int) -> tuple[str, str]:
    """Name and type of a parameter of `(a, b: int = 0)`; empty where there is none."""
    found: list[str] = []
    depth, piece = 0, ""
    for character in signature:
        depth += character in "([{"
        depth -= character in ")]}"
        if (character == "," and depth == 1) or not depth:
            found.append(piece)
            piece = ""
            if not depth:
                break
        elif not (character == "(" and depth == 1):
            piece += character
    plain = [one.strip() for one in found if one.strip() not in {"*", "/", "self", "cls", ""}]
    if index >= len(plain):
        return "", ""
    name, _, kind = plain[index].partition(":")
    return name.strip(" *.?"), kind.partition("=")[0].strip()


def _line(before: Sequence[str]) -> Sequence[str]:
    """The lexemes of the line so far, last first."""
    start = len(before)
    while start and before[start - 1] != END_OF_LINE and len(before) - start < _REACH:
        start -= 1
    return before[start:][::-1]


def _target(before: Sequence[str]) -> str:
    """The name that what is written here becomes the value of."""
    index, least = len(before) - 1, max(len(before) - _REACH, 0)
    while index > least and before[index] not in _STOPS:
        if before[index] in {"=", ":", ":="} or before[index] in _AUGMENTED:
            name = before[index - 1]
            colon = next((at for at in range(index - 1, max(index - 8, 0), -1) if before[at] in {":", *_STOPS}), 0)
            if before[index] == "=" and before[colon] == ":" and colon:  # `limit: int = `
                name = before[colon - 1]
            return name if is_word(name) and name not in KEYWORDS else ""
        index -= 1
    return ""


_AUGMENTED: Final = frozenset({"+=", "-=", "*=", "/=", "|=", "&="})


def _opens_annotation(before: Sequence[str]) -> bool:
    """Whether the colon before the place may be that of `name: type` and not of a dictionary or a slice."""
    if len(before) < 3 or before[-1] != ":" or not is_word(before[-2]):  # noqa: PLR2004 -- `, name :`
        return False
    return before[-3] in {END_OF_LINE, "(", ",", ";", "const", "let"} and "{" not in before[-_REACH:-2][-8:]
