"""Where checkers and environments are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from context_index.modules.jsonc import read_jsonc

_PNPM_PATTERN = re.compile(r"""^\s*-\s*['"]?([^'"#\s!][^'"#\n]*?)['"]?\s*$""", re.MULTILINE)
_MOST_PACKAGES = 200


@dataclass(frozen=True, slots=True)
class Places:
    """Where checkers and environments are looked for."""

    roots: tuple[Path, ...]
    typescript: Path | None = None
    """The setting `typescript.path`."""
    trusted: bool = True
    """Whether programs that lie in the workspace may be run."""
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
        if not pattern.startswith(("!", "/", "..")):
            yield from sorted(path for path in root.glob(pattern.removeprefix("./")) if path.is_dir())
