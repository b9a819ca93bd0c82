"""The folders from which a project of Python imports its own modules, by its project files or its layout.

Reads `pyproject.toml` and `setup.cfg`, and the names of folders; no source. The rules of Python's modules ask it.
"""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from context_index.disk import is_file

_FOLDER_KEYS = (
    ("setuptools", "packages", "find", "where"),
    ("setuptools", "package-dir", ""),
    ("poetry", "packages", "from"),
    ("hatch", "build", "sources"),
    ("hatch", "build", "targets", "wheel", "sources"),
    ("uv", "build-backend", "module-root"),
    ("pdm", "build", "package-dir"),
    ("maturin", "python-source"),
    ("ty", "environment", "root"),
    ("ty", "environment", "extra-paths"),
    ("pyright", "extraPaths"),
    ("mypy", "mypy_path"),
    ("pytest", "ini_options", "pythonpath"),
    ("ruff", "src"),
)
"""The keys below `[tool]` whose value names such folders, one or several."""
_PACKAGE_KEYS = (
    ("hatch", "build", "targets", "wheel", "packages"),
    ("scikit-build", "wheel", "packages"),
)
"""The keys below `[tool]` whose value names packages by their folders; they are imported from the folder above."""
_LIBRARY = "lib"
"""The name of a folder that often holds packages. `src`, the other such name, is the caller's."""


def source_roots(project: Path) -> tuple[Path, ...]:
    """The folders below a project's own from which its modules are named; those that do not exist are left out."""
    names = [Path(name) for name in _folders_named(project)]
    folders = dict.fromkeys(project / name for name in names if not name.is_absolute() and ".." not in name.parts)
    if _holds_packages(library := project / _LIBRARY):
        folders[library] = None
    return tuple(folder for folder in folders if folder != project and folder.is_dir())


def _holds_packages(folder: Path) -> bool:
    """Whether a folder has packages in it and is none itself. One without packages may be part of a module's name."""
    if not folder.is_dir() or is_file(folder / "__init__.py"):
        return False
    try:
        return any(is_file(inner / "__init__.py") for inner in folder.iterdir())
    except OSError:
        return False


def _folders_named(project: Path) -> Iterator[str]:
    """The folders that the project files name, relative to the project."""
    try:
        tools = tomllib.loads((project / "pyproject.toml").read_text("utf-8")).get("tool", {})
    except (OSError, ValueError):
        tools = {}
    for keys in _FOLDER_KEYS:
        yield from _texts(tools, keys)
    for keys in _PACKAGE_KEYS:
        yield from (str(Path(package).parent) for package in _texts(tools, keys))
    setup = configparser.ConfigParser(interpolation=None)
    try:
        setup.read(project / "setup.cfg", "utf-8")
    except (configparser.Error, ValueError):
        return
    for line in setup.get("options", "package_dir", fallback="").splitlines():
        package, sign, folder = line.partition("=")
        if sign and not package.strip():
            yield folder.strip()
    yield from setup.get("options.packages.find", "where", fallback="").split()


def _texts(value: object, keys: tuple[str, ...]) -> Iterator[str]:
    """The texts under a path of keys; in a list, under that path in each item."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item, keys)
    elif keys:
        if isinstance(value, Mapping):
            yield from _texts(value.get(keys[0]), keys[1:])
    elif isinstance(value, str):
        yield value
