"""The names that a file exports, in a few bytes: all that is loaded of a file until more is needed.

Follows no re-exports; a file that has some is marked, and `Catalog` knows all its names.
"""

from __future__ import annotations

from pathlib import Path

from context_index.exports import Export
from context_index.index.facts import FileFacts
from context_index.symbols import ModuleKind
from context_index.text import record_of

_PASSES_ON = "s"
_AMBIENT = "a"
_LOADED_AS = {"m": ModuleKind.ES, "c": ModuleKind.COMMON_JS}


def outline_of(facts: FileFacts, path: Path) -> str:
    """The outline of a file: how many names it exports, its marks, and the names that others may import, one a line."""
    exports = facts.exports
    marks = _PASSES_ON * bool(exports.stars) + _AMBIENT * bool(exports.ambient)
    marks += next((mark for mark, kind in _LOADED_AS.items() if kind is facts.module_kind), "")
    names = (importable_name(path, export) for export in exports.own if is_offered(path, export))
    return "\n".join([f"{len(exports.own)} {marks}", *(name for name in names if "\n" not in name)])


def symbols(outline: str) -> int:
    """The number of names that the file exports."""
    return int(outline[: outline.index(" ")])


def passes_on(outline: str) -> bool:
    """Whether the file re-exports all names of other files."""
    return _PASSES_ON in outline.partition("\n")[0]


def is_ambient(outline: str) -> bool:
    """Whether the file declares names for all others."""
    return _AMBIENT in outline.partition("\n")[0]


def module_kind(outline: str) -> ModuleKind | None:
    """The file's module kind, if its text decides it."""
    return _LOADED_AS.get(outline.partition("\n")[0][-1:])


def names(outline: str) -> list[str]:
    """The names as an importer would write them."""
    return outline.split("\n")[1:]


def is_offered(path: Path, export: Export) -> bool:
    """Whether a name is meant for importers: public, or lifted into a package from a module inside it."""
    return export.public or (path.stem == "__init__" and export.is_lifted)


def importable_name(path: Path, export: Export) -> str:
    """What an importer calls an export of a file."""
    record = record_of(path)
    if record is None or not record.has_default_exports:
        return export.name
    stem = path.name.partition(".")[0]
    return export.imported_as(stem if stem != "index" else path.parent.name)
