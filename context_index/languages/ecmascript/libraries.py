"""Finds the files of a JavaScript project's dependencies, and the names that they export.

`context_index.libraries` reads the files: declaration files, or sources where there are none. The dependencies are
those that the nearest package.json lists and that are installed. Packages of types give names to every file, such as a
test runner's `describe`. Node's own modules come from a table (`context_index.globals`).
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
"""The most files that are read of one package: enough for what its entries pass on."""
_MOST_ENTRIES = 30
"""The most specifiers of one package that are read."""
_MOST_TYPED = 200
"""The most packages of types in one directory that are looked at."""
_DECLARED_AS = {".js": ".d.ts", ".jsx": ".d.ts", ".mjs": ".d.mts", ".cjs": ".d.cts"}
"""The suffix of the declaration file beside a source."""
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_SUFFIXES = (".d.ts", ".ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs")
"""What is tried for a path without a suffix, in this order."""

Read = Callable[[list[str]], Mapping[str, FileFacts]]
"""Reads files and returns the facts of each, by its path; a file that cannot be read is missing."""


@dataclass(frozen=True, slots=True)
class ScriptPackage:
    """A dependency, and the files that are imported from it."""

    name: str
    version: str
    entries: Mapping[str, Path]
    """The file of each specifier: `name`, `name/subpath`."""


class _Reader(Protocol):
    """What `read` needs of `libraries.package_reader.PackageReader`, which imports this module."""

    def of_scripts(self, project: Package | None, directory: Path) -> Iterator[Sequence[PackageExport]]: ...


def folder_of(root: Path, path: Path, manifests: Manifests) -> Path:
    """The directory whose libraries a file sees: that of its package; its root if it is in none."""
    package = manifests.package(path.parent)
    return root if package is None else package.directory


def read(reader: _Reader, directory: Path, manifests: Manifests) -> Iterator[Sequence[PackageExport]]:
    """The exports of a directory's libraries, one sequence for each package."""
    return reader.of_scripts(manifests.package(directory), directory)


def installed(project: Package) -> Iterator[ScriptPackage]:
    """The dependencies of a project that are installed for it.

    If a package has no declaration files, its entries are those of its package of types (`@types/name`), if any.
    """
    for name in project.dependencies:
        if name.startswith("@types/"):
            continue
        package = _installed_package(project.directory, name)
        types = _installed_package(project.directory, _types_name(name))
        entries = dict(_entries(package, name)) if package is not None else {}
        if types is not None and not any(path.name.endswith(_DECLARATIONS) for path in entries.values()):
            entries = dict(_entries(types, name)) or entries
        if entries:
            versions = [each.version for each in (package, types) if each is not None]
            yield ScriptPackage(name, " ".join(versions), entries)


def typed(project: Path) -> Iterator[ScriptPackage]:
    """The packages of types that TypeScript reads unasked: all in a `node_modules/@types` at or above a directory.

    The nearest one of a name counts. Node's are left out, as their names come from a table.
    """
    seen = {"node"}
    for directory in (project, *project.parents):
        for folder in _folders(directory / "node_modules" / "@types")[:_MOST_TYPED]:
            package = load_package(folder) if folder.name not in seen else None
            file = _file(folder / (package.types or "index")) if package is not None else None
            if package is not None and file is not None:
                seen.add(folder.name)
                yield ScriptPackage(f"@types/{folder.name}", package.version, {".": file})


def has_node_types(directory: Path) -> bool:
    """Whether types of Node's modules are installed at or above a directory."""
    return any(is_file(above / NODE_TYPES) for above in (directory, *directory.parents))


def _folders(directory: Path) -> list[Path]:
    """What a directory holds, sorted; nothing if it does not exist or may not be read."""
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def given_by(package: ScriptPackage, read: Read) -> list[PackageExport]:
    """The names that a package of types gives to every file."""
    facts = read([str(path) for path in package.entries.values()])
    given = (export for file_facts in facts.values() for export in file_facts.exports.ambient)
    return [PackageExport(export.name, export.kind, GIVEN, is_type=export.is_type) for export in given]


def exports_of(package: ScriptPackage, read: Read) -> list[PackageExport]:
    """The names that can be imported by each specifier of a package, followed through re-exports."""
    facts: dict[str, FileFacts] = {}
    targets: dict[tuple[str, str], str] = {}
    due = list(dict.fromkeys(map(str, package.entries.values())))
    while due and len(facts) < _MOST_FILES:
        new_facts = read(due[: _MOST_FILES - len(facts)])
        facts |= new_facts
        sources = (source for path, read_facts in new_facts.items() for source in _sources(path, read_facts, targets))
        due = [path for path in dict.fromkeys(sources) if path not in facts]
    package_exports = re_exports(facts, targets)
    exports: list[PackageExport] = []
    for specifier, path in package.entries.items():
        for export in package_exports.exported_by(str(path)).values():
            text = export.imported_as(specifier.rpartition("/")[2])
            if text.isidentifier() or "$" in text:
                is_default = export.name == "default"
                exports.append(
                    PackageExport(text, export.kind, specifier, is_default=is_default, is_type=export.is_type)
                )
    return exports


def _sources(path: str, facts: FileFacts, targets: dict[tuple[str, str], str]) -> Iterator[str]:
    """The files of the same package from which a file passes names on; each is added to `targets` by its specifier."""
    for specifier in facts.exports.source_modules:
        if specifier.startswith(".") and (target := _file(Path(path).parent / specifier)) is not None:
            targets[path, specifier] = str(target)
            yield str(target)


def _installed_package(directory: Path, name: str) -> Package | None:
    """The package in the nearest node_modules at or above a directory that has it, as Node finds it; None if none."""
    packages = (load_package(above / "node_modules" / name) for above in (directory, *directory.parents))
    return next((package for package in packages if package is not None), None)


def _types_name(name: str) -> str:
    """The name of the package of types for a package: `@types/scope__name` for `@scope/name`."""
    return "@types/" + name.removeprefix("@").replace("/", "__")


def _entries(package: Package, name: str) -> Iterator[tuple[str, Path]]:
    """The specifiers of a package by a name, each with its declaration file, or else its source."""
    if package.is_closed:
        subpaths = [(subpath, target) for subpath, target in package.entries() if "*" not in subpath]
    else:
        subpaths = [(".", package.types or package.main or "index")]
    for subpath, target in subpaths[:_MOST_ENTRIES]:
        file = _file(package.directory / target)
        if subpath == "." and package.types and (file is None or ".d." not in file.name):
            file = _file(package.directory / package.types) or file
        if file is not None:
            yield name + subpath[1:], file


def _file(path: Path) -> Path | None:
    """The declaration file beside a source, else the source; None if there is neither.

    A path without a known suffix is completed by one, or by `/index` and one.
    """
    suffix = _DECLARED_AS.get(path.suffix)
    if suffix is not None and is_file(declaration := path.with_suffix(suffix)):
        return declaration
    if path.suffix in {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"} and is_file(path):
        return path
    bases = (path, path / "index")
    candidates = (base.with_name(base.name + suffix) for base in bases for suffix in _SUFFIXES)
    return next((file for file in candidates if is_file(file)), None)
