"""Questions that were put a moment ago: who puts one again has a share in its answer, and the checker is asked once.

Whoever types what a suggestion has foretold asks just what was asked for it, and a menu asks what ghost text asks.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from context_index.oracles.pending import Waiting
from context_index.symbols import Members, Position
from context_index.text import Document

_MOST = 64


_Place = tuple[str, str, int, Position]
"""A document and its text, or as much of it as matters; the offset; and what is asked."""


class Recent:
    """The questions about one document."""

    def __init__(self, seconds: float) -> None:
        """So many seconds after its answer a question is put anew, as files may have changed on disk."""
        self._seconds = seconds
        self._asked: OrderedDict[_Place, Waiting[Members]] = OrderedDict()
        self._uri = ""
        self._lock = threading.Lock()

    def share(
        self, document: Document, offset: int, position: Position, ask: Callable[[], Waiting[Members]]
    ) -> Waiting[Members]:
        """The question as it was put before, or put now.

        What another document says may have changed with it, so all is forgotten where another one is asked about.
        """
        place = _place(document, offset, position)
        with self._lock:
            if document.uri != self._uri:
                self._asked.clear()
                self._uri = document.uri
            waiting = self._asked.get(place)
            if waiting is not None and waiting.age < self._seconds and waiting.promises and waiting.join():
                return waiting  # where nothing was known it is asked again: a checker that was ill may be well
            waiting = self._asked[place] = ask()
            while len(self._asked) > _MOST:
                self._asked.popitem(last=False)
            return waiting


def _place(document: Document, offset: int, position: Position) -> _Place:
    """The names of modules depend on nothing but their line, and are slow to list."""
    text = document.text
    if position is Position.MODULE:
        text = text[text.rfind("\n", 0, offset) + 1 : offset]
        offset = len(text)
    return document.uri, text, offset, position
