"""The ghost text that is shown, kept so that typing through it needs no model.

An immutable value; the session holds the current one of each document. It stays valid while characters are deleted
again, back to the place that the suggestion was made for. Two texts are compared, not a log of edits, so typing,
undoing, typing again and brackets that the editor closes are one case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index import Document, Importable


CLOSING: Final = ")]}\"'`"
"""What editors close by themselves after the cursor."""
_CLOSING = frozenset(CLOSING)
_TAG = re.compile(r"</[\w.:-]*>")


@dataclass(frozen=True, slots=True)
class TypedText:
    """The text inserted at a place since a suggestion was made for it."""

    text: str
    """Before the cursor."""
    closed: str
    """After the cursor: brackets, quotes and elements that the editor closed by itself."""

    @property
    def replaced(self) -> str:
        """The part of `closed` that a suggestion replaces."""
        return "" if _stays(self.closed) else self.closed


def typed_since(before: Document, offset: int, now: Document, cursor: int) -> TypedText | None:
    """The text typed from `offset` up to the cursor; None if anything else changed."""
    old, new = before.text, now.text
    end = offset + len(new) - len(old)
    if not offset <= cursor <= end or not new.startswith(old[:offset]) or not new.endswith(old[offset:]):
        return None
    closed = new[cursor:end]
    return TypedText(new[offset:cursor], closed) if _CLOSING.issuperset(closed) or _stays(closed) else None


def remainder(suggestion: str, typed: TypedText) -> str | None:
    """The rest of a suggestion after the typed text, replacing what was closed; None if it no longer fits.

    Nothing on another line is replaced, as editors reject that, nor an element's end tag, which some editors add later:
    it is removed from a suggestion that ends with it.
    """
    rest = suggestion[len(typed.text) :]
    if not rest or not suggestion.startswith(typed.text):
        return None
    if _stays(typed.closed):
        is_reported = rest.endswith(typed.closed) or not typed.closed.strip()
        return rest.removesuffix(typed.closed) or None if is_reported else None
    if rest == typed.closed:  # all of it is there
        return None
    unread = iter(rest)
    return rest if all(character in unread for character in typed.closed) else None


def _stays(closed: str) -> bool:
    """Whether a suggestion must keep it: an element's end, or a bracket that the editor moved to its own line."""
    return _TAG.fullmatch(closed) is not None or ("\n" in closed and _CLOSING.issuperset("".join(closed.split())))


@dataclass(frozen=True, slots=True)
class Ghost:
    """Ghost text, for a cursor."""

    text: str
    replaces: int = 0
    """Characters after the cursor that it replaces: the rest of a word, or what the editor closed by itself."""
    imports: tuple[Importable, ...] = ()
    """Names to import when it is accepted."""


@dataclass(frozen=True, slots=True)
class ShownSuggestion:
    """A suggestion, with the document and the offset that it was made for."""

    document: Document
    offset: int
    text: str
    imports: tuple[Importable, ...] = ()
    replaces: int = 0
    """Characters after the offset that it replaces: the rest of a word."""
    others: tuple[ShownSuggestion, ...] = ()
    """Alternatives that are offered with it."""
    continued: tuple[str, ...] = ()
    """See `lsp_server.suggestion.Suggestion.continued`."""

    def next_at(self, document: Document, cursor: int) -> ShownSuggestion | None:
        """What follows once all of it is there; None where it is not, or nothing follows."""
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or typed.text != self.text or not self.continued:
            return None
        text, *others = self.continued
        return replace(self, text=text, others=(), continued=tuple(others))

    def all_at(self, document: Document, cursor: int, beginning: str = "") -> tuple[Ghost, ...]:
        """The rest of it and of the alternatives that still fit, each text once."""
        ghosts = (one.at(document, cursor, beginning) for one in (self, *self.others))
        return tuple({ghost.text: ghost for ghost in ghosts if ghost}.values())

    def at(self, document: Document, cursor: int, beginning: str = "") -> Ghost | None:
        """The rest of it after the text typed since; None if the document changed in another way.

        The result must begin with `beginning` (the item selected in the editor's menu).
        """
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or (rest := remainder(self.text, typed)) is None or not rest.startswith(beginning):
            return None
        if self.replaces and typed.closed:
            return None
        return Ghost(rest, len(typed.replaced) + self.replaces, self.imports)
