"""The names visible around the cursor, indexed for fast lookups."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index.symbols import SymbolContext

_ALWAYS: Final[Mapping[bool, frozenset[str]]] = {
    False: frozenset({"arguments", "undefined", "bigint", "intrinsic", "const"}),
    True: frozenset(
        {
            *("__name__", "__file__", "__doc__", "__debug__", "__builtins__", "__spec__", "__loader__", "__package__"),
            *("__path__", "__annotations__", "__class__", "reveal_type"),
        }
    ),
}
"""Names that no declaration introduces, by whether the language is Python."""


class VisibleNames:
    """The names around a cursor."""

    def __init__(self, symbols: SymbolContext, *, imports: bool) -> None:
        self.complete = symbols.complete
        self._names = symbols.names.keys() | _ALWAYS[symbols.language.is_python]
        self.importable = frozenset(one.text for one in symbols.importable) if imports else frozenset[str]()
        self._sorted = sorted(self._names | self.importable)

    def has(self, text: str) -> bool:
        """Whether a reference may be the name."""
        return text in self._names

    def begins(self, text: str) -> bool:
        """Whether such a name, or one to import, begins with the text."""
        index = bisect_left(self._sorted, text)
        return index < len(self._sorted) and self._sorted[index].startswith(text)

    def mentions(self, text: str) -> bool:
        """Whether the name is visible, or an import would make it so."""
        return text in self._names or text in self.importable
