"""`inscope bench`: what one benchmark does wrong is not hidden by those that go well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lsp_server.cli import bench, main

GOOD = '"""Goes well."""\ndef main(): ...\n'
WRONG = '"""Finds a fault."""\ndef main(): ...\nraise SystemExit(3)\n'
STOPPED = '"""Is stopped."""\ndef main(): ...\nraise KeyboardInterrupt\n'
TAKES = '"""Takes what it is given."""\nimport sys\ndef main(): ...\nraise SystemExit(sys.argv[1:] != ["--a", "b"])\n'
MISUNDERSTANDS = (
    '"""Takes a folder."""\nfrom lsp_server.paths import existing\nfrom argparse import ArgumentParser\n'
    "def main(): ...\nparser = ArgumentParser()\nparser.add_argument('--count', type=int)\n"
    "parser.add_argument('--root', type=existing)\nparser.parse_args()\n"
)
CRASH = '"""Crashes."""\nimport os\ndef main(): ...\nos.abort()\n'

RUNS = [
    ("all", {"a": GOOD, "b": GOOD}, 0, ""),
    ("all", {"a": GOOD, "b": CRASH}, 1, "1 of 2 benchmarks failed: b"),
    ("all", {"a": CRASH, "b": WRONG, "c": GOOD}, 1, "2 of 3 benchmarks failed: a, b"),
    ("b", {"a": WRONG, "b": GOOD}, 0, ""),
    ("b", {"a": GOOD, "b": CRASH}, 1, ""),
    ("b", {"a": GOOD, "b": WRONG}, 1, ""),
]

MISTAKES = [
    (["a"], 0, ""),
    (["a", "--root", "."], 0, ""),
    (["a", "--wrong"], 2, "error: unrecognized arguments: --wrong"),
    (["a", "--count", "many"], 2, "error: argument --count: invalid int value: 'many'"),
    (["a", "--root", "nowhere"], 2, "error: argument --root: there is nothing at 'nowhere'"),
    (["all", "--root", "nowhere"], 2, "error: 2 of 2 benchmarks failed: a, b"),
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


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], None]:
    """Makes a checkout with these benchmarks."""

    def make(modules: dict[str, str]) -> None:
        (tmp_path / "benchmarks").mkdir()
        for module, source in {"__init__": "", **modules}.items():
            (tmp_path / "benchmarks" / f"{module}.py").write_text(source)
        monkeypatch.setattr(bench, "CHECKOUT", tmp_path)

    return make


@pytest.mark.parametrize(("name", "modules", "status", "said"), RUNS)
def test_status(  # noqa: PLR0917 - one row of the table above
    name: str,
    modules: dict[str, str],
    status: int,
    said: str,
    checkout: Callable[[dict[str, str]], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    checkout(modules)
    assert main(["bench", name]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(("arguments", "status", "said"), MISTAKES)
def test_a_mistake_in_the_command_line_is_not_a_failure(
    arguments: list[str],
    status: int,
    said: str,
    checkout: Callable[[dict[str, str]], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    checkout({"a": MISUNDERSTANDS, "b": MISUNDERSTANDS})
    assert main(["bench", *arguments]) == status
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(("source", "status"), [(STOPPED, 1), (TAKES, 0)])
def test_a_benchmark_is_run_as_a_module_and_stopped_without_a_trace(
    source: str,
    status: int,
    checkout: Callable[[dict[str, str]], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    checkout({"a": source})
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
