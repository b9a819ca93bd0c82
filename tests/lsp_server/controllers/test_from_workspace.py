"""Programs that a workspace brings: chosen by globs, run only where a person has said so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_index import Language
from decoder import Controller
from lsp_server.cli.arguments import Arguments
from lsp_server.cli.complete import workspace_controller
from lsp_server.engine.controllers.from_workspace import Trust, configured, controller_for, matches
from lsp_server.errors import RequestError
from lsp_server.lsp.handlers.workspace_controllers import RUN
from tests.lsp_server.fakes import Editor, on

SOURCE = "export function step() {}"
ON = Trust("on")


def workspace(root: Path, controllers: object, *names: str) -> Path:
    folder = root / ".inscope" / "controllers"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(SOURCE)
    written = controllers if isinstance(controllers, str) else json.dumps({"controllers": controllers})
    (root / ".inscope" / "config.json").write_text(written)
    return root


GLOBS = [
    ("**", "a/b.js", True),
    ("*.js", "b.js", True),
    ("*.js", "a/b.js", False),
    ("**/*.js", "b.js", True),
    ("**/*.js", "a/c/b.js", True),
    ("src/**", "src/a/b.js", True),
    ("src/**", "lib/b.js", False),
    ("src/**/*.ts", "src/b.ts", True),
    ("src/**/t/*.ts", "src/a/t/b.ts", True),
    ("/src/[ab].ts", "src/b.ts", True),
    ("src", "src/b.ts", False),
    ("**/a/" * 12 + "b", "a/" * 30 + "c", False),
]


@pytest.mark.parametrize(("glob", "place", "fitting"), GLOBS)
def test_globs(glob: str, place: str, fitting: bool) -> None:
    assert matches((glob,), place) is fitting


CHOICES: list[tuple[list[Any], str, str | None]] = [
    (["*.js"], "a.ts", "ban.js"),
    (["quotes.js"], "a.ts", "quotes.js"),
    (["none.js", "quotes.js"], "a.ts", "quotes.js"),
    ([{"use": "ban.js", "for": "src/**"}, "quotes.js"], "src/a.ts", "ban.js"),
    ([{"use": "ban.js", "for": ["src/**"]}, "quotes.js"], "lib/a.ts", "quotes.js"),
    ([{"use": "ban.js", "for": ["src/**"]}], "lib/a.ts", None),
    (["other.py"], "a.ts", None),
    (["../*.js"], "a.ts", None),
    ([], "a.ts", None),
]


@pytest.mark.parametrize(("controllers", "place", "name"), CHOICES)
def test_the_first_entry_that_is_for_the_file_counts(
    controllers: list[Any], place: str, name: str | None, tmp_path: Path
) -> None:
    root = workspace(tmp_path, controllers, "quotes.js", "ban.js", "other.py")
    found = controller_for([root], root / place, ON)
    assert (None if found is None else found.name) == name


def test_the_configuration_gives_the_parameters(tmp_path: Path) -> None:
    root = workspace(tmp_path, [{"use": "a.js", "params": {"quote": "'"}}], "a.js")
    wanted = Controller(Language.JAVASCRIPT, SOURCE, {"quote": "'"}, "a.js")
    assert controller_for([root], root / "x.js", ON) == wanted
    assert controller_for([root], tmp_path.parent / "x.js", ON) is None
    assert controller_for([root], None, ON) is None
    assert configured(root) == ("a.js",)


@pytest.mark.parametrize(
    ("trust", "runs"),
    [(Trust("on"), True), (Trust("ask"), False), (Trust("off"), False), (Trust(), False),
     (Trust("on", trusted=False), False)],
)  # fmt: skip
def test_nothing_runs_without_a_yes(trust: Trust, runs: bool, tmp_path: Path) -> None:
    root = workspace(tmp_path, ["*.js"], "a.js")
    assert (controller_for([root], root / "x.js", trust) is not None) is runs
    trust.agreed.add(root)
    agreed = runs or (trust.trusted and trust.setting == "ask")
    assert (controller_for([root], root / "x.js", trust) is not None) is agreed
    assert not Trust("ask", agreed={root / "elsewhere"}).runs(root)


def test_the_configuration_of_a_root_that_may_not_run_is_not_read_beside_one_that_may(tmp_path: Path) -> None:
    agreed = workspace(tmp_path / "a", ["*.js"], "a.js")
    broken = workspace(tmp_path / "b", "{")
    trust = Trust("ask", agreed={agreed})
    assert controller_for([agreed, broken], broken / "x.js", trust) is None
    assert controller_for([agreed, broken], agreed / "x.js", trust) is not None


def test_a_controller_that_leads_out_of_the_folder_is_none(tmp_path: Path) -> None:
    root = workspace(tmp_path / "w", ["*.js"])
    (tmp_path / "secret.js").write_text(SOURCE)
    (root / ".inscope" / "controllers" / "a.js").symlink_to(tmp_path / "secret.js")
    assert controller_for([root], root / "x.js", ON) is None


FAULTS = {
    "no JSON": ("{", "is not JSON"),
    "a list": ("[]", "must be an object"),
    "no list": ('{"controllers": {}}', "is a list"),
    "a number": ('{"controllers": [1]}', "no glob and no object"),
    "unknown field": ('{"controllers": [{"use": "a", "sauce": 1}]}', "no glob and no object"),
    "for": ('{"controllers": [{"use": "a", "for": 1}]}', "'for' is no glob"),
    "params": ('{"controllers": [{"use": "a", "params": []}]}', "'params' is no object"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_are_one_sentence(case: str, tmp_path: Path) -> None:
    written, said = FAULTS[case]
    root = workspace(tmp_path, written)
    with pytest.raises(RequestError, match=said):
        configured(root)
    assert configured(tmp_path / "nothing") == ()


def test_the_command_line_runs_them_if_asked_to_and_otherwise_says_that_it_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = workspace(tmp_path, ["*.js"], "a.js")
    uri = (root / "x.js").as_uri()
    arguments = Arguments(workspace_controllers=False)
    assert [workspace_controller(arguments, [root], uri) for _ in range(3)] == [None] * 3
    said = capsys.readouterr().err
    assert said.count("a.js") == 1
    assert "not run" in said
    assert "--workspace-controllers" in said
    arguments = Arguments(workspace_controllers=True)
    found = workspace_controller(arguments, [root], uri)
    assert found is not None
    assert found.name == "a.js"
    (root / ".inscope" / "config.json").write_text("{")
    with pytest.raises(RequestError, match="is not JSON"):
        workspace_controller(arguments, [root], uri)
    assert workspace_controller(Arguments(workspace_controllers=False), [root], uri) is None


def asked_with(
    root: Path, answer: str | None, settings: dict[str, Any], controllers: object = ("*.js",)
) -> tuple[Any, Editor]:
    """The controller of a request for ghost text, and the editor with all that it received."""
    workspace(root, controllers if isinstance(controllers, str) else [*controllers], "a.js")  # type: ignore[misc]
    found: list[Any] = []

    async def talk(editor: Editor) -> None:
        editor.replies["window/showMessageRequest"] = None if answer is None else {"title": answer}
        await editor.start(roots=[root], settings=settings)
        await editor.idle()
        uri = (root / "x.js").as_uri()
        await editor.inline(editor.open("const a = ^", uri), uri)
        found.extend([editor.service.requests[-1].controller, editor])

    on(talk)
    return found[0], found[1]


def questions(editor: Editor) -> list[str]:
    return [params["message"] for params in editor.params_of("window/showMessageRequest")]


def test_a_person_is_asked_and_a_yes_lets_it_run(tmp_path: Path) -> None:
    controller, editor = asked_with(tmp_path, RUN, {"workspace": {"trusted": True}})
    assert controller is not None
    assert controller.source == SOURCE
    assert ["a.js" in one for one in questions(editor)] == [True]


@pytest.mark.parametrize("answer", ["Not Now", None])
def test_without_a_yes_it_is_not_run(answer: str | None, tmp_path: Path) -> None:
    controller, editor = asked_with(tmp_path, answer, {"workspace": {"trusted": True}})
    assert controller is None
    assert len(questions(editor)) == 1


def test_in_a_workspace_that_is_not_trusted_it_is_not_run_and_that_is_said(tmp_path: Path) -> None:
    settings = {"workspace": {"controllers": "on"}}
    controller, editor = asked_with(tmp_path, RUN, settings)
    assert controller is None
    assert questions(editor) == []
    assert ["not trusted" in one and "a.js" in one for one in editor.messages()] == [True]


@pytest.mark.parametrize(("setting", "runs"), [("on", True), ("off", False)])
def test_a_setting_decides_without_a_question(setting: str, runs: bool, tmp_path: Path) -> None:
    controller, editor = asked_with(tmp_path, RUN, {"workspace": {"trusted": True, "controllers": setting}})
    assert (controller is not None) is runs
    assert (questions(editor), editor.messages()) == ([], [])


def test_a_configuration_that_cannot_be_read_is_said_once_and_completions_go_on(tmp_path: Path) -> None:
    controller, editor = asked_with(tmp_path, RUN, {"workspace": {"controllers": "on"}}, "{")
    assert controller is None
    assert all("is not JSON" in one for one in editor.messages())
    assert editor.messages()


def test_no_question_where_there_is_nothing_to_run(tmp_path: Path) -> None:
    _, editor = asked_with(tmp_path, RUN, {}, [])
    assert questions(editor) == []
