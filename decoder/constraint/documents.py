"""The automaton's states in the documents completed last, so that after an edit only the lines below it are read again.

The model's thread holds one `DocumentStates`; no other thread uses it.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from decoder.constraint.scope import prepare
from decoder.grammar import Entries, Entry
from decoder.lexical import at_cursor

if TYPE_CHECKING:
    from context_index.symbols import Language

_KEPT = 16
"""The most documents: each costs a few megabytes (`inscope bench constraint`)."""


class DocumentStates:
    """The states of documents, each by its language and a key that the caller chooses; the least recently used go."""

    def __init__(self) -> None:
        self._entries: OrderedDict[tuple[str, Language], Entries] = OrderedDict()

    def read_ahead(self, key: str, language: Language, text: str) -> None:
        """Read a whole document, so that a later `enter` near any of its lines is quick."""
        prepare(language)
        at_cursor(text, language=language)  # which caches what `Balance` needs
        self.enter(key, language, text, len(text))

    def enter(self, key: str, language: Language, text: str, offset: int) -> Entry:
        """The automaton's state after `text[:offset]`."""
        entries = self._entries.get((key, language)) or Entries(language)
        self._entries[key, language] = entries
        self._entries.move_to_end((key, language))
        while len(self._entries) > _KEPT:
            self._entries.popitem(last=False)
        return entries.enter(text, offset)
