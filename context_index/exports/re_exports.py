"""Follows re-exports: all names that a module exports, each with the kind of its declaration.

Knows no files: its users, the catalog of a workspace and the readers of packages, say what a module exports by itself
and which module a specifier in it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from context_index.exports.model import Export, Exports, ExportSource
from context_index.symbols import NameKind

Module = TypeVar("Module")


@dataclass(frozen=True, slots=True)
class ReExports(Generic[Module]):
    """The modules of a package or a workspace, and what each takes from others.

    Results are kept, so the modules must stay the same while it is used.

    Args:
        exports: A module's own exports; None for a module that is not known.
        follow: The module that a specifier in a module names; None where it is not known.
        is_offered: Whether an own export of a module is meant for importers.
        is_module: Whether the name that a module re-exports is itself a module: `from package import module`.
        deepest: The longest chain of re-exports that is followed; real chains are shorter, and cycles end.
    """

    exports: Callable[[Module], Exports | None]
    follow: Callable[[Module, str], Module | None]
    is_offered: Callable[[Module, Export], bool]
    is_module: Callable[[Module, ExportSource], bool]
    deepest: int
    _followed: dict[tuple[Module, int], Mapping[str, Export]] = field(default_factory=dict)
    """What modules export, by module and remaining depth: many names, and many ways, may lead to one module."""
    _own: dict[Module, Mapping[str, Export]] = field(default_factory=dict)
    """What modules export without their `export *`, by module and name."""

    def exported_by(self, module: Module) -> Mapping[str, Export]:
        """Everything that a module exports, by name."""
        return self._exported_within(module, self.deepest)

    def _exported_within(self, module: Module, depth: int) -> Mapping[str, Export]:
        """What a module exports if at most `depth` re-exports are followed, by name."""
        known = self._followed.get((module, depth))
        if known is None:
            known = self._followed[module, depth] = self._follow_all(module, depth)
        return known

    def _follow_all(self, module: Module, depth: int) -> Mapping[str, Export]:
        """The same, computed anew."""
        exports = self.exports(module) if depth else None
        if exports is None:
            return {}
        followed: dict[str, Export] = {}
        for specifier in exports.stars:
            if (target := self.follow(module, specifier)) is not None:
                exported = self._exported_within(target, depth - 1)
                followed |= {name: export for name, export in exported.items() if name != "default"}
        for export in exports.own:
            if self.is_offered(module, export):
                followed[export.name] = self._declared(module, export, depth)
        return followed

    def _declared(self, module: Module, export: Export, depth: int) -> Export:
        """An export; a re-export gets the kind of the declaration that it leads to, if that is known."""
        source = export.source
        if source is None or depth == 0:
            return export
        if self.is_module(module, source):
            return replace(export, kind=NameKind.MODULE)
        target = self.follow(module, source.module)
        if target is None or source.name == "*":
            return export
        original = self._own_exports(target).get(source.name)
        if original is not None:
            original = self._declared(target, original, depth - 1)
        else:
            original = self._exported_within(target, depth - 1).get(source.name)
        if original is None:
            return export
        return replace(export, kind=original.kind, is_type=export.is_type or original.is_type)

    def _own_exports(self, module: Module) -> Mapping[str, Export]:
        """What a module exports without its `export *`, by name."""
        known = self._own.get(module)
        if known is None:
            exports = self.exports(module)
            known = {} if exports is None else {export.name: export for export in exports.own}
            self._own[module] = known
        return known
