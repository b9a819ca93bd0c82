"""Follows re-exports: all names that a module exports, each with the kind and the details of its declaration.

Knows no files: its user says what a module exports by itself and which module a specifier in it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from context_index.exports.model import Export, Exports, Source
from context_index.symbols import NameKind

Module = TypeVar("Module")


@dataclass(frozen=True, slots=True)
class ReExports(Generic[Module]):
    """The modules of a package or a workspace, and what each takes from others.

    Args:
        exports: A module's own exports; None for a module that is not known.
        follow: The module that a specifier in a module names; None where it is not known.
        is_offered: Whether a module means an own export for importers.
        is_module: Whether a module takes a name that is itself a module: `from package import module`.
        deepest: The longest chain of re-exports that is followed; real chains are shorter, and cycles end.
    """

    exports: Callable[[Module], Exports | None]
    follow: Callable[[Module, str], Module | None]
    is_offered: Callable[[Module, Export], bool]
    is_module: Callable[[Module, Source], bool]
    deepest: int

    def exported_by(self, module: Module) -> Mapping[str, Export]:
        """Everything that a module exports, by name."""
        return self._of(module, self.deepest)

    def _of(self, module: Module, depth: int) -> dict[str, Export]:
        exports = self.exports(module) if depth else None
        if exports is None:
            return {}
        found: dict[str, Export] = {}
        for specifier in exports.stars:
            if (target := self.follow(module, specifier)) is not None:
                found |= {name: one for name, one in self._of(target, depth - 1).items() if name != "default"}
        for export in exports.own:
            if self.is_offered(module, export):
                found[export.name] = self._declared(module, export, depth)
        return found

    def _declared(self, module: Module, export: Export, depth: int) -> Export:
        """A re-export with the kind of the declaration that it leads to."""
        source = export.source
        if source is None or depth == 0:
            return export
        if self.is_module(module, source):
            return replace(export, kind=NameKind.MODULE)
        target = self.follow(module, source.module)
        if target is None or source.name == "*":
            return export
        exports = self.exports(target)
        original = next((one for one in exports.own if one.name == source.name), None) if exports else None
        if original is not None:
            original = self._declared(target, original, depth - 1)
        elif exports is not None and exports.stars:
            original = self._of(target, depth - 1).get(source.name)
        if original is None:
            return export
        is_type = export.is_type or original.is_type
        return replace(export, kind=original.kind, is_type=is_type)
