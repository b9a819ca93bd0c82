"""Finds the modules of Python's standard library and of a project's installed packages, and the names that they export.

`context_index.libraries` reads the files. Stubs take precedence over sources: jedi's for the standard library,
`*-stubs` and `.pyi` files for others. Of an installed package, its own names and those of its direct modules count.
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
"""The name of the standard library as a package; no distribution is called so."""
_MOST_MODULES = 40
"""The most modules that are read of one installed package."""
_SUFFIXES = (".pyi", ".py")
"""In the order in which they are looked for."""
_LEFT_OUT = frozenset({"this", "antigravity", "idlelib", "lib2to3", "turtledemo", "test", "__main__"})
"""Modules of the standard library that programs do not import."""
_STUB_NAMES = frozenset({"Incomplete", "Self", "Unused", "StrPath", "StrOrBytesPath", "ReadableBuffer"})
"""Names that stubs define or import for themselves and that no module has at run time."""


@dataclass(frozen=True, slots=True)
class PythonPackage:
    """The modules of one distribution, or of the standard library."""

    name: str
    version: str
    modules: Mapping[str, Path]
    """Each module's file, by its dotted name."""


class _Reader(Protocol):
    """What `read` needs of `libraries.package_reader.PackageReader`, which imports this module."""

    def of_python(self, project: Path) -> Iterator[Sequence[PackageExport]]: ...


def folder_of(root: Path, _path: Path, _manifests: Manifests) -> Path:
    """The directory whose libraries a file sees: its root, as each root has one environment."""
    return root


def read(reader: _Reader, directory: Path, _manifests: Manifests) -> Iterator[Sequence[PackageExport]]:
    """The exports of a directory's libraries, one sequence for each package."""
    return reader.of_python(directory)


def has_node_types(_directory: Path) -> bool:
    """Whether types of Node's modules are installed for a directory: never, as Python has no use for them."""
    return False


def standard_library(version: tuple[int, int]) -> PythonPackage | None:
    """The modules of the standard library, with jedi's stubs as their files; None if the stubs are missing.

    Only modules that the running Python has are listed: neither those of other systems nor of other versions.

    Args:
        version: That of the project's Python; it becomes a part of the package's version.
    """
    spec = importlib.util.find_spec("jedi")
    locations = spec.submodule_search_locations if spec is not None else None
    stubs = Path(locations[0]) / "third_party" / "typeshed" / "stdlib" if locations else None
    if stubs is None or not is_folder(stubs):
        return None
    sources = Path(sysconfig.get_path("stdlib"))
    modules = {
        name: path
        for name, path in _modules(stubs, "")
        if (top := name.partition(".")[0]) in sys.stdlib_module_names and top not in _LEFT_OUT
        if _is_in_running_python(name, sources)
    }
    return PythonPackage(STANDARD, f"{version[0]}.{version[1]} {sys.platform}", modules)


def version_of(environment: Path | None) -> tuple[int, int]:
    """The Python version that an environment's `pyvenv.cfg` states, as (major, minor); else the running Python's."""
    text = _text_of(environment / "pyvenv.cfg") if environment is not None else ""
    match = re.search(r"^version(?:_info)?\s*=\s*(\d+)\.(\d+)", text, re.MULTILINE)
    return (int(match[1]), int(match[2])) if match else sys.version_info[:2]


def _is_in_running_python(module: str, sources: Path) -> bool:
    """Whether the running Python has a module, built in, as a source, or compiled.

    Args:
        sources: The folder of the running Python's standard library.
    """
    if module in sys.builtin_module_names or is_folder(path := sources.joinpath(*module.split("."))):
        return True
    if is_file(path.with_suffix(".py")) or module == "os.path":
        return True
    return "." not in module and any((sources / "lib-dynload").glob(f"{module}.*"))


def installed(environment: Path, project: Path) -> Iterator[PythonPackage]:
    """The packages of an environment that a project declares as dependencies; all packages if it declares none."""
    wanted = declared(project)
    for site in package_folders(environment):
        for info in sorted(site.glob("*.dist-info")):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            if wanted and _normal(name) not in wanted:
                continue
            modules: dict[str, Path] = {}
            for top in _top_level_names(info):
                modules |= _package_modules(site, top)
            if modules:
                yield PythonPackage(name, version, modules)


