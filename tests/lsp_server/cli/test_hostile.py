"""In a hostile workspace no command starts or imports anything of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile import FILES, hostile_workspace

pytestmark = pytest.mark.slow

INSCOPE = Path(sys.executable).with_name("inscope")
PROGRAM = Path(__file__).parents[3] / "examples" / "programs" / "member.js"
COMMANDS = {
    "symbols of JavaScript": ["symbols", "cart.js:4:17", "--workspace", "."],
    "symbols of TypeScript": ["symbols", "cart.ts:2:28", "--workspace", "."],
    "symbols of Python": ["symbols", "shop.py:5:14", "--workspace", "."],
    "without a workspace": ["symbols", "shop.py:5:14"],
    "trusted, without --typescript": ["symbols", "cart.ts:2:28", "--workspace", ".", "--trust"],
    "--typescript, and not trusted": ["symbols", "cart.ts:2:28", "--workspace", ".", "--typescript", "."],
    "completion": ["complete", "--batch", "places.jsonl", "--workspace", "."],
    "rewriting": ["rewrite", "shop.py", "--instruction", "rename items to goods", "--workspace", "."],
    "a program": ["generate", "--program", str(PROGRAM)],
    "index": ["index", "."],
    "doctor": ["doctor"],
    "setup": ["setup", "--check"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_runs_anything_of_a_workspace(name: str, tmp_path: Path) -> None:
    root, environment, _ = hostile = hostile_workspace(tmp_path)
    places = [
        {"file": file, "line": len(lines), "column": len(lines[-1]) + 1, "text": text.rstrip("\n")}
        for file, text in FILES.items()
        if file.endswith((".js", ".ts", ".py")) and (lines := text.rstrip("\n").split("\n"))
    ]
    (root / "places.jsonl").write_text("\n".join(map(json.dumps, places)))
    variables = {**os.environ, **environment, "INSCOPE_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [INSCOPE, *COMMANDS[name]], cwd=root, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in {0, 1}, done.stderr
    assert "Traceback" not in done.stderr
    assert hostile.ran() == []


def test_the_traps_work(tmp_path: Path) -> None:
    """A program of the workspace leaves its line, and each module that is imported without `-P`."""
    hostile = hostile_workspace(tmp_path)
    subprocess.run([hostile.root / "tools" / "tsc"], check=True)
    subprocess.run([sys.executable, "-c", "import jedi"], cwd=hostile.root, check=True)
    subprocess.run([sys.executable, "-m", "decoder.grammar.learn"], cwd=hostile.root, check=False)
    trapped = [line for line in hostile.ran() if line.split()[1].endswith(("/tsc", "/jedi.py", "/grammar/learn.py"))]
    assert [line.partition(":")[0] for line in trapped] == ["started", "imported", "imported"]
