"""The names visible around the cursor, indexed for fast lookups."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext


class VisibleNames:
    """The names around a cursor.

    Args:
        imports: Whether a reference may also be one of `symbols.importable`.
    """

    def __init__(self, symbols: SymbolContext, *, imports: bool) -> None:
        self.complete = symbols.complete
        """Whether no other name is visible there."""
        self._name_of = symbols.language.record.name_of
        self._names = symbols.names.keys() | symbols.language.record.always
        self.importable = frozenset(name.text for name in symbols.importable) if imports else frozenset[str]()
        """Names that an import would make visible; none unless `imports` is set."""
        self._sorted = sorted(self._names | self.importable)

    def has(self, text: str) -> bool:
        """Whether the name is visible."""
        return self._name_of(text) in self._names

    def begins(self, text: str) -> bool:
        """Whether a visible or importable name begins with the text."""
        text = self._name_of(text)
        index = bisect_left(self._sorted, text)
        return index < len(self._sorted) and self._sorted[index].startswith(text)

    def mentions(self, text: str) -> bool:
        """Whether the name is visible, or an import would make it so."""
        return self.has(text) or text in self.importable
