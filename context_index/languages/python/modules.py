"""Names of Python modules: from a name to its file, and from a file to the name that an import would use.

Knows packages with and without `__init__.py`, the folders that a project imports from, and relative imports among the
files of the workspace. Does not know what is installed.

- root: a folder of the workspace, as the editor has opened it;
- project: a folder with a `pyproject.toml`, `setup.py` or `setup.cfg`;
- declared: a folder in which imports begin as a project's files say, or its layout shows;
- source root: a folder in which absolute imports begin: a project, one that is declared, or a `src` that is no package;
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
"""A stub goes before its module, as type checkers have it."""
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True, slots=True)
class PythonStyle:
    """How a file writes its imports."""

    relative: bool = False
    """`from .cart import Cart` within its own package."""


def rules(
    has: Callable[[Path], bool],
    _below: Callable[[Path], Iterable[Path]],
    roots: tuple[Path, ...],
    _manifests: Manifests,
) -> PythonModules:
    """See `modules.resolver.ModuleRules`."""
    return PythonModules(has, roots)


class PythonModules:
    """Resolution among the files of a workspace."""

    def __init__(self, has: Callable[[Path], bool], roots: tuple[Path, ...]) -> None:
        self._has = has
        self._roots = roots
        self._nearest_root: dict[Path, Path | None] = {}
        self._source_roots: list[Path] = []
        """The values of `_nearest_root`, each once, in the order in which they were found."""
        self._declared: dict[Path, tuple[Path, ...]] = {}
        """By project: the folders that its files name, and its layout shows."""
        self._words: set[str] = set()
        """Every name that a file or directory of the workspace has or has had; none is taken out.

        What begins with another name is installed elsewhere.
        """

    def forget(self) -> None:
        """Look for project files again."""
        self._nearest_root.clear()
        self._source_roots.clear()
        self._declared.clear()

    def forget_files(self) -> None:
        """Nothing depends on the set of files."""

    def learn(self, paths: Iterable[Path]) -> None:
        """Record the source roots of files, so that other trees can import from them."""
        for path in paths:
            self._source_root(path.parent)
            self._words.update(path.parts, (path.stem,))

    def style(self, _importer: Path, imports: Iterable[Import]) -> PythonStyle:
        """How a file writes imports, as in those that it has."""
        return PythonStyle(any(found.module.startswith(".") for found in imports))

    def resolve(self, importer: Path, module: str) -> Path | None:
        """The file of the workspace that a dotted name, with its leading dots, stands for."""
        name = module.lstrip(".")
        dots = len(module) - len(name)
        parts = name.split(".") if name else []
        if not all(part.isidentifier() for part in parts):  # what broken code has in the place of a name
            return None
        if dots:
            directory = importer.parent
            for _ in range(dots - 1):
                directory = directory.parent
            return self._file(directory, parts)
        if parts and parts[0] not in self._words:
            return None
        for directory in self._search_path(importer):
            if (found := self._file(directory, parts)) is not None:
                return found
        return None

    def specifier(self, importer: Path, target: Path, style: PythonStyle) -> str | None:
        """What `importer` would write between `from` and `import`; None where it cannot import the file."""
        module = _module_parts(target)
        top = self._top(target)
        if self._has(target) and self._is_hidden(target, self._source_root(top)):
            return None
        if style.relative and self._may_be_relative(importer, target):
            package = importer.parent.parts
            shared = parts_in_common(package, module)
            dots = "." * (1 + len(package) - shared)
        else:
            if top != self._top(importer):  # files of one top begin there, as `_search_path` does
                top = self._source_root(top)
            shared, dots = len(top.parts), ""
        names = module[shared:]
        if not all(name.isidentifier() and not keyword.iskeyword(name) for name in names):
            return None
        return dots + ".".join(names) or None

    def package(self, path: Path) -> Path | None:
        """The outermost package around a file; None where it is in none."""
        top = self._top(path)
        return None if top == path.parent else top / path.relative_to(top).parts[0]

    def _may_be_relative(self, importer: Path, target: Path) -> bool:
        """Whether both are in one package: dots do not lead out of the outermost one."""
        top = self._top(importer)
        if self._init(importer.parent) is None or self._top(target) != top:
            return False
        return self._init(top) is not None or self.package(importer) == self.package(target)

    def _is_hidden(self, target: Path, root: Path) -> bool:
        """Whether a package or a module of the same name is before a file."""
        found = self._file(root, list(_module_parts(target)[len(root.parts) :]))
        return found is None or found.with_suffix("") != target.with_suffix("")

    def _file(self, directory: Path, parts: list[str]) -> Path | None:
        """A package goes before a module of the same name; a module has no modules in it."""
        place = directory
        for number, part in enumerate(parts, 1):
            place = place / part
            package = self._init(place)
            files = [] if package is not None else [place.with_name(part + suffix) for suffix in _SUFFIXES]
            module = next((file for file in files if self._has(file)), None)
            if number == len(parts):
                return package or module
            if module is not None:
                return None
        return self._init(directory)

    def _search_path(self, importer: Path) -> Iterator[Path]:
        """Where an absolute import may begin: the file's own tree, as when it is run, then every source root."""
        top = self._top(importer)
        yield top
        for directory in importer.parents:
            if directory != top and self._source_root(directory) == directory:
                yield directory
            if directory in self._roots:
                break
        yield from self._source_roots

    def _init(self, directory: Path) -> Path | None:
        """The file that makes a directory a package; None where it has none."""
        return next((file for init in _INITS if self._has(file := directory / init)), None)

    def _top(self, path: Path) -> Path:
        """The directory that holds the outermost package around a file."""
        directory = path.parent
        while self._init(directory) is not None and directory not in self._roots:
            directory = directory.parent
        return directory

    def _source_root(self, directory: Path) -> Path:
        """The nearest directory at or above this one from which absolute imports begin; itself where there is none."""
        return self._find_root(directory) or directory

    def _find_root(self, directory: Path) -> Path | None:
        """The same, None where there is none; each one found is also kept in `_source_roots`."""
        if directory not in self._nearest_root:
            is_source = directory.name == "src" and self._init(directory) is None
            if self._is_project(directory) or is_source or directory in self._declared_above(directory):
                self._source_roots.append(directory)
                self._nearest_root[directory] = directory
            else:
                is_top = directory == directory.parent
                self._nearest_root[directory] = None if is_top else self._find_root(directory.parent)
        return self._nearest_root[directory]

    def _is_project(self, directory: Path) -> bool:
        return directory in self._roots or any(is_file(directory / name) for name in _PROJECT_FILES)

    def _declared_above(self, directory: Path) -> tuple[Path, ...]:
        """The folders that the nearest project around a folder imports its modules from."""
        project = next((one for one in directory.parents if self._is_project(one)), None)
        if project is None:
            return ()
        if project not in self._declared:
            self._declared[project] = source_roots(project)
        return self._declared[project]


def module_name(path: Path) -> str:
    """What a module or a package is called by an import from the package that it is in."""
    return _module_parts(path)[-1]


def package_of(module: str) -> str:
    """The package that a module is in, by its dotted name; empty where it is in none."""
    before, dot, name = module.rpartition(".")
    return (before if before.strip(".") else before + dot) if name else ""


def _module_parts(path: Path) -> tuple[str, ...]:
    """The parts of a path as an import names it."""
    return path.parent.parts if path.stem == "__init__" else (*path.parent.parts, path.stem)
