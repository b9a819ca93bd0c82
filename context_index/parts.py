"""Programs and files that Inscope needs and pip does not install: TypeScript 7 and QuickJS.

`inscope setup` installs the versions pinned in `parts.lock.json`. Each is looked up in the same order: the place that
the person named, Inscope's own installation, then the packages that npm installed for a directory of the path.
Neither the current directory nor a workspace is searched.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from context_index.disk import is_file, is_folder, real
from context_index.processes import data_folder, path_folders, workspace_holding

_LOCK = Path(__file__).with_name("parts.lock.json")
_ANY_PLATFORM = "any"
"""The lock file's key for a package that is the same on every platform."""
SET_UP = "inscope setup"


class PartMissingError(Exception):
    """A part is not installed, or not where a person said that it is; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class PinnedPart:
    """One part, as pinned for this platform."""

    key: str
    title: str
    """The name for people."""
    version: str
    """The pinned version."""
    series: str
    """The prefix of every usable version."""
    bytes: int
    """The part's size on disk, on Linux with an x86-64 processor; on other systems it is about the same."""
    package: str
    """The npm package that holds it; empty where there is none for this platform."""
    integrity: str
    """The hash of the package's archive: an algorithm and base64, as npm writes them."""
    file: str
    """The program, or the file to load, within the package."""

    @property
    def variable(self) -> str:
        """The environment variable that names the part."""
        return f"INSCOPE_{self.key.upper()}"

    @property
    def folder(self) -> Path:
        """The folder in which `inscope setup` installs the pinned version."""
        return _installed_folder() / f"{self.key}-{self.version}"


@dataclass(frozen=True, slots=True)
class PartLocation:
    """An installed part."""

    path: Path
    """The program, or the file to load."""
    version: str
    """The version that its package states; empty where it states none."""
    is_named: bool
    """Whether a person named it, by a setting or by the environment."""


@cache
def parts() -> tuple[PinnedPart, ...]:
    """Every part, in the order in which they are installed."""
    lock = json.loads(_LOCK.read_text("utf-8"))
    return tuple(_part(key, pinned) for key, pinned in lock.items())


def part(key: str) -> PinnedPart:
    """The part with a key: `typescript` or `quickjs`."""
    return next(candidate for candidate in parts() if candidate.key == key)


def find(wanted: PinnedPart, setting: Path | None = None, outside_of: Sequence[Path] = ()) -> PartLocation:
    """Where a part is installed.

    Args:
        setting: Where a person says that it is: the file, its package's folder, or a folder with it in `node_modules`.
        outside_of: Workspaces; parts in them that the search path leads to are ignored.

    Raises:
        PartMissingError: the part is not installed, or not at the place that a person named.
    """
    if setting is None and (variable := os.environ.get(wanted.variable)):
        setting = Path(variable)
    if setting is not None:
        for candidate in _places_named(wanted, setting):
            if is_file(candidate):
                return PartLocation(candidate, _version(wanted, candidate), is_named=True)
        raise PartMissingError(
            f"there is no {wanted.title} at '{setting}', which an option, a setting or {wanted.variable} names. "
            f"Correct the path, or remove it and run '{SET_UP}'."
        )
    for candidate in (*_places_installed(wanted), *_places_beside_path(wanted, outside_of)):
        if is_file(candidate) and (version := _version(wanted, candidate)).startswith(wanted.series):
            return PartLocation(candidate, version, is_named=False)
    raise PartMissingError(f"{wanted.title} is not installed. Run '{SET_UP}' to install it.")


def is_current(wanted: PinnedPart) -> bool:
    """Whether the pinned version is installed."""
    return bool(wanted.file) and is_file(wanted.folder / wanted.file)


def _part(key: str, pinned: Any) -> PinnedPart:  # noqa: ANN401 -- our own JSON
    """The part that an entry of the lock file pins."""
    platforms = pinned["platforms"]
    package = (
        platforms.get(_ANY_PLATFORM)
        or platforms.get(_platform())
        or dict.fromkeys(("package", "integrity", "file"), "")
    )
    return PinnedPart(key, pinned["title"], pinned["version"], pinned["series"], pinned["bytes"], **package)


def _platform() -> str:
    """This platform, as npm names packages of native code."""
    machine = platform.machine().lower()
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(machine, machine)
    return f"{sys.platform}-{processor}"


def _installed_folder() -> Path:
    return data_folder() / "parts"


def _places_installed(wanted: PinnedPart) -> Iterator[Path]:
    """The places of a part in our own installation: the pinned version, then earlier ones, newest first."""
    yield wanted.folder / wanted.file
    folder = _installed_folder()
    others = folder.glob(f"{wanted.key}-{wanted.series}*") if is_folder(folder) else ()
    yield from (other / wanted.file for other in sorted(others, key=_version_numbers, reverse=True))


def _version_numbers(folder: Path) -> list[int]:
    """The numbers of a version, so that 7.10 comes after 7.9."""
    return [int(number) for number in re.findall(r"\d+", folder.name)]


def _places_named(wanted: PinnedPart, setting: Path) -> Iterator[Path]:
    """The places that a person may mean by a setting, see `find`."""
    yield setting
    yield setting / wanted.file
    yield setting / "node_modules" / wanted.package / wanted.file
    for above in real(setting).parents:  # a neighbor of the package, such as `typescript` of its native package
        if above.name == "node_modules":
            yield above / wanted.package / wanted.file
            return


def _places_beside_path(wanted: PinnedPart, outside_of: Sequence[Path]) -> Iterator[Path]:
    """The places of a part among npm's global packages.

    Those are in `lib/node_modules` beside a folder of the search path, or in `node_modules` in that folder.
    """
    inner = ("", "typescript/node_modules/")  # npm may keep a dependency within the package that needs it
    for folder in path_folders(outside_of):
        for modules in (folder.parent / "lib" / "node_modules", folder / "node_modules"):
            if workspace_holding(modules, outside_of) is None:
                yield from (modules / prefix / wanted.package / wanted.file for prefix in inner)


def _version(wanted: PinnedPart, file: Path) -> str:
    """The version in the package.json of a file's package; empty where there is none."""
    folder = file.parents[wanted.file.count("/")] if wanted.file else file.parent
    try:
        return str(json.loads((folder / "package.json").read_text("utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError, IndexError):  # a file that is alone has no package
        return ""
