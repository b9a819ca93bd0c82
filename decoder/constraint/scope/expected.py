"""What kind of identifier may stand at the end of a text: the question of everybody who has lists of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.grammar import Role
from decoder.grammar.words import words

if TYPE_CHECKING:
    from decoder.grammar.roles import RoleFinder
    from decoder.grammar.state import State

_PROBE = "x"
"""Any letter: whatever is unfinished at the end, and no word, ends before it."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An identifier that may begin at the end of a text, or that has begun there."""

    roles: frozenset[Role] = frozenset()
    """Whatever the identifier may turn out to be; empty where none may stand."""
    word: str = ""
    """What has been written of it."""
    dot: int | None = None
    """Where `roles` has MEMBER: how far the `.` or `?.` after the receiver begins from where the constraint was made,
    in characters; negative within the text above the cursor."""


def expected(state: State, roles: RoleFinder, text: str, made_at: int) -> Expected:
    """What may stand at the end of `text`, which `state` has read; `made_at` is where in it the constraint began."""
    found: set[Role] = set()
    word = ""
    probed = state.feed(_PROBE)
    for written, after in words(probed) if probed is not None else ():
        roles_here = roles.possible(after)
        found |= roles_here
        word = written[: -len(_PROBE)] if roles_here else word
    dot = None
    if Role.MEMBER in found:
        before = text[: len(text) - len(word)].rstrip()
        if before.endswith("."):
            dot = len(before) - (2 if before.endswith("?.") else 1) - made_at
    return Expected(frozenset(found), word, dot)
