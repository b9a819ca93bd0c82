"""Brackets, where nothing else tells: a broken text may be one error with and without what is inserted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index import Syntax

_NO_CODE: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`", re.DOTALL
)
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}


def is_unbalanced(syntax: Syntax, start: int, end: int) -> bool:
    """Whether brackets are opened or closed between two places of a broken text that had as many of both before."""
    if not syntax.errors:
        return False
    text = syntax.document.text
    inserted = text[start:end]
    if _is_even(inserted):
        return False
    rest = _NO_CODE.sub("", text[:start] + text[end:])
    return all(rest.count(closing) == rest.count(opening) for closing, opening in _PAIRS.items())


def _is_even(text: str) -> bool:
    """Whether what is opened in it is closed in it, in order."""
    left: list[str] = []
    for character in _NO_CODE.sub("", text):
        if character in _PAIRS.values():
            left.append(character)
        elif character in _PAIRS and (not left or left.pop() != _PAIRS[character]):
            return False
    return not left
