"""The names that a language or its host gives to every file, with their kinds, and the exports of Node's modules.

They are read from tables beside this file, which `python -m context_index.globals.regenerate` writes. A file of
JavaScript or TypeScript does not say where it will run, so the names of ECMAScript, Node and the DOM are all visible.
Which of them a project really has only the type checker knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from context_index.symbols import Language, Name, NameKind, Origin

__all__ = ["DISTANCE", "NODE_PREFIX", "NODE_TYPES", "PREFIXED_MODULES", "global_names", "node_exports"]

PREFIXED_MODULES = frozenset({"sea", "sqlite", "test", "test/reporters"})
"""Node's modules that must be imported with `node:`, as their names alone would be packages."""
NODE_PREFIX = "node:"
"""What may be written before the name of one of Node's modules."""
NODE_TYPES = Path("node_modules", "@types", "node", "package.json")
"""The file by which TypeScript finds the types of Node's modules, in a directory above the importer."""
DISTANCE = 1_000
"""The distance of a global name: greater than that of any name in nested scopes."""

_TYPES_ONLY = frozenset({NameKind.INTERFACE, NameKind.TYPE})


@cache
def global_names(language: Language) -> Mapping[str, Name]:
    """The names that are visible in every file of a language; the same mapping at every call.

    A name that several tables have is that of the last of them in `LanguageRecord.globals`.
    """
    record = language.record
    names = {name.text: name for table in record.globals for name in _names(table)}
    return MappingProxyType({text: name for text, name in names.items() if record.has_types or not name.is_type})


@cache
def node_exports() -> Mapping[str, Mapping[str, NameKind]]:
    """The exports of Node's modules with their kinds, by the module's name without `node:`.

    Among a module's exports is the module itself, under the name by which it is usually imported.
    """
    modules: dict[str, dict[str, NameKind]] = {}
    for module, name, kind in _rows("node_modules"):
        modules.setdefault(module, {})[name] = NameKind(kind)
    return MappingProxyType({module: MappingProxyType(names) for module, names in modules.items()})


def _names(table: str) -> Iterator[Name]:
    """The names in a table; an editor shows the table's name beside each."""
    for text, kind in _rows(table):
        is_type = NameKind(kind) in _TYPES_ONLY
        yield Name(text, NameKind(kind), Origin.GLOBAL, DISTANCE, detail=table, is_type=is_type)


def _rows(table: str) -> Iterator[list[str]]:
    """The columns of each row of a table."""
    text = files(__name__).joinpath(f"{table}.tsv").read_text(encoding="utf-8")
    return (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
