"""The importable names of Python's standard library and of the packages installed for a project.

Stubs take precedence over sources: jedi's for the standard library, `*-stubs` and `.pyi` files for others. Of a
package, its own names and those of its direct modules are read, no deeper ones.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from context_index.disk import is_file, is_folder
from context_index.environments import package_folders
from context_index.index.facts import FileFacts
from context_index.languages.python import PYTHON
from context_index.libraries.package_exports import PackageExport, re_exports
from context_index.modules import Manifests
from context_index.modules.jsonc import section
from context_index.symbols import NameKind

STANDARD = "python"
"""The name of the standard library; no distribution has it."""
_MOST_MODULES = 40
"""Modules read of one package."""
_SOURCES = (".pyi", ".py")
_LEFT_OUT = frozenset({"this", "antigravity", "idlelib", "lib2to3", "turtledemo", "test", "__main__"})
_NO_TYPES = frozenset({"Incomplete", "Self", "Unused", "StrPath", "StrOrBytesPath", "ReadableBuffer"})
"""What stubs define or import for themselves and no module has at run time."""


@dataclass(frozen=True, slots=True)
class PythonPackage:
    """Some modules that are read together."""

    name: str
    version: str
    modules: Mapping[str, Path]
    """By dotted name."""


class _Reader(Protocol):
    def of_python(self, project: Path) -> Iterator[Sequence[PackageExport]]: ...


def folder_of(root: Path, _path: Path, _manifests: Manifests) -> Path:
    """The directory whose libraries a file sees: its root, for which an environment is looked up."""
    return root


def read(reader: _Reader, directory: Path, _manifests: Manifests) -> Iterator[Sequence[PackageExport]]:
    """What the libraries of a directory export, package by package."""
    return reader.of_python(directory)


def has_node_types(_directory: Path) -> bool:
    """Never: they are another language's."""
    return False


def standard_library(version: tuple[int, int]) -> PythonPackage | None:
    """The modules of the standard library, as jedi's stubs have them; None where there are no stubs.

    Modules that came or went between the given version and the one that we run on are left out.
    """
    spec = importlib.util.find_spec("jedi")
    places = spec.submodule_search_locations if spec is not None else None
    stubs = Path(places[0]) / "third_party" / "typeshed" / "stdlib" if places else None
    if stubs is None or not is_folder(stubs):
        return None
    sources = Path(sysconfig.get_path("stdlib"))
    modules = {
        name: path
        for name, path in _modules(stubs, "")
        if (top := name.partition(".")[0]) in sys.stdlib_module_names and top not in _LEFT_OUT
        if _is_here(name, sources)
    }
    return PythonPackage(STANDARD, f"{version[0]}.{version[1]} {sys.platform}", modules)


