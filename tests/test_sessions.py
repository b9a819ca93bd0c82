"""The scripted editing sessions of `benchmarks/places/sessions` give the document that they say they give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.sessions import FOLDER, Editor
from context_index import language_of, parse
from tests.files import document

SESSIONS = sorted(FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_ends_with_its_final_text(path: Path, tmp_path: Path) -> None:
    first, *steps, last = map(json.loads, path.read_text("utf-8").splitlines())
    assert 25 <= len(steps) <= 80
    editor = Editor(first["start"])
    for step in steps:
        editor.apply(step)
    assert editor.text == last["final"]
    assert len(editor.pauses) >= 8
    assert all(0.35 <= seconds <= 1.2 for seconds in editor.pauses)
    assert first["language"] == language_of(first["file"])
    assert parse(document(tmp_path, first["file"], editor.text)).errors == 0


def test_there_are_twenty_sessions() -> None:
    names = [json.loads(path.read_text("utf-8").splitlines()[0])["file"] for path in SESSIONS]
    counts = [sum(name.endswith(suffixes) for name in names) for suffixes in (".py", (".ts", ".tsx"), (".js", ".jsx"))]
    assert counts == [7, 7, 6]
