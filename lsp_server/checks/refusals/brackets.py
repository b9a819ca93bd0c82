"""Brackets, where nothing else tells: a broken text may be one error with and without what is inserted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index import Syntax

_NO_CODE: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`", re.DOTALL
)
_PROSE: Final = frozenset({"comment", "string_fragment", "regex_pattern"})
_PAIRS: Final = ((")", "("), ("]", "["), ("}", "{"))


def is_unbalanced(syntax: Syntax, start: int, end: int) -> bool:
    """Whether brackets are opened or closed between two places of a broken text that had as many of both before."""
    if not syntax.errors or syntax.node_at(start).type in _PROSE:
        return False
    text = syntax.document.text
    if _is_even(_NO_CODE.sub("", text[start:end])):
        return False
    return _is_even(_NO_CODE.sub("", text[:start] + text[end:]))


def closes_more(text: str) -> bool:
    """Whether a brace is closed in it that was opened before: what follows is then in something else."""
    depth = 0
    for character in _NO_CODE.sub("", text) if "}" in text else "":
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth < 0:
            return True
    return False


def _is_even(code: str) -> bool:
    """Whether as many are opened as closed."""
    return all(code.count(closing) == code.count(opening) for closing, opening in _PAIRS)
