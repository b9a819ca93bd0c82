"""The import edits of Inscope's own index: for the menu, and for suggestions where no checker answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index import difference, import_edit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from context_index import Edit, Importable, ModuleKind, Syntax


@dataclass(frozen=True, slots=True)
class AddedImports:
    """What a suggestion imports."""

    names: tuple[Importable, ...] = ()
    edits: tuple[Edit, ...] = ()
    """Edits of the document without the suggestion."""


NO_IMPORTS = AddedImports()


def add_imports(syntax: Syntax, names: Sequence[Importable], around: ModuleKind | None = None) -> AddedImports:
    """One edit after which all of `names` are in scope.

    Args:
        around: The kind of the script, where its text does not show it.
    """
    if len(names) <= 1:
        return AddedImports(tuple(names), tuple(import_edit(syntax, name, around) for name in names))
    imported = syntax
    for name in names:
        edit = import_edit(imported, name, around)
        imported = imported.edited(imported.document.edited([edit], imported.document.revision), [edit])
    return AddedImports(tuple(names), (difference(syntax.document.text, imported.document.text),))


def as_written(names: Iterable[Importable], new: Iterable[tuple[str, str]]) -> tuple[Importable, ...]:
    """Names with the modules from which they are imported.

    Args:
        new: Module and name of each import.
    """
    modules = {name: module for module, name in new}
    return tuple(replace(one, module=modules.get(one.text, one.module)) for one in names)


def nearest(names: Collection[str], importable: Iterable[Importable]) -> tuple[Importable, ...] | None:
    """The nearest candidate for each name; None where one has none."""
    offered: dict[str, Importable] = {}
    for one in importable:
        offered.setdefault(one.text, one)
    return tuple(offered[name] for name in sorted(names)) if all(name in offered for name in names) else None
