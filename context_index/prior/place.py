"""Properties of the place at which a name is completed, from the lexemes before it and the text after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from context_index.prior.contexts import KEYWORDS, context_at_end
from context_index.prior.lexemes import END_OF_LINE, is_word

SITUATIONS: Final = (
    "statement", "assigned", "argument", "returned", "condition", "class", "decorator", "iterated", "index", "key",
    "called", "dotted", "indexed", "assigned to",
)  # fmt: skip
"""What is around the place; the last four depend on the text after it on its line."""
_CLASSES: Final = frozenset({"new", "raise", "throw", "except", "extends", "implements", "instanceof", "class"})
_CONDITIONS: Final = frozenset({"if", "elif", "while", "not", "and", "or", "&&", "||", "!", "assert", "?", "is"})
_STOPS: Final = frozenset({"(", "[", "{", ",", ";", END_OF_LINE})
_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_NO_CALL: Final = KEYWORDS - {"super"}
_REACH: Final = 40
"""Lexemes in which the target of what is written is looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of a place but for the names that may be there."""

    ways: tuple[int, ...]
    """Its context in each of `contexts.WAYS`."""
    situations: tuple[bool, ...]
    """One for each of `SITUATIONS`."""
    target: str = ""
    """What the value is for: the name before `=` or `:`, the parameter that the argument is for."""


def place_of(before: Sequence[str], after: str, signature: Callable[[str], str | None] = lambda _name: None) -> Place:
    """What is known of a place.

    Args:
        before: The lexemes before it; some hundreds are enough.
        after: The rest of the line after it.
        signature: The parameters of a function that is visible there, `(a, b: int)`.
    """
    last = before[-1] if before else END_OF_LINE
    callee, argument = _call_around(before)
    is_argument = callee is not None and last in {"(", ","}
    label = signature(callee) if is_argument and callee is not None else None
    following = after.lstrip(" ")
    situations = (
        last in {END_OF_LINE, ";", "{", "}"} or not before,
        last == "=" or (last == ":" and not _opens_annotation(before)),
        is_argument,
        last in {"return", "yield", "=>"},
        last in _CONDITIONS,
        last in _CLASSES or (last in {"(", ","} and _line_head(before) == "class") or _opens_annotation(before),
        last == "@",
        last in {"in", "of"},
        last == "[",
        last == "{",
        following.startswith("("),
        following.startswith((".", "?.")),
        following.startswith("["),
        following.startswith("=") and not following.startswith(("==", "=>")),
    )
    target = _target(before) or ("" if label is None else parameter_of(label, argument))
    return Place(context_at_end(before), situations, target)


def parameter_of(signature: str, index: int) -> str:
    """The name of a parameter of `(a, b: int = 0)`; empty where there is none."""
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
    return plain[index].partition(":")[0].strip(" *.?") if index < len(plain) else ""


def _line_head(text: Sequence[str]) -> str | None:
    """The first lexeme of the line at whose end the place is; None where there is none yet."""
    for index in range(len(text) - 1, -1, -1):
        if text[index] == END_OF_LINE:
            return text[index + 1] if index + 1 < len(text) else None
    return text[0] if text else None


def _call_around(text: Sequence[str]) -> tuple[str | None, int]:
    """The function in the parentheses of whose call the place is, and the arguments before it."""
    depth = commas = 0
    for index in range(len(text) - 1, -1, -1):
        one = text[index]
        if one in _CLOSING:
            depth += 1
        elif one in _OPENING:
            if not depth:
                callee = _called(text, index)
                return (None, 0) if callee is None else (callee, commas)
            depth -= 1
        elif one == "," and not depth:
            commas += 1
    return None, 0


def _called(text: Sequence[str], index: int) -> str | None:
    """What is called by the bracket at a place; None where it opens no arguments."""
    before = text[index - 1] if index and text[index] == "(" else ""
    return before if before and is_word(before) and before not in _NO_CALL else None


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
