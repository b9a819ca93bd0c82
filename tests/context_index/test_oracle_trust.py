"""In a workspace that is not trusted, no program that lies in it is run: neither its type checker nor its Python."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from context_index import Document, Language
from context_index.oracles import Oracles
from context_index.oracles.places import Places
from context_index.oracles.typescript_places import find_typescript
from context_index.symbols import Position

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="programs are named for Linux on x86-64"
)
PROGRAMS = ("node_modules/@typescript/typescript-linux-x64/lib/tsc", ".venv/bin/python")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with programs that leave a mark when they are run."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    root = tmp_path / "work"
    for name in PROGRAMS:
        program = root / name
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\necho {name} >> "{tmp_path}/ran"\n', "utf-8")
        program.chmod(0o755)
    (root / ".venv" / "pyvenv.cfg").touch()
    return root


@pytest.mark.slow
@pytest.mark.parametrize("trusted", [True, False])
def test_programs_of_the_workspace_are_run_only_if_it_is_trusted(workspace: Path, *, trusted: bool) -> None:
    oracles = Oracles((workspace,), trusted=trusted)
    try:
        for name, language, text in (
            ("a.ts", Language.TYPESCRIPT, "const a = 'b'; a."),
            ("a.py", Language.PYTHON, "def f(x):\n    x."),  # ty does not know, so jedi is asked
        ):
            document = Document((workspace / name).as_uri(), language, text)
            oracles.of(document).names(document, len(text), Position.MEMBER).answer(20)
    finally:
        oracles.close()
    marks = workspace.parent / "ran"
    assert set(marks.read_text("utf-8").split() if marks.is_file() else ()) == (set(PROGRAMS) if trusted else set())


def test_a_checker_of_the_persons_own_serves_all_the_same(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = workspace.parent / "own" / "node_modules"
    shutil.copytree(workspace / "node_modules", own)
    (own / ".bin").mkdir()
    (own / ".bin" / "tsc").symlink_to(own / "@typescript" / "typescript-linux-x64" / "lib" / "tsc")
    monkeypatch.setenv("PATH", str(own / ".bin"), prepend=os.pathsep)
    for trusted, modules in ((True, workspace / "node_modules"), (False, own)):
        found = find_typescript(Places((workspace,), trusted=trusted))
        assert found is not None
        assert str(found.command[0]).startswith(str(modules))
