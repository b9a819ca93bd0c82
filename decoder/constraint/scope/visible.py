"""The names visible around the cursor, indexed for fast lookups."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language, NameKind, Origin
from decoder.constraint.scope.facts import BOTH, TYPE, VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from context_index.symbols import Name, SymbolContext

_ALWAYS: Final[Mapping[bool, frozenset[str]]] = {
    False: frozenset({"undefined", "bigint", "intrinsic", "const"}),
    True: frozenset(
        {
            *("__name__", "__file__", "__doc__", "__debug__", "__builtins__", "__spec__", "__loader__", "__package__"),
            *("__path__", "__annotations__", "__class__", "reveal_type"),
        }
    ),
}
"""Names that no declaration introduces, by whether the language is Python."""
_NO_TYPES: Final = frozenset({NameKind.PARAMETER, NameKind.VARIABLE, NameKind.METHOD})
"""Kinds of a local name that is no type, for certain."""


class VisibleNames:
    """The names around a cursor."""

    def __init__(
        self,
        symbols: SymbolContext,
        *,
        prefix: str,
        imports: bool,
    ) -> None:
        self.complete = symbols.complete
        self._names = symbols.names
        self._python = symbols.language.is_python
        self._always = _ALWAYS[self._python]
        self._typed = symbols.language in (Language.TYPESCRIPT, Language.TSX)
        self._line = prefix.count("\n")
        own = (name.distance for name in self._names.values() if name.origin is not Origin.GLOBAL)
        self._outermost = max(own, default=0) if symbols.depth is None else symbols.depth
        """The distance of the module's own scope, which nothing closes, whatever a broken text around makes of it."""
        self.importable = frozenset(one.text for one in symbols.importable) if imports else frozenset[str]()
        self._sorted = sorted({*self._names, *self._always, *self.importable})

    def has(self, text: str, space: int, level: int, *, later: bool) -> bool:
        """Whether a reference may be the name.

        Args:
            level: How many of the scopes around the cursor have been closed since.
            later: The reference is in code that runs later than the code around it.
        """
        name = self._names.get(text)
        if name is None:
            return text in self._always
        if name.distance < min(level, self._outermost):  # its scope has been closed
            return name.hides is not None and name.hides >= min(level, self._outermost)
        is_type = self._typed and space & TYPE  # which need not have been evaluated
        if not is_type and name.before_declaration and not later and not self._may_be_complete(name):
            return False
        return bool(self._space(name) & space)

    def is_scope(self, bound: AbstractSet[str], level: int) -> bool:
        """Whether the innermost scope around the cursor that is not closed has names, and none but these."""
        names = self._names.items()
        own = {text for text, name in names if name.distance == level and name.origin is not Origin.GLOBAL}
        return bool(own) and own <= bound and level < self._outermost

    def _may_be_complete(self, name: Name) -> bool:
        """Whether what declares a name above the cursor ends there, if what is written is not read as a part of it.

        In Python that is a class that the cursor is in only if what is written is indented.
        """
        is_above = name.line is not None and name.line < self._line
        return is_above and (not self._python or name.kind is NameKind.CLASS)

    def begins(self, text: str, space: int, level: int, *, later: bool) -> bool:
        """Whether such a name, or one to import or to be declared, begins with the text."""
        ordered = self._sorted
        index = bisect_left(ordered, text)
        while index < len(ordered) and (known := ordered[index]).startswith(text):
            if known in self.importable or self.has(known, space, level, later=later):
                return True
            index += 1
        return False

    def mentions(self, text: str) -> bool:
        """Whether the name is known here, wherever it may be used."""
        return text in self._names or text in self._always or text in self.importable

    def _space(self, name: Name) -> int:
        if not self._typed:
            return BOTH
        if name.is_type or name.kind in (NameKind.INTERFACE, NameKind.TYPE, NameKind.TYPE_PARAMETER):
            return TYPE
        return VALUE if name.origin is Origin.LOCAL and name.kind in _NO_TYPES else BOTH
