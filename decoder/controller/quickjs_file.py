"""Where QuickJS is: the file `quickjs.wasm` of the npm package quickjs-wasi, which is no part of this one.

It is looked for in the variable `INSCOPE_QUICKJS` (the file, or the package's folder), in the `node_modules` of the
directory that one is in and of those above it, among the packages that npm installed for everybody, and in a checkout
of the source where its tests have it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "INSCOPE_QUICKJS"
PACKAGE = "quickjs-wasi"
_FILE = "quickjs.wasm"
_VERSION = "3."
"""The functions that it offers to its host are those of this version."""
ADVICE = f"run `npm install {PACKAGE}@3`, or set {VARIABLE} to its {_FILE}"


class QuickJSMissingError(Exception):
    """There is no QuickJS here; the sentence says how to get it."""


def quickjs_file() -> Path:
    """The file.

    Raises:
        QuickJSMissingError: it is nowhere, or of another version.
    """
    named = os.environ.get(VARIABLE)
    if named:
        found = Path(named) / _FILE if Path(named).is_dir() else Path(named)
        if not found.is_file():
            raise QuickJSMissingError(f"{VARIABLE} names '{named}', where there is no {_FILE}")
        return found
    for folder in _folders():
        if (folder / _FILE).is_file() and _version(folder).startswith(_VERSION):
            return folder / _FILE
    raise QuickJSMissingError(f"programs in JavaScript need QuickJS, which is not here: {ADVICE}")


def _folders() -> Iterator[Path]:
    here = Path.cwd()
    for above in (here, *here.parents):
        yield above / "node_modules" / PACKAGE
    yield Path(__file__).parents[2] / "tests" / "node_modules" / PACKAGE
    npm = shutil.which("npm")
    prefixes = [Path(npm).parent.parent, *Path(npm).resolve().parents[3:4]] if npm else []
    for prefix in (*prefixes, Path("/usr/local"), Path("/usr")):
        yield prefix / "lib" / "node_modules" / PACKAGE


def _version(folder: Path) -> str:
    try:
        return str(json.loads((folder / "package.json").read_text("utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
