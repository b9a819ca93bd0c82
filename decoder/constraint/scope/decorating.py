"""Allows a suggestion to end with a decorator whose function or class is not written yet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decoder.grammar import State, Surroundings

_REACH: Final = 2_000
"""Characters above the cursor in which a decorator begins."""
_DECORATOR: Final = re.compile(r"^([ \t]*)@(?=[\w$(.]|\Z)[^\n]*(?:\n|\Z)", re.MULTILINE)
_DEFINITIONS: Final = ("class _: pass", "class _ {}", "_() {}")
"""What may be below a decorator, in Python and in scripts."""


def fits_above_definition(surroundings: Surroundings, prefix: str, written: str, state: State) -> bool:
    """Whether a decorator that was begun above the cursor may end with `written`, a definition being written next."""
    indentation = _begun(prefix)
    if indentation is None:
        return False
    for definition in _DEFINITIONS:
        body = f"\n{indentation}{definition}"
        after = state.advance(body)
        if after is not None and surroundings.accept(written + body, after):
            return True
    return False


def _begun(prefix: str) -> str | None:
    """The white space before the decorator that the end of a text is in; None where it is in none."""
    above = prefix[-_REACH:]
    last = None
    for last in _DECORATOR.finditer(above):  # noqa: B007 - the last one is wanted
        pass
    if last is None:
        return None
    inside = above[last.start() :]
    is_open = sum(map(inside.count, "([{")) > sum(map(inside.count, ")]}"))
    return last[1] if "\n" not in inside or is_open else None
