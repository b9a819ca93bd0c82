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


def typed_since(before: Document, offset: int, now: Document, cursor: int) -> TypedText | None:
    """The text typed from `offset` up to the cursor; None if anything else changed."""
    old, new = before.text, now.text
    end = offset + len(new) - len(old)
    if not offset <= cursor <= end or not new.startswith(old[:offset]) or not new.endswith(old[offset:]):
        return None
    closed = new[cursor:end]
    return TypedText(new[offset:cursor], closed) if _CLOSING.issuperset(closed) or _stays(closed) else None


def remainder(suggestion: str, typed: TypedText) -> tuple[str, int] | None:
    """The rest of a suggestion after the typed text, and how many characters it replaces; None if it no longer fits.

    Where the rest ends with what the editor closed, this end is left out: of `(x)` with `(^)` in the document, `x` is
    left. So the closing bracket stays after the cursor, and people type over it as always. Nothing on another line is
    replaced, as editors reject that, nor an element's end tag, which some editors add later.
    """
    rest = suggestion[len(typed.text) :]
    if not rest or not suggestion.startswith(typed.text):
        return None
    if _stays(typed.closed):
        keeps_it = rest.endswith(typed.closed) or not typed.closed.strip()  # white space alone is in nobody's way
        left = rest.removesuffix(typed.closed)
        return (left, 0) if left and keeps_it else None
    lengths = range(len(typed.closed), 0, -1)
    shared = next((length for length in lengths if rest.endswith(typed.closed[-length:])), 0)
    left, replaced = rest[: len(rest) - shared], len(typed.closed) - shared
    # what is replaced must be in the rest, in the same order, else accepting it would take away brackets for good
    in_order = iter(left)
    fits = all(character in in_order for character in typed.closed[:replaced])
    return (left, replaced) if left and fits else None


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
    """What the text is once it was taken: longer beginnings of what the model wrote, of which it is the first.

    `f(a)` may be continued as `f(a) + b`, then as `f(a) + b * c`.
    """

    def next_at(self, document: Document, cursor: int) -> ShownSuggestion | None:
        """The next of `continued`, once all of the text is there; None where it is not, or nothing follows."""
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or typed.text != self.text or not self.continued:
            return None
        text, *others = self.continued
        return replace(self, text=text, others=(), continued=tuple(others))

    def is_typed_along(self, document: Document) -> bool:
        """Whether nothing was changed but a beginning of it typed, and maybe closed by the editor.

        Of `(x, y)`, `(x)` is such a text: the editor has closed the bracket. So is `</b>`, which it wrote after `<b>`
        before anything else was typed.
        """
        end = self.offset + len(document.text) - len(self.document.text)
        typed = typed_since(self.document, self.offset, document, end)
        if typed is None:
            return False
        written = typed.text.rstrip(CLOSING)
        return self.text.startswith(written) or _stays(written)

    def all_at(self, document: Document, cursor: int, beginning: str = "") -> tuple[Ghost, ...]:
        """The rest of it and of the alternatives that still fit, each text once."""
        ghosts = (one.at(document, cursor, beginning) for one in (self, *self.others))
        return tuple({ghost.text: ghost for ghost in ghosts if ghost}.values())

    def at(self, document: Document, cursor: int, beginning: str = "") -> Ghost | None:
        """The rest of it after the text typed since; None if the document changed in another way.

        The result must begin with `beginning` (the item selected in the editor's menu).
        """
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or (found := remainder(self.text, typed)) is None or not found[0].startswith(beginning):
            return None
        if self.replaces and typed.closed:  # between the cursor and the rest of the word that was to be replaced
            return None
        rest, replaced = found
        return Ghost(rest, replaced + self.replaces, self.imports)
