"""A workspace that wants to be run: whatever of it is started or imported leaves a line in a marker file.

Programs and modules lie in the workspace and in the folder above it, with the names that tools of ours look for; the
environment leads to them, as an activated virtual environment and a careless PATH do.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from context_index import parts
from tests.files import lay_out

PROGRAMS = ("tsc", "tsserver", "node", "npm", "npx", "ty", "python", "python3", "git", "inscope")
MODULES = (
    "json", "typing", "pickle", "signal", "multiprocessing", "re", "os", "jedi", "sitecustomize", "usercustomize",
    "decoder", "decoder/grammar", "decoder/grammar/learn", "context_index", "lsp_server", "torch",
)  # fmt: skip
"""Modules of the standard library, of packages and of ours; one with others below it is a package."""
_SCRIPT = '#!/bin/sh\necho "started: $0 $*" >>"{marker}"\n'
_MODULE = 'with open({marker!r}, "a") as _marker:\n    _marker.write(f"imported: {{__file__}}\\n")\n'
_NODE_MODULE = "require('fs').appendFileSync({marker}, `loaded: ${{__filename}}\\n`);\n"
_PTH = 'import builtins; builtins.open({marker!r}, "a").write("run: {name}\\n")\n'

FILES = {
    "cart.js": "const items = ['desk', 'lamp'];\n\nfunction total(prices) {\n  return prices.length;\n}\n",
    "cart.ts": "const items: string[] = ['desk', 'lamp'];\nexport const first = items[0];\n",
    "shop.py": "import json\nimport typing\n\nitems = ['desk', 'lamp']\nfirst = json.dumps(items)\n",
    "package.json": '{"private": true}\n',
    "tsconfig.json": '{"compilerOptions": {"plugins": [{"name": "plugin"}], "types": ["plugin"]}}\n',
    "pyproject.toml": '[tool.ty.environment]\npython = ".venv"\n\n[tool.pyright]\nvenvPath = "."\nvenv = ".venv"\n',
    ".npmrc": "node-options=--require ./node_modules/plugin/index.js\nscript-shell=./tools/node\n",
}


class Hostile(NamedTuple):
    """The workspace, and what leads to it."""

    root: Path
    """To be opened; `FILES` lie in it."""
    environment: dict[str, str]
    """Changes of the environment in which our programs are started, with `root` as their working directory."""
    marker: Path
    """A file that is there once anything was run."""

    def ran(self) -> list[str]:
        """What was run, a line each."""
        return self.marker.read_text("utf-8").splitlines() if self.marker.exists() else []


def hostile_workspace(tmp_path: Path) -> Hostile:
    """Make one below a folder that is empty of what it makes: `above/work`."""
    root, marker = tmp_path / "above" / "work", tmp_path / "marker"
    for folder in (root.parent, root):
        _set_traps(folder, marker)
    lay_out(root, FILES)
    link = tmp_path / "link"  # outside by its name, inside by what it leads to
    link.symlink_to(root / "tools")
    folders = ("tools", ".", str(root / "tools"), str(root / ".venv" / "bin"), str(root / "node_modules" / ".bin"))
    environment = {
        "PATH": os.pathsep.join([*folders, str(link), os.environ.get("PATH", os.defpath)]),
        "VIRTUAL_ENV": str(root / ".venv"),
        "UV_PROJECT_ENVIRONMENT": ".venv",
        "CONDA_PREFIX": str(root.parent / ".venv"),
    }
    return Hostile(root, environment, marker)


def _set_traps(folder: Path, marker: Path) -> None:
    modules, environment = folder / "node_modules", folder / ".venv"
    site = environment / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    for where in (folder / "tools", modules / ".bin", environment / "bin", environment / "Scripts"):
        for name in PROGRAMS:
            _program(where / name, marker)
    for part in parts():  # as npm would install them
        if part.file:
            _program(modules / part.package / part.file, marker)
            about = {"name": part.package, "version": part.version}
            (modules / part.package / "package.json").write_text(json.dumps(about), "utf-8")
    loaded = _NODE_MODULE.format(marker=json.dumps(str(marker)))
    for name in ("plugin/index.js", "typescript/lib/tsserver.js", "typescript/lib/tsc.js", "npm/bin/npm-cli.js"):
        _write(modules / name, loaded)
    _write(environment / "pyvenv.cfg", f"home = {environment / 'bin'}\n")
    for where in (folder, site):
        for name in MODULES:
            is_package = any(other.startswith(f"{name}/") for other in MODULES)
            _write(where / (f"{name}/__init__.py" if is_package else f"{name}.py"), _MODULE.format(marker=str(marker)))
    _write(site / "evil.pth", _PTH.format(marker=str(marker), name="evil.pth"))


def _program(file: Path, marker: Path) -> None:
    _write(file, _SCRIPT.format(marker=marker))
    file.chmod(0o755)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
