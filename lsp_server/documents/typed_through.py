"""Ghost text that was shown, kept so that typing through it costs no model.

A value; the session holds the current one of each document. Taking characters back serves as well, as long as
the place of the suggestion itself is not reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsp_server.documents.edit import remainder, typed_since

if TYPE_CHECKING:
    from context_index import Document, Importable


@dataclass(frozen=True, slots=True)
class Ghost:
    """Ghost text, for a cursor."""

    text: str
    replaces: int = 0
    """Characters after the cursor that it takes the place of: a word's rest, or what the editor closed by itself."""
    imports: tuple[Importable, ...] = ()
    """What must be imported once it is accepted."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A suggestion, and the place and the text that it was made for."""

    document: Document
    offset: int
    text: str
    imports: tuple[Importable, ...] = ()
    replaces: int = 0
    """Characters after the place that it takes the place of: the rest of a word."""
    others: tuple[Shown, ...] = ()
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
