"""The doctor survives what it examines, and only what is needed makes it say that something is wrong."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from importlib.metadata import requires
from typing import TYPE_CHECKING, Any

import pytest

from context_index import Document, Language, Workspace
from lsp_server.cli import main
from lsp_server.engine.answer import silent
from lsp_server.engine.clock import Clock
from lsp_server.engine.suggestion import Withheld
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation import doctor
from lsp_server.installation.doctor import CheckStatus, Finding, Health, Situation, as_json, examine, probe
from lsp_server.installation.sizes import sizes
from lsp_server.settings.files import FOLDER, files
from lsp_server.settings.table import Settings
from lsp_server.store import store_folder
from tests import needs
from tests.alone import parser_alone
from tests.lsp_server.fakes import Editor, conversation

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_server.engine.suggestion import Suggestion

Json = Any

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
    assert set(found["grammars"]) == {language for language in Language if language.record.is_installed}


@pytest.mark.parametrize("language", Language)
def test_a_language_without_a_checker_is_said_to_have_none(language: Language) -> None:
    with parser_alone(language):
        found = {one.name: one for one in doctor.languages()}[f"language {language}"]
    assert found.status is CheckStatus.OK
    assert found.detail == (
        "experimental: the built-in model has not learnt it, so bring your own; with it ghost text only by hand; "
        "no checker of it is known, so that only syntax is verified"
    )


def test_a_language_whose_parser_is_missing_is_named_with_its_extra() -> None:
    with parser_alone(Language.C, parser=("no_such_parser", "language")):
        found = {one.name: one for one in doctor.languages()}["language c"]
    assert (found.status, found.detail) == (CheckStatus.ABSENT, "the parser of C is not installed")
    assert found.advice.startswith("Install the extra 'c': ")


def test_what_is_served_in_full_needs_no_finding() -> None:
    assert {one.name for one in doctor.languages()} == {
        f"language {one}" for one in Language if one.record.extra or one.record.is_experimental
    }


def test_model_that_fails_is_reported() -> None:
    def fail() -> Suggestion:
        raise RequestError(ErrorCode.MODEL_DAMAGED, "the weights are cut off")

    found = doctor.completion(fail)
    assert (found.status, found.detail) == (CheckStatus.FAILED, "the weights are cut off")


def test_model_that_suggests_nothing_is_reported() -> None:
    found = doctor.completion(lambda: silent(Withheld.CONSTRAINT_FAULT, "The rules do not work.", Clock()))
    assert (found.status, found.detail) == (CheckStatus.FAILED, "the model suggests nothing: The rules do not work.")


MODELS = [
    (Settings(), "", CheckStatus.OK, "built-in, family embedded, numpy on cpu, 17 MB"),
    (Settings(), "it ran out of memory", CheckStatus.FAILED, "it ran out of memory"),
    (Settings(model="./nowhere"), "", CheckStatus.FAILED, "no model at 'nowhere'"),
    (Settings(model="no/where"), "", CheckStatus.ABSENT, "the model no/where is not on this machine yet"),
    (Settings(device="mps"), "", CheckStatus.OK if sys.platform == "darwin" else CheckStatus.FAILED, ""),
]


@pytest.mark.parametrize(("settings", "fault", "status", "words"), MODELS)
def test_a_model_is_described_without_being_loaded(
    settings: Settings, fault: str, status: CheckStatus, words: str
) -> None:
    found = doctor.model(Situation(settings=settings, model_fault=fault))
    assert found.status is status
    assert words in found.detail
    assert bool(found.advice) == (status is not CheckStatus.OK)


def test_settings_are_shown_with_where_they_come_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "own"))
    for folder in ("own", "shop"):
        (tmp_path / folder).mkdir()
    (tmp_path / "own/inscope.toml").write_text("seed = 1\nverify = 'mark'\n")
    (tmp_path / "shop/inscope.toml").write_text("seed = 2\n")
    read = files(tmp_path / "shop")
    settings = Settings(seed=2, verify="mark", device="cpu")
    found = doctor.settings_of(Situation(settings=settings, files=read, client={"device": "cpu", "model": None}))
    assert found.status is CheckStatus.OK
    assert f'verify = "mark" ({tmp_path / "own/inscope.toml"})' in found.detail
    assert f"seed = 2 ({tmp_path / 'shop/inscope.toml'})" in found.detail
    assert 'device = "cpu" (the editor)' in found.detail
    assert "model" not in found.detail.replace(str(tmp_path), "")


def test_what_is_wrong_with_settings_is_reported(tmp_path: Path) -> None:
    (tmp_path / "inscope.toml").write_text("seed = 'x'\nmodel = './qwen'\n")
    found = doctor.settings_of(Situation(files=files(tmp_path), problems=["setting 'x' is not one"]))
    assert found.status is CheckStatus.FAILED
    assert found.detail.count(str(tmp_path)) == 2
    assert found.detail.endswith("setting 'x' is not one")


def test_cache_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert doctor.cache(tmp_path / "file" / "cache").status is CheckStatus.FAILED
    assert doctor.cache(tmp_path / "new" / "cache").status is CheckStatus.OK


def test_cache_is_where_the_index_is_kept(tmp_path: Path) -> None:
    (tmp_path / "one.sqlite").write_bytes(b"0" * 2_500_000)
    assert doctor.cache(tmp_path).detail == f"{tmp_path}, workspaces kept: 1 (2.5 MB)"


def test_cache_that_is_switched_off_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", "")
    found = doctor.cache(store_folder())
    assert (found.status, found.detail) == (CheckStatus.ABSENT, "switched off, INSCOPE_CACHE is empty")


def test_what_setup_brought_is_counted() -> None:
    needs.typescript()
    assert 20e6 < sizes()["TypeScript"] < 40e6


@pytest.mark.slow
def test_without_its_extras_inscope_is_small() -> None:
    """250 MB with TypeScript, where npm exists; the figure of a fresh environment is in CHANGELOG.md."""
    if any(each.startswith("torch") and "extra ==" not in each for each in requires("inscope") or ()):
        pytest.skip("the environment was made before there were extras; `make test` makes it anew")
    found = sizes()
    assert found["Inscope and its packages"] + found.get("TypeScript", 0) < 250e6


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_installed")
def test_without_node_and_typescript_one_notice_says_what_is_less(tmp_path: Path) -> None:
    situation = Situation(roots=(tmp_path,))
    found = [one for one in doctor.checkers(situation) if one.name == "types typescript"]
    assert [one.status for one in found] == [CheckStatus.FAILED]
    assert found[0].detail.startswith("types are not available: TypeScript is not installed")
    findings = {one.name: one for one in examine(situation)}
    assert findings["checker typescript"].advice == "Run 'inscope setup' to install it."
    assert findings["levels"].detail.startswith("javascript syntax, typescript syntax, tsx syntax, python types")
    assert "disk" not in findings, "thousands of files are looked at in each examination of a server"


@pytest.mark.slow
def test_the_checker_that_answers_is_named(tmp_path: Path) -> None:
    workspace = Workspace((tmp_path,))
    document = Document((tmp_path / "a.py").as_uri(), Language.PYTHON, "'a'.")
    found = doctor.checker("types python", workspace, document, "pip install ty")
    workspace.close()
    assert (found.status, found.advice) == (CheckStatus.OK, "")
    assert re.fullmatch(r"ty \S+ answers \(\d+ members of a string\)", found.detail)


HEALTH = [([CheckStatus.OK, CheckStatus.ABSENT], 0), ([CheckStatus.OK, CheckStatus.FAILED], 1)]


@pytest.mark.parametrize(("statuses", "code"), HEALTH)
def test_only_failures_are_unhealthy(
    statuses: list[CheckStatus], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [Finding(str(status), status, "detail", "advice") for status in statuses]
    monkeypatch.setattr("lsp_server.cli.doctor.examine", lambda _situation: iter(found[:1]))
    monkeypatch.setattr("lsp_server.cli.doctor.disk", lambda: found[1])
    assert main(["doctor", "--json"]) == code
    health = json.loads(capsys.readouterr().out)
    assert health == as_json(Health(tuple(found)))
    assert (health["healthy"], health["summary"]) == (code == 0, "failed: detail. advice" if code else "")
    assert main(["doctor"]) == code
    assert capsys.readouterr().out.count("advice") == len(statuses) + code


@pytest.mark.slow
def test_this_machine_is_healthy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("INSCOPE_CACHE", str(tmp_path))
    assert main(["doctor", "--json", "--deep", "--workspace", str(tmp_path)]) == 0
    findings = {one["name"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert str(tmp_path / "index") in findings["cache"]["detail"]
    assert findings["completion"]["milliseconds"] > 0
    assert findings["types python"]["detail"].startswith("ty ")
    quick = {"python", "platform", "memory", "packages", "settings", "model", "grammar tsx", "cache", "levels", "disk"}
    assert quick | {"torch", "devices", "completion"} <= set(findings)


BROKEN = Finding("model", CheckStatus.FAILED, "it is cut off", "Fetch it again.")
SENTENCE = "model: it is cut off. Fetch it again."


def statuses_of(editor: Editor) -> list[Json]:
    return [(one["state"], one["message"], one["problems"]) for one in editor.params_of("inscope/status")]


@conversation
async def test_what_is_broken_is_in_the_status_and_in_the_health(editor: Editor) -> None:
    editor.findings = [Finding("python", CheckStatus.OK, "3.11"), BROKEN]
    await editor.start(settings={"model": "./none", "colour": 1})
    await editor.idle()
    answer = await editor.ask("workspace/executeCommand", command="inscope.health")
    assert answer["result"] == as_json(Health(tuple(editor.findings)))
    assert statuses_of(editor)[-1] == ("ready", "", [{"name": "model", "message": SENTENCE}])
    seen = editor.situations[-1]
    assert (seen.settings.model, seen.client, len(seen.problems)) == ("./none", {"model": "./none"}, 1)


@conversation
async def test_a_model_that_was_not_tried_yet_is_shown_as_failed(editor: Editor) -> None:
    editor.findings = [BROKEN]
    await editor.start()
    status = editor.server.session.status
    editor.server.session.status = replace(status, state=editor.host.state.UNLOADED)
    editor.host.state = editor.host.state.UNLOADED
    await editor.ask("workspace/executeCommand", command="inscope.health", arguments=[{"deep": False}])
    assert statuses_of(editor)[-1][:2] == ("failed", "it is cut off")
    editor.findings = []
    await editor.ask("workspace/executeCommand", command="inscope.health", arguments=[])
    assert statuses_of(editor)[-1] == ("unloaded", "", [])


@pytest.mark.parametrize("arguments", [[1], [{"deep": 1}], [{}, {}], ["deep"], [{"deep": "yes"}]])
@conversation
async def test_other_arguments_are_refused_in_a_sentence(editor: Editor, arguments: Json) -> None:
    await editor.start()
    answer = await editor.ask("workspace/executeCommand", command="inscope.health", arguments=arguments)
    assert "inscope.health takes no arguments" in answer["error"]["message"]
