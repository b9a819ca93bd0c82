"""The suggestion that is on the screen, so that typing along with it needs no model.

`lsp/session.py` holds one `ShownSuggestion` for each document. Its methods compare the document at the time of the
suggestion with the document now, and need no log of edits: so typing, deleting, typing again and brackets that the
editor closes are one case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_index import Document, Importable


CLOSING: Final = ")]}\"'`"
"""The brackets and quotes that editors put after the cursor by themselves."""
_CLOSING = frozenset(CLOSING)
_TAG = re.compile(r"</[\w.:-]*>")
"""An element's end tag, which editors also write by themselves."""


@dataclass(frozen=True, slots=True)
class TypedText:
    """The text inserted at a place since a suggestion was made for it."""

    text: str
    """The part before the cursor, which the person typed."""
    closed: str
    """The part after the cursor, which the editor wrote by itself: closing brackets and quotes, or an end tag."""


def typed_since(before: Document, offset: int, now: Document, cursor: int) -> TypedText | None:
    """What was inserted at `offset` since `before`; None if anything else changed."""
    old, new = before.text, now.text
    end = offset + len(new) - len(old)
    if not offset <= cursor <= end or not new.startswith(old[:offset]) or not new.endswith(old[offset:]):
        return None
    closed = new[cursor:end]
    return TypedText(new[offset:cursor], closed) if _CLOSING.issuperset(closed) or _stays(closed) else None


def remainder(suggestion: str, typed: TypedText) -> tuple[str, int] | None:
    """The rest of a suggestion after the typed text, and how many characters it replaces; None if it no longer fits.

    An end that the editor has written is left out: of `(x)` with `(^)` in the document, `x` is left. So the closing
    bracket stays after the cursor, and people type over it as always. Nothing on another line is replaced, as editors
    reject that, nor an element's end tag, which some editors add later.
    """
    rest = suggestion[len(typed.text) :]
    if not rest or not suggestion.startswith(typed.text):
        return None
    if _stays(typed.closed):
        is_kept = rest.endswith(typed.closed) or not typed.closed.strip()  # white space alone does no harm
        left = rest.removesuffix(typed.closed)
        return (left, 0) if left and is_kept else None
    lengths = range(len(typed.closed), 0, -1)
    shared = next((length for length in lengths if rest.endswith(typed.closed[-length:])), 0)
    left, replaced = rest[: len(rest) - shared], len(typed.closed) - shared
    # the rest must contain what it replaces, in the same order, else accepting it would remove brackets for good
    characters_left = iter(left)
    fits = all(character in characters_left for character in typed.closed[:replaced])
    return (left, replaced) if left and fits else None


def _stays(closed: str) -> bool:
    """Whether a suggestion must not replace this: an end tag, or a bracket that the editor moved to its own line."""
    return _TAG.fullmatch(closed) is not None or ("\n" in closed and _CLOSING.issuperset("".join(closed.split())))


@dataclass(frozen=True, slots=True)
class Ghost:
    """The text that is shown at a cursor."""

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
    """Longer beginnings of what the model wrote: each takes the place of the text before it once that has been taken.

    `f(a)` may be continued as `f(a) + b`, then as `f(a) + b * c`.
    """

    def next_at(self, document: Document, cursor: int) -> ShownSuggestion | None:
        """The suggestion with the next text of `continued`; None until all of the text is there, or without a next."""
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or typed.text != self.text or not self.continued:
            return None
        text, *longer = self.continued
        return replace(self, text=text, others=(), continued=tuple(longer))

    def is_typed_along(self, document: Document) -> bool:
        """Whether a beginning of the suggestion was typed, which the editor may have closed, and nothing else changed.

        For `(x, y)`, `(x)` is such a beginning: the editor has closed the bracket. `</b>` is one, too: the editor wrote
        it after `<b>`, before anything else was typed.
        """
        end = self.offset + len(document.text) - len(self.document.text)
        typed = typed_since(self.document, self.offset, document, end)
        if typed is None:
            return False
        written = typed.text.rstrip(CLOSING)
        return self.text.startswith(written) or _stays(written)

    def all_at(self, document: Document, cursor: int, beginning: str = "") -> tuple[Ghost, ...]:
        """The rests of the suggestion and its alternatives, as far as they still fit; each text once. See `at`.

        There are none once the suggestion is taken whole: that a longer text goes on was less probable than its end.
        """
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is not None and typed.text.startswith(self.text):
            return ()
        ghosts = (suggestion.at(document, cursor, beginning) for suggestion in (self, *self.others))
        return tuple({ghost.text: ghost for ghost in ghosts if ghost}.values())

    def at(self, document: Document, cursor: int, beginning: str = "") -> Ghost | None:
        """The rest of the suggestion after what was typed since; None if it no longer fits.

        Args:
            beginning: What the rest must begin with: the item selected in the editor's menu.
        """
        typed = typed_since(self.document, self.offset, document, cursor)
        if typed is None or (left := remainder(self.text, typed)) is None:
            return None
        rest, replaced = left
        # what the editor closed would stand between the cursor and the rest of the word that is replaced
        is_split = self.replaces > 0 and bool(typed.closed)
        if is_split or not rest.startswith(beginning):
            return None
        return Ghost(rest, replaced + self.replaces, self.imports)
