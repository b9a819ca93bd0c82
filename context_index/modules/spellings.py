"""How the files and folders of one folder may be written at the end of a module's path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from context_index.modules.folders import Folders

_WITHOUT = (".d.ts", ".ts", ".tsx", ".js", ".jsx")
"""Suffixes that may be left out where paths without one are resolved."""
_REQUIRED_WITHOUT = (".json", ".node")
"""Likewise, for `require`."""
_COMPILED = {
    ".ts": (".js",),
    ".tsx": (".js", ".jsx"),
    ".d.ts": (".js",),
    ".mts": (".mjs",),
    ".d.mts": (".mjs",),
    ".cts": (".cjs",),
    ".d.cts": (".cjs",),
}
"""A TypeScript file goes by the name of the JavaScript that it becomes."""


def spelt(file: str, *, bare: bool, required: bool) -> Iterator[str]:
    """The names that a path may end with and mean a file; without suffix only where `bare`."""
    suffix = _suffix(file)
    stem = file.removesuffix(suffix)
    if stem:
        if bare and (suffix in _WITHOUT or (required and suffix in _REQUIRED_WITHOUT)):
            yield stem
        for compiled in _COMPILED.get(suffix, ()):
            yield stem + compiled
    yield file


def below(folders: Folders, folder: Path, *, bare: bool, required: bool) -> list[str] | None:
    """All that a path which goes to a folder may go on with; what ends with a slash goes on. None without a folder.

    Empty folders are left out: nothing could stand behind them.

    Args:
        bare: Whether suffixes of scripts may be left out, and the index of a folder.
        required: Whether Node's `require` reads the path, which leaves out some others, too.
    """
    found = folders.entries(folder)
    if found is None:
        return None
    names: dict[str, None] = {}
    for file in sorted(found.files):
        names.update(dict.fromkeys(spelt(file, bare=bare, required=required)))
    for inner in sorted(found.folders):
        if folders.entries(folder / inner):
            names[inner + "/"] = None
            if bare and folders.is_importable(folder / inner):
                names[inner] = None
    return sorted(names, key=lambda name: name.startswith("."))


def _suffix(name: str) -> str:
    """The suffix of a file, `.d.ts` being one; "" where there is none."""
    found = [suffix for suffix in (*_COMPILED, *_WITHOUT, *_REQUIRED_WITHOUT) if name.endswith(suffix)]
    return max(found, key=len, default="")
