"""Where a name that a file imports is declared: through files that only pass it on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.cursor import Cursor
from context_index.exports import Export, Import
from context_index.retrieve.texts import Texts
from context_index.scopes import names_at
from context_index.symbols import NameKind, Origin
from context_index.syntax import Syntax

Offered = Callable[[Path, str], tuple[Path, Sequence[Export]] | None]
"""The file that a specifier in a file names, and what it offers; None where it is not of the workspace."""
_STARS = re.compile(r"""export\s*\*\s*from\s*['"]([^'"]+)|^from\s+([\w.]+)\s+import\s+\*""", re.MULTILINE)
_MOST_HOPS = 3


@dataclass(frozen=True, slots=True)
class Origins:
    """Follows names through the files of a workspace."""

    offered: Offered
    texts: Texts

    def signature(
        self, syntax: Syntax, path: Path, cursor: Cursor, imports: Sequence[Import]
    ) -> tuple[Path, str] | None:
        """The file that declares the function being called, and what follows its name there; None if unknown."""
        head, _, member = cursor.callee.partition(".")
        for found in imports:
            for one in found.names:
                wanted = member if one.name == "*" else "" if member else one.name
                there = self.offered(path, found.module) if one.local == head and wanted else None
                export = next((e for e in there[1] if e.name == wanted), None) if there is not None else None
                if there is not None and export is not None:
                    file, declared = self.declared(there[0], export)
                    return (file, declared.detail) if declared.kind is NameKind.FUNCTION else None
        own = names_at(syntax, cursor.offset).get(cursor.callee)
        is_function = own is not None and own.origin is Origin.LOCAL and own.kind is NameKind.FUNCTION
        return (path, own.detail) if own is not None and is_function else None

    def declared(self, target: Path, export: Export) -> tuple[Path, Export]:
        """Where a name that is passed on is declared."""
        for _ in range(_MOST_HOPS):
            passed = self._passed_on(target, export)
            if passed is None:
                break
            target, export = passed
        return target, export

    def _passed_on(self, target: Path, export: Export) -> tuple[Path, Export] | None:
        """The file from which another takes a name that it offers, with what is offered there."""
        if export.source is not None:
            modules, name = [export.source.module], export.source.name
        else:
            source = self.texts.source(target)
            name = export.local or export.name
            if source is None or name in "".join(source.lines[export.line : export.line + 1]):
                return None
            modules = [one or other for one, other in _STARS.findall(source.text)]
        for module in modules:
            there = self.offered(target, module)
            found = next((one for one in there[1] if one.name == name), None) if there is not None else None
            if there is not None and found is not None:
                return there[0], found
        return None
