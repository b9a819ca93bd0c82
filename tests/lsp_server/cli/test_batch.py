"""A batch whose model cannot be had: every line is answered with the reason, after a single attempt to load it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from decoder.models import files as model_files
from lsp_server.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES = 4
BROKEN = {
    "missing": ("./no/such/model", "model_not_found"),
    "damaged": ("{folder}", "model_damaged"),
    "home of nobody": ("~nosuchuser/model", "model_not_found"),
    "too long": ("./" + "m" * 5000, "model_not_found"),
}


@pytest.mark.parametrize(("model", "code"), BROKEN.values(), ids=BROKEN.keys())
def test_a_model_that_cannot_be_had_is_looked_for_once(
    model: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text("{")
    model = model.format(folder=tmp_path)
    attempts = []
    find = model_files.find

    def counted(name: str, notify: Callable[[str], None]) -> model_files.ModelFiles:
        attempts.append(name)
        return find(name, notify)

    monkeypatch.setattr(model_files, "find", counted)
    batch = tmp_path / "in.jsonl"
    lines = [{"id": n, "file": "a.py", "line": 1, "column": 1, "text": "x = 1\n"} for n in range(LINES)]
    batch.write_text("\n".join(map(json.dumps, lines)))
    assert main(["complete", "--batch", str(batch), "--model", model]) == 1
    said = capsys.readouterr()
    answers = [json.loads(line) for line in said.out.splitlines()]
    assert [answer["id"] for answer in answers] == [*range(LINES)]
    assert {answer["error"]["code"] for answer in answers} == {code}
    assert {answer["error"]["message"].count("\n") for answer in answers} == {0}
    assert attempts == [model]
    assert said.err == ""


@pytest.mark.parametrize(
    ("file", "warned"), [("here/a.py", False), ("here/new.py", False), ("gone/a.py", True), ("other/a.py", False)]
)
def test_a_file_that_is_nowhere_outside_of_the_workspace_is_warned_of_once(
    file: str, warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in ("here", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("x = 1\n")
    line = json.dumps({"file": str(tmp_path / file), "line": 1, "column": 1, "text": "x = 1\n"})
    (tmp_path / "in.jsonl").write_text(f"{line}\n{line}\n")
    batch = ["complete", "--batch", str(tmp_path / "in.jsonl"), "--workspace", str(tmp_path / "here")]
    main([*batch, "--model", "./no/such/model"])
    assert capsys.readouterr().err.count("warning: there is no file") == int(warned)
