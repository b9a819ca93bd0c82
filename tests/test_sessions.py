"""The scripted editing sessions of `benchmarks/places/sessions` give the document that they say they give."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from context_index import language_of, parse
from tests.files import document

SESSIONS = sorted((Path(__file__).parents[1] / "benchmarks" / "places" / "sessions").glob("*.jsonl"))


@dataclass
class Editor:
    """A document and a cursor."""

    text: str
    cursor: int = 0
    pauses: list[float] = field(default_factory=list)

    def apply(self, step: dict[str, Any]) -> None:
        """Do what one line of a session says."""
        match step:
            case {"type": str(typed), **more}:
                self.write(typed, **more)
            case {"enter": int(blanks), **more}:
                line = self.text.rfind("\n", 0, self.cursor) + 1
                if self.text[line : self.cursor].isspace():
                    self.delete(line, self.cursor)
                self.write("\n" + " " * blanks, **more)
            case {"back": int(count)}:
                self.delete(self.cursor - count, self.cursor)
            case {"forward": int(count)}:
                self.delete(self.cursor, self.cursor + count)
            case {"after": str(text)}:
                assert self.text.count(text) == 1, text
                self.cursor = self.text.index(text) + len(text)
            case {"start": True}:
                self.cursor = 0
            case {"end": True}:
                self.cursor = len(self.text)
            case {"pause": float(seconds)}:
                self.pauses.append(seconds)
            case _:
                raise AssertionError(step)

    def write(self, typed: str, over: int = 0, closed: str = "") -> None:
        self.delete(self.cursor, self.cursor + over)
        self.text = self.text[: self.cursor] + typed + closed + self.text[self.cursor :]
        self.cursor += len(typed)

    def delete(self, start: int, end: int) -> None:
        assert 0 <= start <= end <= len(self.text)
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start


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
