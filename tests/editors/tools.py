"""The editors that the tests drive, where `make editors` put them, and a folder for what the tests keep."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from context_index import data_folder
from context_index.parts import PartMissingError, find, part

ROOT = Path(__file__).parents[2]
TOOLS = Path(os.environ.get("INSCOPE_EDITORS") or Path(__file__).parent / ".tools").absolute()
"""`INSCOPE_EDITORS` names another folder, so that several checkouts can share one."""
ARTEFACTS = Path(__file__).parent / ".artefacts"
HINT = "`make editors` installs the editors"
PATIENCE_S = 120.0

NODE = TOOLS / "bin" / "node"
CODE_SERVER = TOOLS / "code-server" / "node_modules" / "code-server" / "out" / "node" / "entry.js"
PLAYWRIGHT = ROOT / "editor_clients" / "vscode" / "node_modules" / "playwright-core"
NEOVIM_CLIENT = ROOT / "editor_clients" / "neovim"
VSIX = ROOT / "editor_clients" / "vscode" / "dist" / "inscope.vsix"
NEOVIMS = tuple(path for name in ("neovim", "neovim-0.11", "neovim-0.10") if (path := TOOLS / name / "nvim").is_file())
KINDS = [(path, native) for path in NEOVIMS for native in (True, False) if path.parent.name == "neovim" or not native]
"""Each Neovim, with its own ghost text where it has some, and with that of the plugin."""

CODE = """\
const items = [];

function total(prices) {
  let sum = 0;
  for (const price of prices) {
    sum += price;
  }
  return sum;
}

function area(radius) {
  return Math.PI * radius ** 2;
}
"""
"""A file in which the embedded model has something to say after `const next = pri` in line 7."""


def embedded(program: Path) -> list[str]:
    """The command of a Neovim that has our plugin, nobody's settings and no screen."""
    return [str(program), "--embed", "--headless", "--clean", "-n", "--cmd", f"set rtp^={NEOVIM_CLIENT}"]


def kind(one: tuple[Path, bool]) -> str:
    """The name of one of `KINDS` in a test's."""
    program, native = one
    return f"{program.parent.name}-{'native' if native else 'own'}"


def until(is_so: Callable[[], Any], what: str) -> Any:  # noqa: ANN401 - whatever it waits for
    """What it gives once that is something; patience only bounds a failing test."""
    end = time.monotonic() + PATIENCE_S
    while not (found := is_so()):
        assert time.monotonic() < end, f"still not: {what}"
        time.sleep(0.02)
    return found


def chromium() -> str | None:
    """A browser without a screen."""
    names = ("chromium-headless-shell", "chromium", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def typescript() -> Path | None:
    """The package of the TypeScript 7 that this machine has."""
    wanted = part("typescript")
    try:
        return find(wanted).path.parents[wanted.file.count("/")]
    except PartMissingError:
        return None


def server(tmp_path: Path, folder: str = "bin", *, is_set_up: bool = False) -> Path:
    """A program `inscope` whose `inscope lsp` is the real server with the embedded model.

    Only what it says to `say Y for X` is given, as the embedded model does not know how to rename, and setup, which
    copies the TypeScript of this machine: for the server itself nothing is installed. A server that is started leaves
    its process in `pids`, and its folder's name in `started`; one that has its model, in `ready`.

    Args:
        is_set_up: Whether the server finds what is installed on this machine.
    """
    data = data_folder() if is_set_up else tmp_path / "data"

    program = tmp_path / folder / "inscope"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\nif [ "$1" != doctor ]; then\n  echo $$ >> "{tmp_path}/pids"\n'
        f'  echo {program.parent.name} >> "{tmp_path}/started"\nfi\n'
        f'export OMP_NUM_THREADS=1 INSCOPE_CACHE="{tmp_path}/cache"\n'
        f'export INSCOPE_TEST_HOLD="{tmp_path}/hold" INSCOPE_TEST_READY="{tmp_path}/ready" PYTHONPATH="{ROOT}"\n'
        f'export INSCOPE_DATA="{data}" INSCOPE_TEST_TYPESCRIPT="{typescript() or ""}"\n'
        f'exec "{sys.executable}" -P -m tests.editors.server "$@"\n',
        "utf-8",
    )
    program.chmod(0o755)
    return program
