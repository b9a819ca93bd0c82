"""What is asked for in a rename: a name in a file, its new name, and which of its places there are meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index import MentionForm, mentions, whole_lines

if TYPE_CHECKING:
    from context_index import Document, Syntax

_UNMEANT = frozenset({MentionForm.TEXT, MentionForm.CODE, MentionForm.LABEL})
"""The forms of a name at which no rename begins: strings but those of `__all__`, and labels."""


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """A symbol and its new name. Offsets count the code points of the file's text."""

    syntax: Syntax
    """The tree of the file in which the rename is asked for."""
    old: str
    new: str
    chosen: tuple[int, int] | None = None
    """Start and end offset of a range in whose lines the name means the symbol; None for the whole file."""
    place: int | None = None
    """The offset of the name; None if no single place is meant."""
    takes_all: bool = False
    """Whether the places that only may have the name are renamed as well."""

    @property
    def document(self) -> Document:
        """The file in which the rename is asked for."""
        return self.syntax.document

    @property
    def is_private(self) -> bool:
        """Whether the name is one of ECMAScript's private names."""
        return self.old.startswith("#")

    def places(self) -> list[int]:
        """The offsets of the name that are meant, in order; those in strings of `__all__` come last."""
        text = self.document.text
        start, end = (0, len(text)) if self.chosen is None else whole_lines(text, *self.chosen)
        names = [mention for mention in mentions(self.syntax, self.old) if mention.form not in _UNMEANT]
        if self.place is not None:
            return [name.start for name in names if name.start == self.place]
        names.sort(key=lambda name: name.form is MentionForm.EXPORTED)
        return [name.start for name in names if start <= name.start < end]
