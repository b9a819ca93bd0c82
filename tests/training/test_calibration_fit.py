"""`inscope train --calibration`: it works wherever it is started, and says where there is nothing to fit to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from decoder.calibration import FEATURES, Calibration
from lsp_server.cli import bench, main

pytestmark = pytest.mark.slow

BENCHMARK = """
import json, sys
from pathlib import Path
def main(): ...
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
assert Path(given["--model"]).is_dir() and sys.argv[5:] == ["--set", "fitting"]
Path(given["--out"]).mkdir()
Path(given["--out"], "observed.jsonl").write_text(Path("answers.jsonl").read_text())
"""


@pytest.mark.parametrize(("right", "status"), [((True, False), 0), ((False, False), 1), ((), 1)])
def test_what_is_measured_is_found_from_any_directory(
    right: tuple[bool, ...],
    status: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answers = [{"features": dict.fromkeys(FEATURES, float(exact)), "exact": exact} for exact in right]
    (tmp_path / "checkout" / "benchmarks").mkdir(parents=True)
    (tmp_path / "checkout" / "benchmarks" / "__init__.py").touch()
    (tmp_path / "checkout" / "benchmarks" / "calibration.py").write_text(BENCHMARK)
    (tmp_path / "checkout" / "answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    (tmp_path / "here" / "model").mkdir(parents=True)
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.chdir(tmp_path / "here")
    assert main(["train", "--calibration", "--from", "model", "--out", "fitted"]) == status
    if status == 0:
        Calibration.read(json.loads(Path("fitted/calibration.json").read_text("utf-8")))
    else:
        assert "nothing can be fitted" in capsys.readouterr().err
