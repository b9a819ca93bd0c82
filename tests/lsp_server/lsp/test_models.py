"""The list of models that editors show, and the choice of one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from decoder import embedded
from lsp_server.settings.files import FOLDER
from tests.lsp_server.cli.test_models import VARIABLES
from tests.lsp_server.fakes import Editor, conversation

Json = Any


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a person who has no caches of models."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path / "inscope.toml"


def written(file: Path) -> str | None:
    return file.read_text("utf-8") if file.exists() else None


async def asked(editor: Editor, *arguments: Json) -> Json:
    return await editor.ask("workspace/executeCommand", command="inscope.models", arguments=list(arguments))


@pytest.mark.usefixtures("own")
@conversation
async def test_the_list_is_that_of_the_command_line(editor: Editor) -> None:
    await editor.start()
    listed = (await asked(editor))["result"]
    assert (listed["chosen"], [model["name"] for model in listed["stored"]]) == ("built-in", ["built-in"])
    assert {"name", "memory_bytes", "fits", "licence"} <= listed["known"][-1].keys()


@conversation
async def test_a_choice_is_written_and_put_in_force(editor: Editor, own: Path) -> None:
    folder = own.parent / "mine"
    shutil.copytree(embedded.path(), folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    await editor.start()
    first = editor.host
    choice = (await asked(editor, {"use": str(folder)}))["result"]
    assert (choice["model"], choice["changed"], choice["needs"], choice["overridden"]) == (str(folder), True, [], None)
    assert written(own) == f'model = "{folder}"\n'
    assert editor.host is not first
    assert editor.server.session.settings.model == str(folder)
    assert (await asked(editor))["result"]["chosen"] == str(folder)


@pytest.mark.usefixtures("own")
@conversation
async def test_where_the_editor_s_own_settings_go_before_a_choice_it_is_said(editor: Editor) -> None:
    await editor.start(settings={"model": "org/other"})
    choice = (await asked(editor, {"use": "built-in"}))["result"]
    assert "name the model org/other, which goes before it." in choice["overridden"]


@conversation
async def test_a_model_that_cannot_be_used_is_refused_and_nothing_changes(editor: Editor, own: Path) -> None:
    await editor.start()
    answer = await asked(editor, {"use": "./nowhere"})
    assert "no model at" in answer["error"]["message"]
    assert written(own) is None


@pytest.mark.parametrize("arguments", [[1], [{"use": 1}], [{}], [{"use": "a"}, 1], ["built-in"]])
@conversation
async def test_other_arguments_are_refused_in_a_sentence(editor: Editor, arguments: Json) -> None:
    await editor.start()
    assert "inscope.models takes no arguments" in (await asked(editor, *arguments))["error"]["message"]
