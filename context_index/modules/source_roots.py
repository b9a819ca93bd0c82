"""The folders from which a project of Python imports its own modules, as its project files say, or its layout shows.

Reads `pyproject.toml` and `setup.cfg`, and the names of folders; no source.
"""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from context_index.disk import is_file

_FOLDERS = (
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
"""Where `[tool]` names such folders, one or several."""
_PACKAGES = (
    ("hatch", "build", "targets", "wheel", "packages"),
    ("scikit-build", "wheel", "packages"),
)
"""Where it names packages by their folders; they are imported from the folder above."""
_LIBRARY = "lib"
"""A folder of packages that is none itself, as `src` is; one of other files may be a namespace."""


def source_roots(project: Path) -> tuple[Path, ...]:
    """The folders below a project's own that modules are named from; those that are not there are left out."""
    named = dict.fromkeys(project / one for one in _named(project) if not Path(one).is_absolute())
    folders = {Path(*one.parts): None for one in named if ".." not in one.parts}
    library = project / _LIBRARY
    if _is_library(library):
        folders[library] = None
    return tuple(one for one in folders if one != project and one.is_dir())


def _is_library(folder: Path) -> bool:
    """Whether a folder is called as one of packages, holds some, and is none itself."""
    if folder.name != _LIBRARY or not folder.is_dir() or is_file(folder / "__init__.py"):
        return False
    try:
        return any(is_file(one / "__init__.py") for one in folder.iterdir())
    except OSError:
        return False


def _named(project: Path) -> Iterator[str]:
    try:
        tools = tomllib.loads((project / "pyproject.toml").read_text("utf-8")).get("tool", {})
    except (OSError, ValueError):
        tools = {}
    for keys in _FOLDERS:
        yield from _texts(tools, keys)
    for keys in _PACKAGES:
        yield from (str(Path(one).parent) for one in _texts(tools, keys))
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
    """The texts under a path of keys; of a list those of each item."""
    if isinstance(value, list):
        for one in value:
            yield from _texts(one, keys)
    elif keys:
        if isinstance(value, Mapping):
            yield from _texts(value.get(keys[0]), keys[1:])
    elif isinstance(value, str):
        yield value
