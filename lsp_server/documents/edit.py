"""Whether a suggestion for an earlier state of a text still holds for the present one, and what is left.

Two texts are compared, not a log of edits: typing, undoing and typing again, and an editor's own closing of
a bracket all come to the same question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index import Document

_CLOSING = frozenset(")]}\"'`")


@dataclass(frozen=True, slots=True)
class Typed:
    """What came to stand at a place since a suggestion was made for it."""

    text: str
    """Before the cursor."""
    closed: str
    """Behind it: brackets and quotes that the editor closed by itself."""


def typed_since(before: Document, offset: int, now: Document, cursor: int) -> Typed | None:
    """What was typed at `offset` until the cursor came where it is; None if anything else changed."""
    old, new = before.text, now.text
    end = offset + len(new) - len(old)
    if not offset <= cursor <= end or not new.startswith(old[:offset]) or not new.endswith(old[offset:]):
        return None
    closed = new[cursor:end]
    return Typed(new[offset:cursor], closed) if _CLOSING.issuperset(closed) else None


def remainder(suggestion: str, typed: Typed) -> str | None:
    """What is still to be typed of a suggestion, in place of what was closed; None if it no longer holds."""
    rest = suggestion[len(typed.text) :]
    if not rest or not suggestion.startswith(typed.text):
        return None
    unread = iter(rest)
    return rest if all(character in unread for character in typed.closed) else None