def declared(project: Path) -> frozenset[str]:
    """The dependencies that a project lists in pyproject.toml or requirements files, by normalised names."""
    try:
        data = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        data = {}
    table = section(data, "project")
    lists = [table.get("dependencies"), *section(table, "optional-dependencies").values()]
    lists += section(data, "dependency-groups").values()
    requirements = [line for group in lists if isinstance(group, list) for line in group if isinstance(line, str)]
    requirements += section(section(section(data, "tool"), "poetry"), "dependencies")
    for path in sorted(project.glob("requirements*.txt")):
        requirements += _text_of(path).splitlines()
    names = (re.match(r"\s*([A-Za-z0-9][\w.-]*)", line) for line in requirements)
    return frozenset(_normal(name[1]) for name in names if name) - {"python"}


def exports_of(package: PythonPackage, facts: Mapping[str, FileFacts]) -> list[PackageExport]:
    """The names of a package's public modules, and these modules themselves.

    Args:
        facts: The facts of the modules' files, by the modules' dotted names; a file that was not read is missing.
    """
    targets = {
        (module, specifier): target
        for module, module_facts in facts.items()
        for specifier in module_facts.exports.source_modules
        if (target := _absolute(module, specifier, is_package=_is_package(package.modules[module]))) in facts
    }
    package_exports = re_exports(facts, targets)
    exports: list[PackageExport] = []
    for module in package.modules:
        parent, _, last = module.rpartition(".")
        if any(part.startswith("_") for part in module.split(".")):
            continue
        exports.append(PackageExport(last, NameKind.MODULE, parent or module, is_module=not parent))
        exports += [
            PackageExport(export.name, export.kind, module)
            for export in package_exports.exported_by(module).values()
            if export.name.isidentifier() and export.name not in _STUB_NAMES
            if f"{module}.{export.name}" not in package.modules
        ]
    return exports


def _absolute(module: str, specifier: str, *, is_package: bool) -> str:
    """The dotted name of the module that a specifier, with its leading dots, names in an import of another module.

    Args:
        is_package: Whether `module`, in which the import is, is a package's `__init__`.
    """
    name = specifier.lstrip(".")
    dots = len(specifier) - len(name)
    if dots == 0:
        return name
    parts = module.split(".")
    base = parts[: len(parts) - dots + is_package]
    return ".".join([*base, *([name] if name else [])])


def _is_package(path: Path) -> bool:
    return path.stem == "__init__"


def _top_level_names(info: Path) -> list[str]:
    """The top-level modules and packages that a distribution installed, by its `.dist-info` folder."""
    if listed := _text_of(info / "top_level.txt"):
        return listed.split()
    lines = _text_of(info / "RECORD").splitlines()
    names = dict.fromkeys(
        re.sub(r"\.pyi?$", "", first)
        for line in lines
        if (first := line.partition(",")[0].partition("/")[0]).isidentifier() or first.endswith(PYTHON.suffixes)
    )
    return [name for name in names if name.isidentifier()]


def _package_modules(site: Path, top: str) -> dict[str, Path]:
    """The files of a top-level package and of its direct modules, or that of a single module, by dotted name."""
    stubs = site / f"{top}-stubs"
    directory = stubs if is_folder(stubs) else site / top
    if not is_folder(directory):
        files = [file for suffix in _SUFFIXES if is_file(file := site / f"{top}{suffix}")]
        return {top: files[0]} if files else {}
    return dict(list(_modules(directory, top, depth=1))[:_MOST_MODULES])


def _modules(directory: Path, name: str, depth: int = 8) -> Iterator[tuple[str, Path]]:
    """The dotted name and the file of each module below a directory, the directory's own `__init__` first.

    Args:
        name: The directory's dotted name; empty if it is no package.
        depth: Levels of packages that are entered; below these, only a package's `__init__` counts.
    """
    init = _file_of(directory / "__init__")
    if name and init is not None:
        yield name, init
    within = f"{name}." if name else ""
    try:
        paths = sorted(directory.iterdir())
    except OSError:  # another user's, or deleted by now
        return
    for path in paths:
        if is_folder(path) and path.name.isidentifier():
            if depth > 1:
                yield from _modules(path, within + path.name, depth - 1)
            elif (inner := _file_of(path / "__init__")) is not None:
                yield within + path.name, inner
        elif path.stem.isidentifier() and path.stem != "__init__" and path == _file_of(path.with_suffix("")):
            yield within + path.stem, path


def _file_of(module: Path) -> Path | None:
    """The stub of a module, else its source; None if there is neither. The module is a path without a suffix."""
    return next((file for suffix in _SUFFIXES if is_file(file := module.with_suffix(suffix))), None)


def _text_of(path: Path) -> str:
    """The text of a file; empty if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def _normal(name: str) -> str:
    """A distribution's name in the normalised form of PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()
