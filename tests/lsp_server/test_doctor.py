"""The doctor survives what it examines, and only what is needed makes it say that something is wrong."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import pytest

from context_index import Document, Language, Workspace
from lsp_server import doctor
from lsp_server.answer import silent
from lsp_server.cli import main
from lsp_server.doctor import Finding, Status, probe
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.store import store_folder
from lsp_server.suggestion import Withheld

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_server.suggestion import Suggestion

PROBES = {
    "print('{\"a\": 1}')": {"a": 1},
    "import no_such_library": "ModuleNotFoundError: No module named 'no_such_library'",
    "import sys; sys.exit(3)": "ended with code 3",
    "print('not json')": "printed 'not json'",
}


@pytest.mark.parametrize("script", PROBES)
def test_probe(script: str) -> None:
    assert probe(script)[0] == PROBES[script]


def test_probe_survives_a_crash() -> None:
    found, _ = probe("import os; os.abort()")
    assert isinstance(found, str)
    assert found.startswith("ended with code ")


def test_grammars_are_read() -> None:
    found, _ = probe(doctor.GRAMMARS)
    assert isinstance(found, dict)
    assert set(found["grammars"]) == {"javascript", "typescript", "tsx", "python"}


def test_model_that_fails_is_reported() -> None:
    def fail() -> Suggestion:
        raise RequestError(ErrorCode.MODEL_DAMAGED, "the weights are cut off")

    found = doctor.model(fail)
    assert (found.status, found.detail) == (Status.FAILED, "the weights are cut off")


def test_model_that_suggests_nothing_is_reported() -> None:
    found = doctor.model(lambda: silent(Withheld.CONSTRAINT_FAULT, "The rules do not work.", time.perf_counter()))
    assert (found.status, found.detail) == (Status.FAILED, "built-in, suggests nothing: The rules do not work.")


def test_cache_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert doctor.cache(tmp_path / "file" / "cache").status is Status.ABSENT
    assert doctor.cache(tmp_path / "new" / "cache").status is Status.OK


def test_cache_is_where_the_index_is_kept(tmp_path: Path) -> None:
    (tmp_path / "one.sqlite").write_bytes(b"0" * 2_500_000)
    assert doctor.cache(tmp_path).detail == f"{tmp_path}, workspaces kept: 1 (2.5 MB)"


def test_cache_that_is_switched_off_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", "")
    found = doctor.cache(store_folder())
    assert (found.status, found.detail) == (Status.ABSENT, "switched off, INSCOPE_CACHE is empty")


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_installed")
def test_without_node_and_typescript_one_notice_says_what_is_less(tmp_path: Path) -> None:
    found = [one for one in doctor.checkers(tmp_path) if one.name == "types typescript"]
    assert [(one.status, one.advice) for one in found] == [(doctor.Status.FAILED, "Run 'inscope setup'.")]
    assert found[0].detail.startswith("types are not available: TypeScript is not installed")


@pytest.mark.slow
def test_the_checker_that_answers_is_named(tmp_path: Path) -> None:
    workspace = Workspace((tmp_path,))
    document = Document((tmp_path / "a.py").as_uri(), Language.PYTHON, "'a'.")
    found = doctor.checker("types python", workspace, document, "pip install ty")
    workspace.close()
    assert (found.status, found.advice) == (Status.OK, "")
    assert re.fullmatch(r"ty \S+ answers \(\d+ members of a string\)", found.detail)


HEALTH = [([Status.OK, Status.ABSENT], 0), ([Status.OK, Status.FAILED], 1)]


@pytest.mark.parametrize(("statuses", "code"), HEALTH)
def test_only_failures_are_unhealthy(
    statuses: list[Status], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Finding(str(status), status, "detail", "advice") for status in statuses]
    monkeypatch.setattr("lsp_server.cli.doctor.examine", lambda _model: iter(found))
    assert main(["doctor", "--json"]) == code
    assert json.loads(capsys.readouterr().out)["healthy"] is (code == 0)
    assert main(["doctor"]) == code
    assert capsys.readouterr().out.count("advice") == len(statuses)


@pytest.mark.slow
def test_this_machine_is_healthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", str(tmp_path))
    assert main(["doctor", "--json"]) == 0
    findings = {one["name"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert str(tmp_path / "index") in findings["cache"]["detail"]
    assert findings["model"]["milliseconds"] > 0
    assert findings["types python"]["detail"].startswith("ty ")
    assert {"python", "platform", "memory", "torch", "devices", "grammar tsx", "cache"} <= set(findings)
