"""Where a project's Python packages are installed. An environment is read as data; its interpreter is never started.

`libraries` reads the packages from there, and Python's checker is given the environment.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from context_index.disk import is_file, is_folder
from context_index.modules.jsonc import section
from context_index.processes import OURS, data_folder

_NAMES_IN_PROJECT = (".venv", "venv", "env", ".env", ".pixi/envs/default")
"""Where an environment may be in its project's folder."""
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")
"""The folders in a person's home in which conda and its variants keep environments."""
_CONDA_NAME = re.compile(r"^name:\s*['\"]?([\w.-]+)", re.MULTILINE)
_NOT_IN_POETRY_NAMES = re.compile(r'[ $`!*@"\\\r\n\t]')
"""The signs of a project's name that poetry replaces in an environment's name (`EnvManager.generate_env_name`)."""
_POETRY_NAME_LENGTH = 42
_POETRY_HASH_LENGTH = 8
"""How much of the project's name, and of a hash of its path, poetry puts into that name."""


def find_environment(project: Path) -> Path | None:
    """The environment that the nearest folder above names or contains, else the active one, poetry's or conda's.

    None where a project has no environment.
    """
    for candidate in _candidates(project):
        if is_file(candidate / "pyvenv.cfg") or is_folder(candidate / "conda-meta"):
            return candidate
    return None


def environment_without_packages() -> Path | None:
    """An environment of ours without packages, which is made if it is not there; None where it cannot be made.

    Checkers get it for a project without an environment, as else they would look into the one that they are in.
    """
    folder, version = data_folder() / "without-packages", f"{sys.version_info.major}.{sys.version_info.minor}"
    library = folder / ("Lib" if sys.platform == "win32" else f"lib/python{version}")
    config, text = folder / "pyvenv.cfg", f"home = {folder}\nversion = {version}\n"
    try:
        (library / "site-packages").mkdir(parents=True, exist_ok=True)
        if not config.is_file() or config.read_text("utf-8") != text:
            config.write_text(text, "utf-8")
    except OSError:
        return None
    return folder


def package_folders(environment: Path) -> list[Path]:
    """The folders from which an environment's interpreter would import packages, with those in its `.pth` files."""
    sites = sorted([*environment.glob("lib/python3*/site-packages"), *environment.glob("Lib/site-packages")])
    return [*sites, *(folder for site in sites for folder in _folders_in_pth(site))]


def _folders_in_pth(site: Path) -> Iterator[Path]:
    """The folders that `.pth` files add for editable installations; their lines of code are skipped, not run."""
    for file in sorted(site.glob("*.pth")):
        with suppress(OSError, UnicodeDecodeError):
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.strip() and is_folder(folder := site / line.strip()):
                    yield folder


def _candidates(project: Path) -> Iterator[Path]:
    """The places at which a project's environment may be, the first to be taken first."""
    folders = [project, *project.parents]
    for folder in folders:
        yield from _configured_environments(folder, _read_toml(folder / "pyproject.toml"))
        yield from (folder / name for name in _NAMES_IN_PROJECT)
    for variable in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX"):
        if (value := os.environ.get(variable)) and not _runs_our_checkout(Path(value)):
            yield Path(value)
    for folder in folders:
        yield from _poetry_environments(folder)
        yield from _conda_environments(folder)


def _runs_our_checkout(environment: Path) -> bool:
    """Whether an environment is that of our own checkout, where our source is not below it but linked from it.

    It was made for us and says nothing of a project; what a project imported from it would be our modules. An
    environment in which we are installed may be a project's.
    """
    ours = Path(sys.prefix).resolve()
    is_installed = ours in OURS.parents
    return environment.resolve() == ours and not is_installed


def _configured_environments(folder: Path, project: dict[str, object]) -> Iterator[Path]:
    """The environments that pyproject.toml configures for ty, perhaps by its interpreter, or for pyright."""
    tool = section(project, "tool")
    python = section(section(tool, "ty"), "environment").get("python")
    if isinstance(python, str):
        yield folder / python
        yield (folder / python).parent.parent
    pyright = section(tool, "pyright")
    name, where = pyright.get("venv"), pyright.get("venvPath", ".")
    if isinstance(name, str) and isinstance(where, str):
        yield folder / where / name


def _poetry_environments(folder: Path) -> Iterator[Path]:
    """Poetry's environments of a folder: their names are made from the project's name and the folder's path."""
    manifest = _read_toml(folder / "pyproject.toml")
    name = section(section(manifest, "tool"), "poetry").get("name") or section(manifest, "project").get("name")
    if not isinstance(name, str):
        return
    resolved = os.path.normcase(os.path.realpath(folder))
    digest = base64.urlsafe_b64encode(hashlib.sha256(resolved.encode()).digest()).decode()[:_POETRY_HASH_LENGTH]
    stem = f"{_NOT_IN_POETRY_NAMES.sub('_', name.lower())[:_POETRY_NAME_LENGTH]}-{digest}-py"
    for home in _poetry_homes():
        yield from sorted(home.glob(f"{stem}*"), reverse=True)


def _poetry_homes() -> Iterator[Path]:
    """The folders in which poetry may keep its environments."""
    if folder := os.environ.get("POETRY_VIRTUALENVS_PATH"):
        yield Path(folder)
    if folder := os.environ.get("POETRY_CACHE_DIR"):
        yield Path(folder) / "virtualenvs"
    home = Path.home()
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA", home)) / "pypoetry" / "Cache" / "virtualenvs"
    elif sys.platform == "darwin":
        yield home / "Library" / "Caches" / "pypoetry" / "virtualenvs"
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")) / "pypoetry" / "virtualenvs"


def _conda_environments(folder: Path) -> Iterator[Path]:
    """The environment that environment.yml names, in the folders of conda and its variants."""
    for name in ("environment.yml", "environment.yaml"):
        try:
            name_line = _CONDA_NAME.search((folder / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):  # most projects have none
            continue
        if name_line is not None:
            yield from (Path.home() / home / "envs" / name_line[1] for home in _CONDA_HOMES)


def _read_toml(path: Path) -> dict[str, object]:
    """The content of a file; empty where it is missing or broken."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
