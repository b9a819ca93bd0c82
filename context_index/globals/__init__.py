"""The names that a language or its host gives to every file, and the kind of each.

The tables are written by `python -m context_index.globals.regenerate`: ECMAScript, Node and the DOM for JavaScript
and TypeScript (a file does not say where it will run, so all three are visible), the builtins of Python, and Node's
own modules. Which of them a project really has is the type checker's answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from context_index.symbols import Language, Name, NameKind, Origin

__all__ = ["DISTANCE", "NODE_PREFIX", "NODE_TYPES", "PREFIXED_MODULES", "global_names", "node_modules"]

PREFIXED_MODULES = frozenset({"sea", "sqlite", "test", "test/reporters"})
"""Modules of Node that have no name without `node:`."""
NODE_PREFIX = "node:"
"""Before the name of a module of Node's; the name alone may be a package's."""
NODE_TYPES = Path("node_modules", "@types", "node", "package.json")
"""A directory above a file that has this gives TypeScript the types of these modules."""

DISTANCE = 1_000
"""Globals are farther than any scope that a program nests."""

_TYPES_ONLY = frozenset({NameKind.INTERFACE, NameKind.TYPE})


@cache
def global_names(language: Language) -> Mapping[str, Name]:
    """What is visible in every file of a language; the same mapping at every call."""
    record = language.record
    names = {name.text: name for table in record.globals for name in _table(table)}
    return MappingProxyType({text: name for text, name in names.items() if record.has_types or not name.is_type})


@cache
def node_modules() -> Mapping[str, Mapping[str, NameKind]]:
    """What each module of Node exports, by the module's name without `node:`; the module itself under its own name."""
    modules: dict[str, dict[str, NameKind]] = {}
    for module, name, kind in _rows("node_modules"):
        modules.setdefault(module, {})[name] = NameKind(kind)
    return MappingProxyType({module: MappingProxyType(names) for module, names in modules.items()})


def _table(host: str) -> Iterator[Name]:
    for name, kind in _rows(host):
        is_type = NameKind(kind) in _TYPES_ONLY
        yield Name(name, NameKind(kind), Origin.GLOBAL, DISTANCE, detail=host, is_type=is_type)


def _rows(table: str) -> Iterator[list[str]]:
    text = files(__name__).joinpath(f"{table}.tsv").read_text(encoding="utf-8")
    return (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
