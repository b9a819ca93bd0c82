"""Resolves the names of Python modules: from a name to its file, and from a file to the name that an import would use.

Knows the files of the workspace, packages with and without `__init__.py`, and relative imports. Does not know what is
installed. `modules.resolver` calls it. The words used here:

- root: a folder of the workspace that the editor has opened;
- project: a root, or a folder with a `pyproject.toml`, `setup.py` or `setup.cfg`;
- declared folder: one from which a project imports, by its files or its layout (`modules.source_roots`);
- source root: a folder in which absolute imports begin: a project, a declared folder, or a `src` that is no package;
- top: the folder that holds the outermost package around a file.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from context_index.disk import is_file
from context_index.exports.model import Import
from context_index.modules.manifest import Manifests
from context_index.modules.paths import parts_in_common
from context_index.modules.source_roots import source_roots

_INITS = ("__init__.pyi", "__init__.py")
_SUFFIXES = (".pyi", ".py")
"""A stub takes precedence over its module, as it does in type checkers."""
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class PythonStyle:
    """How a file writes its imports."""

    relative: bool = False
    """Whether imports within its own package are relative: `from .cart import Cart`."""


def rules(
    has: Callable[[Path], bool],
    _below: Callable[[Path], Iterable[Path]],
    roots: tuple[Path, ...],
    _manifests: Manifests,
) -> PythonModules:
    """See `modules.resolver.ModuleRules`."""
    return PythonModules(has, roots)


class PythonModules:
    """Resolves imports among the files of a workspace; see `modules.resolver.ModuleRules`.

    Args:
        has: Whether the workspace has a file.
        roots: The folders of the workspace.
    """

    def __init__(self, has: Callable[[Path], bool], roots: tuple[Path, ...]) -> None:
        self._has = has
        self._roots = roots
        self._nearest_root: dict[Path, Path | None] = {}
        """The nearest source root of each directory, at or above it; None if there is none."""
        self._source_roots: list[Path] = []
        """All source roots in `_nearest_root`, in the order in which they were found."""
        self._declared: dict[Path, tuple[Path, ...]] = {}
        """The declared folders of each project."""
        self._words: set[str] = set()
        """All names that files and directories of the workspace have or once had.

        A module whose first name is not among them is not of the workspace, so no file is looked for.
        """
        self._found: dict[tuple[Path, str], Path | None] = {}
        """By directory and dotted name: the module's file below it. Most files import what others import, too."""

    def forget(self) -> None:
        """Drop what depends on project files, as one of them changed."""
        self._nearest_root.clear()
        self._source_roots.clear()
        self._declared.clear()

    def forget_files(self) -> None:
        """Drop what depends on the set of files."""
        self._found.clear()

    def learn(self, paths: Iterable[Path]) -> None:
        """Record the source roots and the names of files, so that all files can import from them."""
        self._found.clear()
        for path in paths:
            self._source_root(path.parent)
            self._words.update(path.parts, (path.stem,))

    def style(self, _importer: Path, imports: Iterable[Import]) -> PythonStyle:
        """How a file writes imports: relative if any of its imports is."""
        return PythonStyle(any(statement.module.startswith(".") for statement in imports))

    def resolve(self, importer: Path, module: str) -> Path | None:
        """The file of the workspace that a dotted name, with its leading dots, names; None if there is none."""
        name = module.lstrip(".")
        dots = len(module) - len(name)
        parts = name.split(".") if name else []
        if not all(part.isidentifier() for part in parts):  # broken code
            return None
        if dots:
            directory = importer.parent
            for _ in range(dots - 1):
                directory = directory.parent
            return self._file(directory, parts)
        if parts and parts[0] not in self._words:
            return None
        for directory in self._search_path(importer):
            key = directory, name
            if key not in self._found:
                self._found[key] = self._file(directory, parts)
            if (file := self._found[key]) is not None:
                return file
        return None

    def specifier(self, importer: Path, target: Path, style: PythonStyle) -> str | None:
        """What `importer` would write between `from` and `import`; None if it cannot import the file."""
        module = _module_parts(target)
        top = self._top(target)
        if self._has(target) and self._is_hidden(target, self._source_root(top)):
            return None
        if style.relative and self._may_be_relative(importer, target):
            package = importer.parent.parts
            common = parts_in_common(package, module)
            dots = "." * (1 + len(package) - common)
        else:
            if top != self._top(importer):  # if they have one top, imports begin there, as in `_search_path`
                top = self._source_root(top)
            common, dots = len(top.parts), ""
        names = module[common:]
        if not all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
            return None
        return dots + ".".join(names) or None

    def package(self, path: Path) -> Path | None:
        """The outermost package around a file, as its directory; None if the file is in no package."""
        top = self._top(path)
        return None if top == path.parent else top / path.relative_to(top).parts[0]

    def _may_be_relative(self, importer: Path, target: Path) -> bool:
        """Whether both files are in one outermost package: relative imports cannot leave it."""
        top = self._top(importer)
        if self._init(importer.parent) is None or self._top(target) != top:
            return False
        return self._init(top) is not None or self.package(importer) == self.package(target)

    def _is_hidden(self, target: Path, root: Path) -> bool:
        """Whether the name of a file, from a source root on, leads to another package or module, or nowhere."""
        file = self._file(root, list(_module_parts(target)[len(root.parts) :]))
        return file is None or file.with_suffix("") != target.with_suffix("")

    def _file(self, directory: Path, parts: list[str]) -> Path | None:
        """The file of the module with these names below a directory; without names, the directory's own `__init__`.

        A package takes precedence over a module of the same name, and a module has no modules in it.
        """
        path = directory
        for number, part in enumerate(parts, 1):
            path = path / part
            package = self._init(path)
            files = [] if package is not None else [path.with_name(part + suffix) for suffix in _SUFFIXES]
            module = next((file for file in files if self._has(file)), None)
            if number == len(parts):
                return package or module
            if module is not None:
                return None
        return self._init(directory)

    def _search_path(self, importer: Path) -> Iterator[Path]:
        """Where an absolute import may begin, in order.

        First the file's top, as when the file is run; then the source roots around it; then all source roots.
        """
        top = self._top(importer)
        yield top
        for directory in importer.parents:
            if directory != top and self._source_root(directory) == directory:
                yield directory
            if directory in self._roots:
                break
        yield from self._source_roots

    def _init(self, directory: Path) -> Path | None:
        """The file that makes a directory a package; None if the directory has none."""
        return next((file for init in _INITS if self._has(file := directory / init)), None)

    def _top(self, path: Path) -> Path:
        """The directory that holds the outermost package around a file."""
        directory = path.parent
        while self._init(directory) is not None and directory not in self._roots:
            directory = directory.parent
        return directory

    def _source_root(self, directory: Path) -> Path:
        """The nearest source root at or above a directory; the directory itself if there is none."""
        return self._find_root(directory) or directory

    def _find_root(self, directory: Path) -> Path | None:
        """The nearest source root at or above a directory; None if there is none. A new one joins `_source_roots`."""
        if directory not in self._nearest_root:
            is_source = directory.name == "src" and self._init(directory) is None
            if self._is_project(directory) or is_source or directory in self._declared_above(directory):
                self._source_roots.append(directory)
                self._nearest_root[directory] = directory
            else:
                has_parent = directory != directory.parent
                self._nearest_root[directory] = self._find_root(directory.parent) if has_parent else None
        return self._nearest_root[directory]

    def _is_project(self, directory: Path) -> bool:
        return directory in self._roots or any(is_file(directory / name) for name in _PROJECT_FILES)

    def _declared_above(self, directory: Path) -> tuple[Path, ...]:
        """The declared folders of the nearest project above a folder."""
        project = next((parent for parent in directory.parents if self._is_project(parent)), None)
        if project is None:
            return ()
        if project not in self._declared:
            self._declared[project] = source_roots(project)
        return self._declared[project]


def module_name(path: Path) -> str:
    """The last part of a module's name: the file's stem, or the folder of an `__init__`."""
    return _module_parts(path)[-1]


def package_of(module: str) -> str:
    """The dotted name of the package that a module is in, from the module's own; empty if the module is in none."""
    before, dot, name = module.rpartition(".")
    return (before if before.strip(".") else before + dot) if name else ""


def _module_parts(path: Path) -> tuple[str, ...]:
    """The path of a module's file as the parts of a name: a package's `__init__` has those of its directory."""
    return path.parent.parts if path.stem == "__init__" else (*path.parent.parts, path.stem)
