"""Which package a source file belongs to, and whether its licence lets us train on it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from importlib.metadata import Distribution, distributions
from pathlib import Path

_PERMISSIVE = re.compile(
    r"\b(MIT|MIT-0|BSD|BSD-\d-Clause|0BSD|ISC|ISCL|Apache|Apache-2\.0|PSF|PSF-2\.0|PSFL|Python-2\.0|CNRI-Python|HPND"
    r"|Python Software Foundation|Unlicense|CC0|CC0-1\.0|Zlib|BlueOak-1\.0\.0)\b",
    re.IGNORECASE,
)
_NOT_PERMISSIVE = re.compile(
    r"\b(A?GPL|LGPL|MPL|EPL|CDDL|SSPL|EUPL|BUSL|Commons Clause|proprietary|UNLICENSED)", re.IGNORECASE
)
_EITHER = re.compile(r"\bOR\b|/")
"""What is between alternative licences."""
_SEPARATORS = re.compile(r"[-_.]+")
"""What a `-` replaces in a normalised name of a Python distribution."""


@dataclass(frozen=True, slots=True)
class InstalledPackage:
    """One installed package."""

    name: str
    version: str
    licence: str
    """The licence that the package states; empty where it states none."""
    directory: Path
    """The package's folder, or its only module."""

    @property
    def is_permissive(self) -> bool:
        """Whether its licence asks for no more than attribution."""
        return is_permissive(self.licence)


def is_permissive(licence: str) -> bool:
    """Whether a licence is permissive; it may be an SPDX expression, a classifier or a name.

    Of alternative licences one must be permissive. Of licences that apply together, one must be, and none may be known
    not to be.
    """
    if _EITHER.search(licence):
        return any(is_permissive(alternative.strip(" ()")) for alternative in _EITHER.split(licence))
    return bool(_PERMISSIVE.search(licence)) and not _NOT_PERMISSIVE.search(licence)


def python_packages(site_packages: Path) -> Iterator[InstalledPackage]:
    """The distributions installed in a directory, one package for each of their top-level folders and modules."""
    for distribution in distributions(path=[str(site_packages)]):
        licence = _python_licence(distribution)
        for top in sorted(_top_levels(distribution)):
            path = site_packages / top
            if path.exists():
                name = _SEPARATORS.sub("-", distribution.metadata["Name"]).lower()
                yield InstalledPackage(name, distribution.version, licence, path)


def standard_library(directory: Path) -> Iterator[InstalledPackage]:
    """CPython's library; each top-level module is a package of its own, so that some can be held out."""
    version = ".".join(map(str, sys.version_info[:3]))
    for path in sorted(directory.iterdir()):
        if path.name not in {"site-packages", "dist-packages", "__pycache__", "lib2to3", "idlelib", "test"} and (
            path.is_dir() or path.suffix == ".py"
        ):
            yield InstalledPackage(f"stdlib:{path.stem}", version, "PSF-2.0", path)


def node_packages(node_modules: Path) -> Iterator[InstalledPackage]:
    """The packages below a `node_modules`, nested ones included."""
    for manifest in sorted(node_modules.rglob("package.json")):
        folder = manifest.parent.parent
        if (folder.parent if folder.name.startswith("@") else folder).name != "node_modules":
            continue  # a package.json within a package
        try:
            fields = json.loads(manifest.read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(fields, dict) and isinstance(fields.get("name"), str):
            licence = fields.get("license") or fields.get("licenses") or ""
            yield InstalledPackage(
                fields["name"], str(fields.get("version", "")), _node_licence(licence), manifest.parent
            )


def packages_under(root: Path) -> Iterator[InstalledPackage]:
    """The packages below a directory, which is a `node_modules`, a `site-packages` or CPython's library."""
    if root.name == "node_modules" or (root / "package.json").is_file():
        return node_packages(root)
    if any(root.glob("*.dist-info")):
        return python_packages(root)
    return standard_library(root)


def _python_licence(distribution: Distribution) -> str:
    """The licence that a distribution states: as an expression, else in its classifiers, else as free text."""
    metadata = HeaderParser().parsestr(distribution.read_text("METADATA") or "")
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [
        line.rpartition("::")[2].strip() for line in metadata.get_all("Classifier", []) if line.startswith("License ::")
    ]
    return " AND ".join(classifiers) or str(metadata.get("License", "")).partition("\n")[0].strip()


def _top_levels(distribution: Distribution) -> set[str]:
    """The names of the folders and modules that a distribution installs."""
    tops = {file.parts[0] for file in distribution.files or () if file.suffix == ".py" and file.parts[0] != ".."}
    return {top for top in tops if not top.endswith((".dist-info", ".data"))}


def _node_licence(licence: object) -> str:
    """The licence of a `package.json`, in any of the forms that its field has had."""
    if isinstance(licence, str):
        return licence
    if isinstance(licence, dict):
        return str(licence.get("type", ""))
    if isinstance(licence, list):  # an old form: a choice
        return " OR ".join(_node_licence(alternative) for alternative in licence)
    return ""
