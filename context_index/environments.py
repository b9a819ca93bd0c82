"""Where a project's Python packages are installed. An environment is read as data; its interpreter is never started."""

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
from context_index.processes import data_folder

_BESIDE = (".venv", "venv", "env", ".env", ".pixi/envs/default")
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")
_CONDA_NAME = re.compile(r"^name:\s*['\"]?([\w.-]+)", re.MULTILINE)
_NOT_IN_NAMES = re.compile(r'[ $`!*@"\\\r\n\t]')
_LONGEST_NAME = 42
_HASH = 8
"""The lengths of a name and of its hash in poetry (`EnvManager.generate_env_name`)."""


def find_environment(project: Path) -> Path | None:
    """The environment that the nearest folder above names or contains; else the active one, poetry's or conda's."""
    for candidate in _environments(project):
        if is_file(candidate / "pyvenv.cfg") or is_folder(candidate / "conda-meta"):
            return candidate
    return None


def environment_without_packages() -> Path | None:
    """An environment of ours that holds no package, made if it is not there; None where it cannot be.

    For checkers where a project has no environment: they would look into the one that they are installed in.
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
    """The folders that an environment's interpreter would import packages from, those in its `.pth` files included."""
    sites = sorted([*environment.glob("lib/python3*/site-packages"), *environment.glob("Lib/site-packages")])
    return [*sites, *(folder for site in sites for folder in _named_in_pth(site))]


def _named_in_pth(site: Path) -> Iterator[Path]:
    """The folders that editable installations add; lines of code, which an interpreter would run, are skipped."""
    for file in sorted(site.glob("*.pth")):
        with suppress(OSError, UnicodeDecodeError):
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.strip() and is_folder(folder := site / line.strip()):
                    yield folder


def _environments(project: Path) -> Iterator[Path]:
    folders = [project, *project.parents]
    for folder in folders:
        yield from _configured(folder, _read_toml(folder / "pyproject.toml"))
        yield from (folder / name for name in _BESIDE)
    for variable in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX"):
        if value := os.environ.get(variable):
            yield Path(value)
    for folder in folders:
        yield from _of_poetry(folder)
        yield from _of_conda(folder)


def _configured(folder: Path, project: dict[str, object]) -> Iterator[Path]:
    """What pyproject.toml configures for ty or pyright: an interpreter, or the environment itself."""
    tool = section(project, "tool")
    python = section(section(tool, "ty"), "environment").get("python")
    if isinstance(python, str):
        yield folder / python
        yield (folder / python).parent.parent
    pyright = section(tool, "pyright")
    name, where = pyright.get("venv"), pyright.get("venvPath", ".")
    if isinstance(name, str) and isinstance(where, str):
        yield folder / where / name


def _of_poetry(folder: Path) -> Iterator[Path]:
    """Poetry names an environment after the project and the directory that it is in."""
    manifest = _read_toml(folder / "pyproject.toml")
    name = section(section(manifest, "tool"), "poetry").get("name") or section(manifest, "project").get("name")
    if not isinstance(name, str):
        return
    place = os.path.normcase(os.path.realpath(folder))
    digest = base64.urlsafe_b64encode(hashlib.sha256(place.encode()).digest()).decode()[:_HASH]
    stem = f"{_NOT_IN_NAMES.sub('_', name.lower())[:_LONGEST_NAME]}-{digest}-py"
    for home in _poetry_homes():
        yield from sorted(home.glob(f"{stem}*"), reverse=True)


def _poetry_homes() -> Iterator[Path]:
    if value := os.environ.get("POETRY_VIRTUALENVS_PATH"):
        yield Path(value)
    if value := os.environ.get("POETRY_CACHE_DIR"):
        yield Path(value) / "virtualenvs"
    home = Path.home()
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA", home)) / "pypoetry" / "Cache" / "virtualenvs"
    elif sys.platform == "darwin":
        yield home / "Library" / "Caches" / "pypoetry" / "virtualenvs"
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME", home / ".cache")) / "pypoetry" / "virtualenvs"


def _of_conda(folder: Path) -> Iterator[Path]:
    """The environment that environment.yml names, in the folders of conda and its variants."""
    for name in ("environment.yml", "environment.yaml"):
        try:
            found = _CONDA_NAME.search((folder / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):  # most projects have none
            continue
        if found is not None:
            yield from (Path.home() / home / "envs" / found[1] for home in _CONDA_HOMES)


def _read_toml(path: Path) -> dict[str, object]:
    """The content of a file; empty where it is missing or broken."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
