"""Configuration files on the command line: the defaults of options, and which files are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lsp_server.cli import main
from lsp_server.cli.configured import parse_configured
from lsp_server.settings.files import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

CASES = [
    ("workspace", "temperature = 0.5", "", ("temperature", 0.5)),
    ("workspace", "inline.multiline = false", "", ("extent", "line")),
    ("workspace", "inline.multiline = false", "--extent block", ("extent", "block")),
    ("workspace", "inline.maxTokens = 7", "", ("max_tokens", 7)),
    ("workspace", "prior = 'off'", "", ("no_prior", True)),
    ("workspace", "seed = 3", "--seed 4", ("seed", 4)),
    ("workspace", "model = './mine'", "", ("model", None)),
    ("workspace", "workspace.trusted = true", "", ("trust", False)),
    ("own", "model = './mine'", "", ("model", "./mine")),
    ("own", "model = './mine'", "--model other", ("model", "other")),
    ("own", "workspace.trusted = true", "", ("trust", True)),
    ("own", "constraint.enabled = false", "", ("no_constraint", True)),
    ("own", "workspace.controllers = 'on'", "", ("workspace_controllers", False)),
]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("own", "workspace"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv(FOLDER, str(tmp_path / "own"))
    return tmp_path


@pytest.mark.parametrize(("whose", "text", "options", "expected"), CASES)
def test_a_file_gives_the_options_that_are_left_out(
    whose: str, text: str, options: str, expected: tuple[str, object], folders: Path
) -> None:
    (folders / whose / "inscope.toml").write_text(text)
    arguments = parse_configured(["complete", f"{folders}/workspace/a.py:1:1", *options.split()])
    assert getattr(arguments, expected[0]) == expected[1]


def test_the_length_of_ghost_text_is_no_limit_of_programs(folders: Path) -> None:
    (folders / "workspace" / "inscope.toml").write_text("inline.maxTokens = 7")
    command = ["generate", "--program", "p.js", "--context", f"{folders}/workspace/a.py:1:1"]
    assert parse_configured(command).program_tokens == 256


def test_what_is_not_taken_is_one_note(folders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folders / "workspace" / "inscope.toml"
    file.write_text("model = './mine'")
    assert main(["index", str(folders / "workspace"), "--json"]) == 0
    own = folders / "own" / "inscope.toml"
    assert capsys.readouterr().err == (
        f"note: {file}: 'model' is never taken from the file of a workspace; set it in {own}\n"
    )


def test_the_files_of_a_workspace_are_those_that_its_file_leaves(
    folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.py", "b.py", "c.js"):
        (folders / "workspace" / name).write_text("")
    (folders / "workspace" / "inscope.toml").write_text("exclude = ['b.py']\nlanguages = ['python']")
    assert main(["index", str(folders / "workspace"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["languages"] == {"python": 1}
