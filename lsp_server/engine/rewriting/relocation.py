"""Where places of some documents are after the edits of a rename. Knows texts only, and neither checker nor tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from context_index import Edit
from lsp_server.engine.edits import moved
from lsp_server.engine.rewriting.region import words_of

if TYPE_CHECKING:
    from context_index import Place

RenameEdits = Mapping[str, tuple[Edit, ...]]
"""All edits of a rename: those of each document that it changes, by the document's URI.

The edits of a document are in order and do not overlap. Their offsets count code points of the document before the
rename, whatever the other edits do.
"""


class Relocation:
    """Takes places of some documents before a rename to the same places after it.

    A place is the index of a document, and an offset in it in code points. It is *renamed* if an edit begins there. It
    is *halved* if this edit writes more than the new name, so that one name becomes two: `total` does in `{total}`,
    which becomes `{total: count}`. A checker then gives the definitions of both names for it, so whoever compares
    definitions leaves it out.
    """

    def __init__(self, new: str, edits: Sequence[Sequence[Edit]]) -> None:
        """Move nothing yet.

        Args:
            new: The new name.
            edits: Of each document, in order and without overlap; empty for one that stays.
        """
        self._new, self._edits = new, edits
        self._by_start = [{edit.start: edit for edit in edits_there} for edits_there in edits]

    def after(self, index: int, offset: int) -> Place:
        """Where a place before the rename is after it; a renamed one is where the new name begins."""
        edit = self._by_start[index].get(offset)
        place = moved(offset, self._edits[index])
        return index, place if edit is None else place + _offset_of_word(self._new, edit.text)

    def is_renamed(self, index: int, offset: int) -> bool:
        """Whether an edit begins at a place before the rename."""
        return offset in self._by_start[index]

    def is_halved(self, index: int, offset: int) -> bool:
        """Whether an edit begins at a place before the rename, and writes more than the new name."""
        edit = self._by_start[index].get(offset)
        return edit is not None and edit.text != self._new

    def renamed(self) -> set[Place]:
        """All renamed places, as they are after the rename."""
        return {self.after(index, offset) for index, by_start in enumerate(self._by_start) for offset in by_start}

    def renamed_in(self, index: int) -> set[int]:
        """The offsets of the renamed places of one document, as they are after the rename."""
        return {self.after(index, offset)[1] for offset in self._by_start[index]}

    def halved(self) -> set[Place]:
        """All halved places, as they are after the rename."""
        return {
            self.after(index, offset)
            for index, by_start in enumerate(self._by_start)
            for offset in by_start
            if self.is_halved(index, offset)
        }


def _offset_of_word(name: str, text: str) -> int:
    """The offset of a name as a whole word in a text, a private one with its `#`; 0 if the text does not have it."""
    offset = 0
    for word in words_of(text):
        offset = text.index(word, offset)
        if word == name.lstrip("#"):
            return offset - (len(name) - len(word))
        offset += len(word)
    return 0
