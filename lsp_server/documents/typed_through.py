"""The ghost text that is shown, kept so that typing through it needs no model.

An immutable value; the session holds the current one of each document. It also holds while characters are deleted
again, back to the place that the suggestion was made for. Two texts are compared, not a log of edits, so typing,
undoing, typing again and the editor's own closing of a bracket are one case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index import Document, Importable


_CLOSING = frozenset(")]}\"'`")
_TAG = re.compile(r"</[\w.:-]*>")


@dataclass(frozen=True, slots=True)
class TypedText:
    """What came to stand at a place since a suggestion was made for it."""

    text: str
    """Before the cursor."""
    closed: str
    """Behind it: brackets, quotes and elements that the editor closed by itself."""

    @property
    def replaced(self) -> str:
        """What of that a suggestion takes the place of."""
        return "" if _stays(self.closed) else self.closed


def typed_since(before: Document, offset: int, now: Document, cursor: int) -> TypedText | None:
    """What was typed at `offset` until the cursor came where it is; None if anything else changed."""
    old, new = before.text, now.text
    end = offset + len(new) - len(old)
    if not offset <= cursor <= end or not new.startswith(old[:offset]) or not new.endswith(old[offset:]):
        return None
    closed = new[cursor:end]
    return TypedText(new[offset:cursor], closed) if _CLOSING.issuperset(closed) or _stays(closed) else None


def remainder(suggestion: str, typed: TypedText) -> str | None:
    """What is still to be typed of a suggestion, in place of what was closed; None if it no longer holds.

    Nothing on another line is replaced, which editors do not take, nor an element's end, which some add after the key:
    it is left off where the suggestion ends with it.
    """
    rest = suggestion[len(typed.text) :]
    if not rest or not suggestion.startswith(typed.text):
        return None
    if _stays(typed.closed):
        is_reported = rest.endswith(typed.closed) or not typed.closed.strip()
        return rest.removesuffix(typed.closed) or None if is_reported else None
    if rest == typed.closed:  # all of it stands there
        return None
    unread = iter(rest)
    return rest if all(character in unread for character in typed.closed) else None


def _stays(closed: str) -> bool:
    """Whether nobody may replace it: an element's end, or a bracket that the editor moved to a line of its own."""
    return _TAG.fullmatch(closed) is not None or ("\n" in closed and _CLOSING.issuperset("".join(closed.split())))


@dataclass(frozen=True, slots=True)
class Ghost:
    """Ghost text, for a cursor."""

    text: str
    replaces: int = 0
    """Characters after the cursor that it takes the place of: a word's rest, or what the editor closed by itself."""
    imports: tuple[Importable, ...] = ()
    """What must be imported once it is accepted."""


@dataclass(frozen=True, slots=True)
class ShownSuggestion:
    """A suggestion, and the place and the text that it was made for."""

    document: Document
    offset: int
    text: str
    imports: tuple[Importable, ...] = ()
    replaces: int = 0
    """Characters after the place that it takes the place of: the rest of a word."""
    others: tuple[ShownSuggestion, ...] = ()
    """What else a person was given to choose from."""

    def all_at(self, document: Document, cursor: int, beginning: str = "") -> tuple[Ghost, ...]:
        """What is left of it and of the others that still hold, each text once."""
        ghosts = (one.at(document, cursor, beginning) for one in (self, *self.others))
        return tuple({ghost.text: ghost for ghost in ghosts if ghost}.values())

    def at(self, document: Document, cursor: int, beginning: str = "") -> Ghost | None:
        """What is left of it after what was typed since; None if something else happened.

        The answer begins with `beginning` (the item selected in the editor's menu).
        """
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or (rest := remainder(self.text, typed)) is None or not rest.startswith(beginning):
            return None
        if self.replaces and typed.closed:
            return None
        return Ghost(rest, len(typed.replaced) + self.replaces, self.imports)
