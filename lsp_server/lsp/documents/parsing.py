"""A document whose tree is made when it is first needed, on the thread that needs it, from the nearest earlier tree.

So a keystroke that needs no tree (typing along with ghost text) parses nothing, and the event loop never parses.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from context_index import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Document, Edit, Syntax

_MOST_EDITS = 100
"""With more edits since the last tree, parsing the whole text is no slower than applying them to the tree."""


class Parsing:
    """A document and its tree, once it is needed."""

    def __init__(self, document: Document, earlier: tuple[Syntax, tuple[Edit, ...]] | None = None) -> None:
        self.document = document
        self._earlier = earlier
        """An earlier tree and the edits since then; None without one, and once this document's own tree is made."""
        self._syntax: Syntax | None = None
        self._lock = Lock()

    def edited(self, document: Document, edits: Sequence[Edit]) -> Parsing:
        """The parsing of `document`, which is this document after `edits`. Nothing is parsed yet."""
        earlier = self._earlier
        if self._syntax is not None:  # in this order: another thread sets `_syntax` before it clears `_earlier`
            earlier = (self._syntax, ())
        if earlier is None or len(earlier[1]) + len(edits) > _MOST_EDITS:
            return Parsing(document)
        return Parsing(document, (earlier[0], (*earlier[1], *edits)))

    @property
    def syntax(self) -> Syntax:
        """The tree, parsed by the first thread that asks; any thread may ask."""
        with self._lock:
            if self._syntax is None:
                self._syntax = self._parsed()
                self._earlier = None
            return self._syntax

    def _parsed(self) -> Syntax:
        if self._earlier is None:
            return parse(self.document)
        syntax, edits = self._earlier
        return syntax.edited(self.document, edits)
