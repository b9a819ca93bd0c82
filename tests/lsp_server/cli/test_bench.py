"""`inscope bench`: what one benchmark does wrong is not hidden by those that go well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lsp_server.cli import bench, main

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '"""Goes well."""\ndef main(): ...\n'
WRONG = '"""Finds a fault."""\ndef main(): ...\nraise SystemExit(3)\n'
STOPPED = '"""Is stopped."""\ndef main(): ...\nraise KeyboardInterrupt\n'
TAKES = '"""Takes what it is given."""\nimport sys\ndef main(): ...\nraise SystemExit(sys.argv[1:] != ["--a", "b"])\n'
CRASH = '"""Crashes."""\nimport os\ndef main(): ...\nos.abort()\n'

RUNS = [
    ("all", {"a": GOOD, "b": GOOD}, 0, ""),
    ("all", {"a": GOOD, "b": CRASH}, 1, "1 of 2 benchmarks failed: b"),
    ("all", {"a": CRASH, "b": WRONG, "c": GOOD}, 1, "2 of 3 benchmarks failed: a, b"),
    ("b", {"a": WRONG, "b": GOOD}, 0, ""),
    ("b", {"a": GOOD, "b": CRASH}, 1, ""),
    ("b", {"a": GOOD, "b": WRONG}, 1, ""),
]

UNKNOWN = [
    ("suggestion", "error: there is no benchmark 'suggestion'; did you mean 'suggestions'?\n"),
    ("nowhere", "error: there is no benchmark 'nowhere'; 'inscope bench' lists them\n"),
]


@pytest.mark.parametrize(("name", "said"), UNKNOWN)
def test_an_unknown_benchmark_is_a_mistake_and_one_sentence(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", name]) == 2
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize(("name", "modules", "status", "said"), RUNS)
def test_status(  # noqa: PLR0917 - one row of the table above
    name: str,
    modules: dict[str, str],
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "benchmarks").mkdir()
    for module, source in {"__init__": "", **modules}.items():
        (tmp_path / "benchmarks" / f"{module}.py").write_text(source)
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    assert main(["bench", name]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("source", "status"), [(STOPPED, 1), (TAKES, 0)])
def test_a_benchmark_is_run_as_a_module_and_stopped_without_a_trace(
    source: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "benchmarks").mkdir()
    for name, text in {"__init__": "", "a": source}.items():
        (tmp_path / "benchmarks" / f"{name}.py").write_text(text)
    monkeypatch.setattr(bench, "CHECKOUT", tmp_path)
    assert main(["bench", "a", "--a", "b"]) == status
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_controllers_without_quickjs_are_reported_in_one_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSCOPE_QUICKJS", "/nonexistent")
    assert main(["bench", "controller"]) == 1
    said = capfd.readouterr().err
    assert said.startswith("error: programs in JavaScript need QuickJS: ")
    assert said.count("\n") == 1
