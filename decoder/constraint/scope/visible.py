"""The names visible around the cursor, indexed for fast lookups."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Final

from context_index.symbols import Language, NameKind, Origin
from decoder.constraint.scope.facts import BOTH, TYPE, VALUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from context_index.symbols import Name, SymbolContext

_ALWAYS: Final[Mapping[bool, frozenset[str]]] = {
    False: frozenset({"undefined", "bigint", "intrinsic", "const"}),
    True: frozenset({"__name__", "__file__", "__doc__", "__debug__", "__builtins__", "__spec__", "__loader__"}),
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
        exported: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        self.complete = symbols.complete
        self._names = symbols.names
        self._python = symbols.language.is_python
        self._always = _ALWAYS[self._python] | (_MODULE_NAMES if self._python else frozenset())
        self._typed = symbols.language in (Language.TYPESCRIPT, Language.TSX)
        self._line = prefix.count("\n")
        own = (name.distance for name in self._names.values() if name.origin is not Origin.GLOBAL)
        self._outermost = max(own, default=0) if symbols.depth is None else symbols.depth
        """The distance of the module's own scope, which nothing closes, whatever a broken text around makes of it."""
        is_wrapped = symbols.language is Language.JAVASCRIPT and not self._outermost and _is_commonjs(prefix)
        self._parameters = _WRAPPER if is_wrapped else frozenset[str]()
        is_plain = symbols.language is Language.JAVASCRIPT and not self._outermost
        self.is_top_of_module = is_plain and self._shares_module_scope(prefix)
        """Certainly: what is certain of JavaScript alone, as in TypeScript a function may have signatures before it."""
        self._exported = exported
        self.importable = frozenset(one.text for one in symbols.importable) if imports else frozenset[str]()
        self._sorted = sorted({*self._names, *self._always, *self.importable})

    @cached_property
    def exported(self) -> frozenset[str]:
        """The names under which the module exports something already, where the cursor is at its top."""
        return frozenset() if self._python or self._outermost else self._exported()

    def _shares_module_scope(self, prefix: str) -> bool:
        """Whether the innermost scope around the cursor has names that only a module's own scope can have."""
        named = {match[1] for match in _EXPORTED.finditer(prefix)}
        is_module = _IMPORTS.search(prefix) is not None
        return any(
            name.text in named or (is_module and name.origin is Origin.IMPORT)
            for name in self._names.values()
            if not name.distance
        )

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

    def is_unset_parameter(self, text: str) -> bool:
        """Whether a name is a parameter that has no value yet where the cursor stands: in its own default, say."""
        name = self._names.get(text)
        return name is not None and name.kind is NameKind.PARAMETER and not name.distance and name.before_declaration

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

    def beginning(self, text: str) -> Iterator[str]:
        """All names that begin with a text, wherever they may be used."""
        ordered = self._sorted
        for index in range(bisect_left(ordered, text), len(ordered)):
            if not ordered[index].startswith(text):
                return
            yield ordered[index]

    def mentions(self, text: str) -> bool:
        """Whether the name is known here, wherever it may be used."""
        return text in self._names or text in self._always or text in self.importable

    def declares(self, text: str, *, var: bool) -> bool:
        """Whether the innermost scope around the cursor declares the name, so that it cannot be declared again.

        A name of the cursor's own line is the one that is being written. With `var`, only what `const`, `class` and
        imports declare counts for certain.
        """
        if not var and text in self._parameters:
            return True
        name = self._names.get(text)
        if name is None or name.distance or name.is_type or name.origin is Origin.GLOBAL or name.line == self._line:
            return False
        if name.origin is Origin.IMPORT:
            return True
        return name.kind in (NameKind.CONSTANT, NameKind.CLASS) if var else name.kind is not NameKind.NAMESPACE

    def _space(self, name: Name) -> int:
        if not self._typed:
            return BOTH
        if name.is_type or name.kind in (NameKind.INTERFACE, NameKind.TYPE, NameKind.TYPE_PARAMETER):
            return TYPE
        return VALUE if name.origin is Origin.LOCAL and name.kind in _NO_TYPES else BOTH


_WRAPPER: Final = frozenset({"exports", "require", "module", "__filename", "__dirname"})
"""Parameters of the function that Node puts around a CommonJS module."""
_IMPORTS: Final = re.compile(r"^(?:import|export)\b", re.MULTILINE)

_EXPORTED: Final = re.compile(
    r"^export\s+(?:default\s+)?(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+([\w$]+)", re.MULTILINE
)


def _is_commonjs(text: str) -> bool:
    return "require(" in text and _IMPORTS.search(text) is None


_MODULE_NAMES: Final = frozenset({"__package__", "__path__", "__annotations__", "__class__", "reveal_type"})
