"""Where environments of Python are looked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from context_index.modules.jsonc import read_jsonc

_PNPM_PATTERN = re.compile(r"""^\s*-\s*['"]?([^'"#\s!][^'"#\n]*?)['"]?\s*$""", re.MULTILINE)
_MOST_PACKAGES = 200


@dataclass(frozen=True, slots=True)
class Places:
    """Where environments are looked for, which are read and never run."""

    roots: tuple[Path, ...]
    workspaces: tuple[Path, ...] = ()
    """All roots: no program that lies in one of them is started."""
    near: Path | None = None
    """The directory of the file that is asked about first: in a monorepo its package may have what the root has not."""

    def folders(self) -> Iterator[Path]:
        """The most particular first: from the file upwards, from the roots upwards, then the packages of each root."""
        starts = [self.near] if self.near is not None else []
        for start in (*starts, *self.roots):
            yield start
            yield from start.parents
        for root in self.roots:
            yield from islice(_packages(root), _MOST_PACKAGES)


def _packages(root: Path) -> Iterator[Path]:
    """The packages that npm, yarn or pnpm manage together, by the patterns of the root's manifest."""
    told = read_jsonc(root / "package.json").get("workspaces")
    patterns = told.get("packages") if isinstance(told, dict) else told
    found = [one for one in patterns if isinstance(one, str)] if isinstance(patterns, list) else []
    with suppress(OSError, UnicodeDecodeError):  # most workspaces have none
        found += _PNPM_PATTERN.findall((root / "pnpm-workspace.yaml").read_text(encoding="utf-8"))
    for pattern in found:
        parts = [part for part in pattern.split("/") if part not in {"", "."}]
        if parts and ".." not in parts and not pattern.startswith(("!", "/")):
            yield from _matching(root, parts)


def _matching(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """The folders that a pattern means, by name; what is installed, and hidden, is nobody's package.

    `Path.glob` is not asked: it raises on patterns that npm and pnpm take (`.`, `a**b`), and looks into all that is
    installed before it gives the first folder.
    """
    if not parts:
        yield folder
        return
    part, *others = parts
    if part == "**":
        yield from _matching(folder, others)
    for child in _folders_in(folder, linked=part != "**"):
        if part == "**":
            yield from _matching(child, parts)
        elif fnmatchcase(child.name, part):
            yield from _matching(child, others)


def _folders_in(folder: Path, *, linked: bool) -> list[Path]:
    """By name; links among them only if wanted, as they may lead back."""
    try:
        with os.scandir(folder) as entries:
            names = [one.name for one in entries if one.is_dir(follow_symlinks=linked)]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if name != "node_modules" and not name.startswith(".")]
