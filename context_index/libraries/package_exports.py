"""The exports of packages as data: of one package, with their form in the store, and of all packages of a project."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from context_index.exports import ReExports
from context_index.globals import DISTANCE, NODE_PREFIX, PREFIXED_MODULES
from context_index.index.facts import FileFacts
from context_index.index.names import FreeNames
from context_index.symbols import Importable, Language, Name, NameKind, Origin

GIVEN = ""
"""The `module` of a name that every file has without an import."""
_DEEPEST = 6
"""The longest chain of re-exports that is followed."""
_MOST_NAMES = 3_000
"""The most names that are looked at for one prefix."""


@dataclass(frozen=True, slots=True)
class PackageExport:
    """One name that may be imported from a package."""

    text: str
    kind: NameKind
    module: str
    """The module as an importer writes it; Node's own with `node:`."""
    is_default: bool = False
    is_module: bool = False
    """Whether the name is a Python module itself: `import json`."""
    is_type: bool = False


def encode(exports: Iterable[PackageExport]) -> bytes:
    """Exports as bytes for the store: JSON, as nothing in a cache directory may be able to run code."""
    rows = [
        [export.text, export.kind, export.module, export.is_default, export.is_module, export.is_type]
        for export in exports
    ]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> tuple[PackageExport, ...]:
    """The exports that `encode` was given.

    Raises:
        ValueError: the bytes were not made by `encode`.
    """
    try:
        rows = json.loads(data.decode("utf-8", "surrogatepass"))
        return tuple(PackageExport(text, NameKind(kind), *rest) for text, kind, *rest in rows)
    except TypeError as fault:
        raise ValueError(f"not the names of a package: {fault}") from fault


def re_exports(facts: Mapping[str, FileFacts], targets: Mapping[tuple[str, str], str]) -> ReExports[str]:
    """Follows the re-exports among a package's modules.

    Args:
        facts: The facts of the modules, by any names that the caller gives them.
        targets: The module that a specifier names in a module, by (module, specifier).
    """
    return ReExports(
        exports=lambda module: facts[module].exports if module in facts else None,
        follow=lambda module, specifier: targets.get((module, specifier)),
        is_offered=lambda _module, export: export.public or export.is_lifted,
        is_module=lambda _module, _source: False,  # modules are listed by themselves
        deepest=_DEEPEST,
    )


@dataclass(slots=True)
class PackageExports:
    """The exports of one project's packages, looked up by the prefix of a name."""

    by_name: dict[str, list[PackageExport]] = field(default_factory=dict)
    """The exports by their names in lower case."""
    names: Sequence[str] = ()
    """The keys of `by_name`, sorted."""
    modules: FreeNames = field(default_factory=FreeNames)
    """The Python modules among the exports."""
    given: Mapping[str, Name] = field(default_factory=dict)
    """Names that every file has without an import, such as a test runner's `describe`."""
    has_node_types: bool = False
    """Whether the project has types of Node's modules, without which TypeScript does not know them."""

    @classmethod
    def of(cls, exports: Sequence[PackageExport], *, has_node_types: bool) -> PackageExports:
        """The table of a project's exports."""
        by_name: dict[str, list[PackageExport]] = {}
        for export in exports:
            if export.module != GIVEN:
                by_name.setdefault(export.text.lower(), []).append(export)
        modules = FreeNames(tuple(_module(export) for export in exports if export.is_module))
        given = {export.text: _name(export) for export in exports if export.module == GIVEN}
        return cls(by_name, sorted(by_name), modules, given, has_node_types)

    def beginning(self, word: str, language: Language) -> Iterator[PackageExport]:
        """The exports whose names begin with a word, in either case, and that a language can import."""
        word = word.lower()
        at = bisect_left(self.names, word)
        for name in takewhile(lambda name: name.startswith(word), self.names[at : at + _MOST_NAMES]):
            yield from (export for export in self.by_name[name] if self._can_import(export, language))

    def _can_import(self, export: PackageExport, language: Language) -> bool:
        if not language.record.has_types:
            return not export.is_type
        return self.has_node_types or not export.module.startswith(NODE_PREFIX)


def importable(export: PackageExport, language: Language, *, without_prefix: bool) -> Importable:
    """An export as a name that a file of a language may import.

    Args:
        without_prefix: Whether the file writes the names of Node's modules without `node:`.
    """
    module = export.module
    if without_prefix and (name := module.removeprefix(NODE_PREFIX)) not in PREFIXED_MODULES:
        module = name
    is_module = export.is_module
    if export.kind is NameKind.MODULE and export.is_default and language.record.has_types:
        is_module = True  # `import fs from` needs a setting of TypeScript's, `import * as fs from` needs none
    return Importable(export.text, export.kind, module, export.is_default and not is_module, is_module)


def _module(export: PackageExport) -> Importable:
    return Importable(export.text, export.kind, export.module, is_module=True)


def _name(export: PackageExport) -> Name:
    return Name(export.text, export.kind, Origin.GLOBAL, DISTANCE, is_type=export.is_type)
