"""The importable names of a JavaScript project's dependencies, from their declaration files where there are some.

The dependencies are those that the nearest package.json lists and that are installed. Names that packages of types
give to every file, such as a test runner's `describe`, need no import. Node's own modules come from a table
(`context_index.globals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from context_index.disk import is_file
from context_index.globals import NODE_TYPES
from context_index.index.facts import FileFacts
from context_index.libraries.package_exports import GIVEN, PackageExport, re_exports
from context_index.modules import Manifests, Package, load_package

_MOST_FILES = 150
"""Files read of one package: enough for what its entries pass on."""
_MOST_ENTRIES = 30
_MOST_TYPED = 200
"""Packages of types of one directory that are looked at."""
_DECLARED_AS = {".js": ".d.ts", ".jsx": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts"}
_SUFFIXES = (".d.ts", ".ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs")

Read = Callable[[list[str]], Mapping[str, FileFacts]]


@dataclass(frozen=True, slots=True)
class ScriptPackage:
    """A dependency, and the file that each specifier of it stands for."""

    name: str
    version: str
    entries: Mapping[str, Path]


class _Reader(Protocol):
    def of_scripts(self, project: Package | None, directory: Path) -> Iterator[Sequence[PackageExport]]: ...


def folder_of(root: Path, path: Path, manifests: Manifests) -> Path:
    """The directory whose libraries a file sees: that of its package."""
    package = manifests.package(path.parent)
    return root if package is None else package.directory


def read(reader: _Reader, directory: Path, manifests: Manifests) -> Iterator[Sequence[PackageExport]]:
    """What the libraries of a directory export, package by package."""
    return reader.of_scripts(manifests.package(directory), directory)


def installed(project: Package) -> Iterator[ScriptPackage]:
    """The dependencies of a project that are installed for it, with the types that others wrote for them."""
    for name in project.dependencies:
        if name.startswith("@types/"):
            continue
        package = _find(project.directory, name)
        typed = _find(project.directory, _types_name(name))
        found = dict(_entries(package, name)) if package is not None else {}
        if typed is not None and not any(path.name.endswith((".d.ts", ".d.mts", ".d.cts")) for path in found.values()):
            found = dict(_entries(typed, name)) or found
        if found:
            versions = [one.version for one in (package, typed) if one is not None]
            yield ScriptPackage(name, " ".join(versions), found)


def typed(project: Path) -> Iterator[ScriptPackage]:
    """The packages of types that TypeScript reads by itself: all in a `node_modules/@types` around a directory.

    Node's are left out, whose names come from a table.
    """
    seen = {"node"}
    for place in (project, *project.parents):
        for found in _folders(place / "node_modules" / "@types")[:_MOST_TYPED]:
            package = load_package(found) if found.name not in seen else None
            file = _file(found / (package.types or "index")) if package is not None else None
            if package is not None and file is not None:
                seen.add(found.name)
                yield ScriptPackage(f"@types/{found.name}", package.version, {".": file})


def has_node_types(directory: Path) -> bool:
    """Whether types of Node's modules are installed around a directory."""
    return any(is_file(place / NODE_TYPES) for place in (directory, *directory.parents))


def _folders(place: Path) -> list[Path]:
    """What a folder holds; nothing where it is not there, or may not be read."""
    try:
        return sorted(place.iterdir())
    except OSError:
        return []


def given_by(package: ScriptPackage, read: Read) -> list[PackageExport]:
    """The names that a package of types gives to every file."""
    found = read([str(path) for path in package.entries.values()])
    given = (export for facts in found.values() for export in facts.exports.ambient)
    return [PackageExport(export.name, export.kind, GIVEN, is_type=export.is_type) for export in given]


def exports_of(package: ScriptPackage, read: Read) -> list[PackageExport]:
    """The names that each specifier of a package has."""
    facts: dict[str, FileFacts] = {}
    targets: dict[tuple[str, str], str] = {}
    due = list(dict.fromkeys(map(str, package.entries.values())))
    while due and len(facts) < _MOST_FILES:
        fresh = read(due[: _MOST_FILES - len(facts)])
        facts |= fresh
        wanted = dict.fromkeys(target for path, known in fresh.items() for target in _follow(path, known, targets))
        due = [path for path in wanted if path not in facts]
    package_exports = re_exports(facts, targets)
    found: list[PackageExport] = []
    for specifier, path in package.entries.items():
        for export in package_exports.exported_by(str(path)).values():
            text = export.imported_as(specifier.rpartition("/")[2])
            if text.isidentifier() or "$" in text:
                is_default = export.name == "default"
                found.append(PackageExport(text, export.kind, specifier, is_default=is_default, is_type=export.is_type))
    return found


def _follow(path: str, facts: FileFacts, targets: dict[tuple[str, str], str]) -> Iterator[str]:
    """The files that one passes names on from; noted in `targets`."""
    for specifier in facts.exports.source_modules:
        if specifier.startswith(".") and (target := _file(Path(path).parent / specifier)) is not None:
            targets[path, specifier] = str(target)
            yield str(target)


def _find(directory: Path, name: str) -> Package | None:
    """An installed package, as Node looks for it: in the nearest node_modules that has it."""
    for place in (directory, *directory.parents):
        if (package := load_package(place / "node_modules" / name)) is not None:
            return package
    return None


def _types_name(name: str) -> str:
    return "@types/" + name.removeprefix("@").replace("/", "__")


def _entries(package: Package, name: str) -> Iterator[tuple[str, Path]]:
    """The specifiers of a package, each with its declaration file, or else its source."""
    if package.closed:
        named = [(subpath, target) for subpath, target in package.entries() if "*" not in subpath]
    else:
        named = [(".", package.types or package.main or "index")]
    for subpath, target in named[:_MOST_ENTRIES]:
        file = _file(package.directory / target)
        if subpath == "." and package.types and (file is None or ".d." not in file.name):
            file = _file(package.directory / package.types) or file
        if file is not None:
            yield name + subpath[1:], file


def _file(path: Path) -> Path | None:
    """The declaration file beside a file, else the file; without a suffix, whatever there is."""
    written = _DECLARED_AS.get(path.suffix)
    if written is not None and is_file(declaration := path.with_suffix(written)):
        return declaration
    if path.suffix in {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"} and is_file(path):
        return path
    for candidate in (path, path / "index"):
        for suffix in _SUFFIXES:
            if is_file(found := candidate.with_name(candidate.name + suffix)):
                return found
    return None
