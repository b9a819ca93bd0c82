"""Children are started from outside of workspaces only, see little of our environment, and end with us."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from context_index.processes import (
    DEVNULL,
    ForbiddenProgramError,
    LateError,
    finish,
    on_path,
    start,
    start_code,
)

PATIENCE = 60.0


def program(path: Path, says: str = "hello") -> Path:
    """A script that prints a word."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {says}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_a_program_outside_is_started(workspace: Path) -> None:
    child = start([program(workspace.parent / "own" / "tool")], outside_of=(workspace,))
    assert finish(child, PATIENCE).output == b"hello\n"


@pytest.mark.parametrize("where", ["work/tool", "link"])
def test_a_program_of_a_workspace_is_not_started(where: str, workspace: Path) -> None:
    inside = program(workspace / "tool")
    (workspace.parent / "link").symlink_to(inside)
    with pytest.raises(ForbiddenProgramError, match="it lies in the workspace"):
        start([workspace.parent / where], outside_of=(workspace,))


def test_a_relative_program_is_not_started() -> None:
    with pytest.raises(ForbiddenProgramError, match="its path is not absolute"):
        start(["sh"], outside_of=())


def test_our_own_interpreter_may_lie_in_a_workspace() -> None:
    child = start([sys.executable, "-c", "print(1)"], outside_of=(Path(sys.prefix).parent,))
    assert finish(child, PATIENCE).output.strip() == b"1"


def test_the_path_is_cleaned(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(workspace / "bin" / "tool")
    program(workspace / "relative" / "tool")
    own = program(workspace.parent / "own" / "tool")
    monkeypatch.chdir(workspace)
    folders = [str(workspace / "bin"), "relative", "", str(own.parent)]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    assert on_path("tool", (workspace,)) == own
    child = start([sys.executable, "-c", "import os; print(os.environ['PATH'])"], outside_of=(workspace,))
    assert finish(child, PATIENCE).output.decode().strip() == str(own.parent)


def test_a_child_sees_little_and_imports_nothing_from_where_we_stand(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "json.py").write_text("raise SystemExit('imported from the workspace')", "utf-8")
    monkeypatch.chdir(workspace)
    monkeypatch.setenv("PYTHONPATH", str(workspace))
    monkeypatch.setenv("PYTHONSTARTUP", str(workspace / "json.py"))
    monkeypatch.setenv("NODE_OPTIONS", "--require=./evil.js")
    code = "import json, os; print(json.dumps([dict(os.environ), os.getcwd()]))"
    ended = finish(start([sys.executable, "-c", code], outside_of=()), PATIENCE)
    variables, folder = json.loads(ended.output)
    assert not {"PYTHONPATH", "PYTHONSTARTUP", "NODE_OPTIONS"} & set(variables)
    assert folder != str(workspace)


def test_what_does_not_end_in_time_is_ended() -> None:
    child = start_code("import time; time.sleep(600)")
    with pytest.raises(LateError, match=r"no answer within 0\.1 s"):
        finish(child, 0.1)
    assert child.poll() is not None


@pytest.mark.slow
@pytest.mark.parametrize("reads", [True, False])
def test_a_child_ends_with_its_parent(reads: bool, tmp_path: Path) -> None:
    """Also one that never looks at its input."""
    note = tmp_path / "pid"
    waits = "sys.stdin.read()" if reads else "time.sleep(600)"
    child = f"import os, sys, time; open({str(note)!r}, 'w').write(str(os.getpid()) + chr(10)); {waits}"
    parent = start_code(
        "import sys, time\nfrom context_index.processes import start\n"
        f"child = start([sys.executable, '-c', {child!r}], outside_of=(), reads_input={reads})\ntime.sleep(600)"
    )
    give_up = time.monotonic() + PATIENCE
    while not (note.exists() and note.read_text("utf-8").endswith("\n")):
        assert time.monotonic() < give_up
        time.sleep(0.01)
    pid = int(note.read_text("utf-8"))
    parent.kill()
    parent.wait()
    with suppress(psutil.NoSuchProcess):  # it may have ended already
        psutil.Process(pid).wait(PATIENCE)
    assert not psutil.pid_exists(pid)


def test_output_that_nobody_wants_is_thrown_away() -> None:
    child = start([sys.executable, "-c", "print('x' * 1_000_000)"], outside_of=(), stdout=DEVNULL)
    ended = finish(child, PATIENCE)
    assert (ended.code, ended.output) == (0, b"")
