"""`inscope completion` and `--version`: scripts that their shells can read, and the commit."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from lsp_server.cli import main
from lsp_server.cli.completion import script
from lsp_server.cli.entry import COMMANDS
from lsp_server.cli.parser import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_each_command_and_its_shell_can_read_it(shell: str) -> None:
    text = script(shell)
    assert [command for command in COMMANDS if command not in text] == []
    assert "workspace-controllers" in text
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} here")
    done = subprocess.run([program, "-n"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_version_has_the_commit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"inscope \d+\.\d+\.\d+( \([0-9a-f]{9,}\))?\n", capsys.readouterr().out)


@pytest.mark.parametrize("arguments", [[], [""], ["bsh"], ["powershell"], ["Bash"], ["all"]])
def test_without_a_shell_that_there_is_the_shells_are_named(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert (error.count("\n"), [shell for shell in SHELLS if shell not in error]) == (1, [])
