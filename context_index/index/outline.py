"""The outline of a file: the names that it exports, in a few bytes. More is loaded of a file only when it is needed.

An outline is a text: the number of names and the file's marks, then the names, one a line. It follows no re-exports; a
file with an `export *` is marked, and `Catalog` follows it.
"""

from __future__ import annotations

from pathlib import Path

from context_index.exports import Export
from context_index.index.facts import FileFacts
from context_index.symbols import ModuleKind
from context_index.text import record_of

_HAS_STARS = "s"
_AMBIENT = "a"
_LOADED_AS = {"m": ModuleKind.ES, "c": ModuleKind.COMMON_JS}
"""The marks: of re-exports of all names, of names declared for all files, of a script's kind, which is the last."""


def outline_of(facts: FileFacts, path: Path) -> str:
    """The outline of a file; its names are those that are meant for importers."""
    exports = facts.exports
    marks = _HAS_STARS * bool(exports.stars) + _AMBIENT * bool(exports.ambient)
    marks += next((mark for mark, kind in _LOADED_AS.items() if kind is facts.module_kind), "")
    names = (importable_name(path, export) for export in exports.own if is_offered(path, export))
    return "\n".join([f"{len(exports.own)} {marks}", *(name for name in names if "\n" not in name)])


def symbols(outline: str) -> int:
    """The number of names that the file exports."""
    return int(outline[: outline.index(" ")])


def passes_on(outline: str) -> bool:
    """Whether the file re-exports all names of other files."""
    return _HAS_STARS in outline.partition("\n")[0]


def is_ambient(outline: str) -> bool:
    """Whether the file declares names for all others."""
    return _AMBIENT in outline.partition("\n")[0]


def module_kind(outline: str) -> ModuleKind | None:
    """The file's module kind, if its text decides it."""
    return _LOADED_AS.get(outline.partition("\n")[0][-1:])


def names(outline: str) -> list[str]:
    """The names that are meant for importers, as they would write them."""
    return outline.split("\n")[1:]


def is_offered(path: Path, export: Export) -> bool:
    """Whether a name is meant for importers: public, or lifted into a package from a module inside it."""
    return export.public or (path.stem == "__init__" and export.is_lifted)


def importable_name(path: Path, export: Export) -> str:
    """The name by which an importer would call an export of a file."""
    record = record_of(path)
    if record is None or not record.has_default_exports:
        return export.name
    stem = path.name.partition(".")[0]
    return export.imported_as(stem if stem != "index" else path.parent.name)
