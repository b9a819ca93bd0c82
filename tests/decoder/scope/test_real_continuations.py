"""What the benchmark of real code counts as refused: no name that nothing in its file declares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import real_continuations

FILE = """\
function first(element) {
  const answer = compute(element);
  $(element).hide();
  $missing.call(answer);
  jQuery(element).show();
  return answer;
}
function compute(value) {
  return value + 1;
}
// the file is long enough to be drawn, which a file of fewer than two hundred characters is not
"""


def test_names_that_nothing_declares_are_counted_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "shop.js").write_text(FILE, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["", "javascript", "--root", "code", "--kinds", "lines", "--json"])
    assert real_continuations.main() == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert (lines["refused"], lines["undeclared"]) == ([], {"$": 1, "$missing": 1, "jQuery": 1})
    assert lines["tried"] == lines["accepted"] > 0