def version_of(environment: Path | None) -> tuple[int, int]:
    """The Python of an environment; ours where there is none, or it does not say."""
    text = _text_of(environment / "pyvenv.cfg") if environment is not None else ""
    found = re.search(r"^version(?:_info)?\s*=\s*(\d+)\.(\d+)", text, re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else sys.version_info[:2]


def _is_here(module: str, sources: Path) -> bool:
    """Whether this system's Python has a module: others are for Windows, or of another version."""
    if module in sys.builtin_module_names or is_folder(path := sources.joinpath(*module.split("."))):
        return True
    if is_file(path.with_suffix(".py")) or module == "os.path":
        return True
    return "." not in module and any((sources / "lib-dynload").glob(f"{module}.*"))


def installed(environment: Path, project: Path) -> Iterator[PythonPackage]:
    """The packages of an environment that a project says it needs; all of them where it says nothing."""
    wanted = declared(project)
    for site in package_folders(environment):
        for info in sorted(site.glob("*.dist-info")):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            if wanted and _normal(name) not in wanted:
                continue
            modules: dict[str, Path] = {}
            for top in _tops(info):
                modules |= _package(site, top)
            if modules:
                yield PythonPackage(name, version, modules)


def declared(project: Path) -> frozenset[str]:
    """The distributions that a project says it needs, in pyproject.toml or requirements files."""
    found: list[str] = []
    try:
        data = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        data = {}
    table = section(data, "project")
    lists = [table.get("dependencies"), *section(table, "optional-dependencies").values()]
    lists += section(data, "dependency-groups").values()
    found += [line for some in lists if isinstance(some, list) for line in some if isinstance(line, str)]
    found += section(section(section(data, "tool"), "poetry"), "dependencies")
    for path in sorted(project.glob("requirements*.txt")):
        found += _text_of(path).splitlines()
    names = (re.match(r"\s*([A-Za-z0-9][\w.-]*)", line) for line in found)
    return frozenset(_normal(name[1]) for name in names if name) - {"python"}


def exports_of(package: PythonPackage, facts: Mapping[str, FileFacts]) -> list[PackageExport]:
    """The names of a package's modules, and the modules themselves."""
    targets = {
        (module, specifier): target
        for module, known in facts.items()
        for specifier in known.exports.source_modules
        if (target := _absolute(module, specifier, is_package=_is_package(package.modules[module]))) in facts
    }
    package_exports = re_exports(facts, targets)
    found: list[PackageExport] = []
    for module in package.modules:
        parent, _, last = module.rpartition(".")
        if any(part.startswith("_") for part in module.split(".")):
            continue
        found.append(PackageExport(last, NameKind.MODULE, parent or module, is_module=not parent))
        found += [
            PackageExport(export.name, export.kind, module)
            for export in package_exports.exported_by(module).values()
            if export.name.isidentifier() and export.name not in _NO_TYPES
            if f"{module}.{export.name}" not in package.modules
        ]
    return found


def _absolute(module: str, specifier: str, *, is_package: bool) -> str:
    """The dotted name that a specifier in a module stands for."""
    name = specifier.lstrip(".")
    dots = len(specifier) - len(name)
    if dots == 0:
        return name
    parts = module.split(".")
    base = parts[: len(parts) - dots + is_package]
    return ".".join([*base, *([name] if name else [])])


def _is_package(path: Path) -> bool:
    return path.stem == "__init__"


def _tops(info: Path) -> list[str]:
    """The names at the top of what a distribution installed."""
    if listed := _text_of(info / "top_level.txt"):
        return listed.split()
    lines = _text_of(info / "RECORD").splitlines()
    found = dict.fromkeys(
        re.sub(r"\.pyi?$", "", first)
        for line in lines
        if (first := line.partition(",")[0].partition("/")[0]).isidentifier() or first.endswith(PYTHON.suffixes)
    )
    return [name for name in found if name.isidentifier()]


def _package(site: Path, top: str) -> dict[str, Path]:
    """A package's own file and the public modules right in it; or one module."""
    stubs = site / f"{top}-stubs"
    directory = stubs if is_folder(stubs) else site / top
    if not is_folder(directory):
        single = [path for suffix in _SOURCES if is_file(path := site / f"{top}{suffix}")]
        return {top: single[0]} if single else {}
    found = dict(_modules(directory, top, depth=1))
    own = {top: found[top]} if top in found else {}
    return own | dict(list(found.items())[:_MOST_MODULES])


def _modules(directory: Path, name: str, depth: int = 8) -> Iterator[tuple[str, Path]]:
    """The modules below a directory by dotted name; of packages deeper than `depth` nothing but the package itself."""
    own = _source(directory / "__init__")
    if name and own is not None:
        yield name, own
    within = f"{name}." if name else ""
    try:
        paths = sorted(directory.iterdir())
    except OSError:  # another user's, or deleted by now
        return
    for path in paths:
        if is_folder(path) and path.name.isidentifier():
            if depth > 1:
                yield from _modules(path, within + path.name, depth - 1)
            elif (inner := _source(path / "__init__")) is not None:
                yield within + path.name, inner
        elif path.stem.isidentifier() and path.stem != "__init__" and path == _source(path.with_suffix("")):
            yield within + path.stem, path


def _source(path: Path) -> Path | None:
    """The stub of a module, else its source."""
    return next((found for suffix in _SOURCES if is_file(found := path.with_suffix(suffix))), None)


def _text_of(path: Path) -> str:
    """What a file says; nothing where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def _normal(name: str) -> str:
    """Distributions' names as PEP 503 compares them."""
    return re.sub(r"[-_.]+", "-", name).lower()
