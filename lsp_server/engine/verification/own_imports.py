"""The imports of a suggestion's names, by Inscope's own index: what is imported, and the edit that does it.

The judge takes both where no checker answers. Where one does, its edits count, and only the names are the index's
(`as_written`). `repairs` tries imports until a checker accepts one; nothing is tried here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_index import difference, import_edit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from context_index import Edit, Importable, ModuleKind, Syntax


@dataclass(frozen=True, slots=True)
class AddedImports:
    """The imports that come with a suggestion."""

    names: tuple[Importable, ...] = ()
    """The imported names, each with its module, for people."""
    edits: tuple[Edit, ...] = ()
    """Edits of the document without the suggestion."""


NO_IMPORTS = AddedImports()


def add_imports(syntax: Syntax, names: Sequence[Importable], around: ModuleKind | None = None) -> AddedImports:
    """One edit after which all of `names` are in scope; no edit if there are no names.

    Args:
        around: Whether the file is an ES module or CommonJS, if its text does not show it.
    """
    if len(names) <= 1:
        return AddedImports(tuple(names), tuple(import_edit(syntax, name, around) for name in names))
    imported = syntax
    for name in names:
        edit = import_edit(imported, name, around)
        imported = imported.edited(imported.document.edited([edit], imported.document.revision), [edit])
    return AddedImports(tuple(names), (difference(syntax.document.text, imported.document.text),))


def as_written(names: Iterable[Importable], new: Iterable[tuple[str, str]]) -> tuple[Importable, ...]:
    """Names with the modules from which a checker's edits import them; a name that they do not import is unchanged.

    Args:
        new: Module and name of each import that the edits add.
    """
    modules = {name: module for module, name in new}
    return tuple(replace(item, module=modules.get(item.text, item.module)) for item in names)


def nearest(names: Collection[str], importable: Iterable[Importable]) -> tuple[Importable, ...] | None:
    """What to import for each name, sorted by name: the first of `importable`; None if a name is not among them.

    Args:
        importable: The nearest module first.
    """
    nearest_of: dict[str, Importable] = {}
    for item in importable:
        nearest_of.setdefault(item.text, item)
    return tuple(nearest_of[name] for name in sorted(names)) if all(name in nearest_of for name in names) else None
