"""The command as a process: what it imports, how it ends, and what it leaves on the two streams."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INSCOPE = [sys.executable, "-m", "lsp_server"]


def run(*arguments: str, data: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*INSCOPE, *arguments], input=data, capture_output=True, cwd=ROOT, env=os.environ | environment, check=False
    )


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys; from lsp_server.cli import main; main(['complete', '--help']);"
        "print({'torch', 'transformers', 'rich', 'context_index', 'decoder', 'tree_sitter'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


FAULTS = {
    "symbols nowhere.py:1:1": "there is no file 'nowhere.py'",
    "symbols tests:1:1": "'tests' is a directory",
    "symbols Makefile:1:1": "the language of 'Makefile' is not known",
    "symbols lsp_server/errors.py:9999:1": "no line 9999",
    "symbols lsp_server/errors.py:1:1 --workspace nowhere": "the workspace 'nowhere' does not exist",
    "index Makefile": "the workspace 'Makefile' is not a directory",
    "complete --batch nowhere.jsonl": "cannot read 'nowhere.jsonl'",
    "complete --batch tests": "'tests' is a directory",
    "complete nowhere.py:1:1": "there is no file 'nowhere.py'",
    "bench nowhere": "there is no benchmark 'nowhere'",
}


@pytest.mark.parametrize("line", FAULTS)
def test_fault_is_one_sentence(line: str) -> None:
    done = run(*line.split())
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1
    assert FAULTS[line] in done.stderr.decode()


def test_fault_as_json() -> None:
    done = run("complete", "nowhere.py:1:1", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == {"code": "file_not_found", "message": "there is no file 'nowhere.py'"}
    assert done.stderr.startswith(b"error: there is no file")


UNFORESEEN = (
    "import sys; from lsp_server.cli import main, entry; entry.COMMANDS['index'] = 'zipapp'; sys.exit(main(['index']))"
)
"""A command whose module has no `run` stands for whatever nobody foresaw."""


@pytest.mark.parametrize("asked", ["", "1"])
def test_unforeseen_fault_is_one_sentence(asked: str) -> None:
    environment = os.environ | {"INSCOPE_TRACEBACK": asked}
    done = subprocess.run(
        [sys.executable, "-c", UNFORESEEN], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 1
    *trace, sentence = done.stderr.splitlines()
    assert sentence.startswith("error: an unexpected fault, AttributeError: ")
    assert "INSCOPE_TRACEBACK=1" in sentence
    assert bool(trace) == bool(asked)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-16"])
def test_output_is_utf8_everywhere(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "größe.py"
    file.write_text("größe = 1\n", "utf-8")
    done = run("symbols", f"{file}:2:1", "--json", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert "größe" in [name["name"] for name in json.loads(done.stdout.decode("utf-8"))["names"]]


def test_reader_that_goes_away() -> None:
    """More output than a pipe holds, and nobody who reads it."""
    with subprocess.Popen(
        [*INSCOPE, "symbols", "lsp_server/errors.py:1:1", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows delivers Ctrl-C to a whole console")
def test_interrupt_is_quiet() -> None:
    with subprocess.Popen(
        [*INSCOPE, "complete", "--batch", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"nonsense\n")
        process.stdin.flush()
        process.stdout.readline()  # it has come as far as waiting for the next line
        process.send_signal(signal.SIGINT)
        said = process.communicate()
    assert (process.returncode, said) == (130, (b"", b""))
