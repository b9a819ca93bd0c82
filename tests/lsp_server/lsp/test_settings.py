"""Settings: at the start, asked for, changed, wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lsp_server.engine.model_host import ModelEvent, ModelState
from lsp_server.lsp.status import NotShown
from lsp_server.settings.table import TABLE
from tests.lsp_server.fakes import URI, Editor, conversation

Json = Any


@conversation
async def test_settings_that_do_not_fit_are_said_and_the_others_taken(editor: Editor) -> None:
    await editor.start(settings={"inline": {"maxTokens": 5, "deadlineMs": "x"}, "colour": 1})
    assert ["inline.deadlineMs" in editor.messages()[0], "colour" in editor.messages()[1]] == [True, True]
    editor.notify("workspace/didChangeConfiguration", settings={"inscope": {"inline": {"maxTokens": 6}}})
    await editor.inline(editor.open("^"))
    assert editor.service.requests[0].max_tokens == 6
    assert len(editor.messages()) == 2


@conversation
async def test_settings_are_asked_for_where_the_client_wants_it(editor: Editor) -> None:
    editor.replies["workspace/configuration"] = [{"inline": {"maxTokens": 9}}]
    dynamic = {"didChangeConfiguration": {"dynamicRegistration": True}, "configuration": True}
    await editor.start({"workspace": dynamic})
    await editor.inline(editor.open("^"))
    editor.replies["workspace/configuration"] = [{"inline": {"trigger": "off"}}]
    editor.notify("workspace/didChangeConfiguration", settings=None)
    await editor.settle()
    assert await editor.inline(editor.open("^")) == []
    assert [request.max_tokens for request in editor.service.requests] == [9]
    assert editor.params_of("client/registerCapability")[0]["registrations"][0]["method"].endswith("Configuration")


async def in_force(editor: Editor, *arguments: Json) -> Json:
    return await editor.ask("workspace/executeCommand", command="inscope.settings", arguments=list(arguments))


@conversation
async def test_the_settings_in_force_are_told_with_those_of_a_documents_language(editor: Editor) -> None:
    await editor.start(settings={"inline.eagerness": "quiet", "inline.trigger": {"javascript": "manual"}})
    editor.open("^")
    everywhere = (await in_force(editor))["result"]
    assert (everywhere["inline.eagerness"], everywhere["completion.mode"]) == ("quiet", "auto")
    assert everywhere["inline.trigger"] == {"javascript": "manual"}
    assert everywhere.keys() == TABLE.keys()
    here = (await in_force(editor, URI))["result"]
    assert here == {**everywhere, "inline.trigger": "manual"}
    for arguments in ([1], [URI, URI]):
        assert "takes no arguments" in (await in_force(editor, *arguments))["error"]["message"]


ASKED: list[tuple[Json, Json]] = [
    ({"completion": {"mode": "off"}}, {}),
    ({"exclude": ["*.js"]}, {}),
    ({"languages": ["python"]}, None),
    ({"completion.mode": "off", "languages": ["python"]}, {"completion.mode": "all"}),
]
"""A section that switches the menu off, and one that no longer does."""


@pytest.mark.parametrize(("first", "then"), ASKED, ids=str)
@conversation
async def test_a_setting_that_the_section_no_longer_has_is_back_to_what_the_start_said(
    editor: Editor, first: Json, then: Json
) -> None:
    editor.replies["workspace/configuration"] = [first]
    await editor.start({"workspace": {"configuration": True}}, roots=[Path("/shop")], settings={"completion.limit": 2})
    place = editor.open("return ^")
    assert (await editor.menu(place))["items"] == []
    editor.replies["workspace/configuration"] = [then]
    editor.notify("workspace/didChangeConfiguration", settings=None)
    await editor.settle()
    assert len((await editor.menu(place))["items"]) == 2
    assert editor.messages() == []


@pytest.mark.parametrize("then", [{"completion": {"mode": "no"}}, 7], ids=str)
@conversation
async def test_a_value_that_does_not_fit_leaves_the_setting_as_it_was(editor: Editor, then: Json) -> None:
    editor.replies["workspace/configuration"] = [{"completion": {"mode": "off"}}]
    await editor.start({"workspace": {"configuration": True}})
    editor.replies["workspace/configuration"] = [then]
    editor.notify("workspace/didChangeConfiguration", settings=None)
    await editor.settle()
    assert (await editor.menu(editor.open("return ^")))["items"] == []
    assert len(editor.messages()) == 1


@conversation
async def test_another_model_takes_the_place_of_the_one_before(editor: Editor) -> None:
    await editor.start()
    old = editor.host
    old.tell(ModelEvent(ModelState.FAILED, "There is no such model."))
    editor.server.set_withheld(NotShown("model_not_found", "There is no such model."))
    await editor.settle()
    shown = editor.messages()
    editor.notify("workspace/didChangeConfiguration", settings={"model": "./qwen", "idleUnloadSeconds": 0})
    await editor.settle()
    assert old.closed
    assert editor.params_of("inscope/status")[-1] == {
        "state": "ready", "model": "./qwen", "message": "", "lastWithheld": None, "problems": []}  # fmt: skip
    assert (editor.host.settings.name, editor.host.settings.idle_unload_seconds) == ("./qwen", None)
    old.tell(ModelEvent(ModelState.FAILED, "not heard any more"))
    editor.host.tell(ModelEvent(ModelState.LOADING))
    await editor.settle()
    assert editor.messages() == shown
    assert editor.params_of("inscope/status")[-1] == {
        "state": "loading", "model": "./qwen", "message": "", "lastWithheld": None, "problems": []}  # fmt: skip


@conversation
async def test_the_bar_of_a_model_that_is_replaced_while_it_loads_is_closed(editor: Editor) -> None:
    await editor.start({"window": {"workDoneProgress": True}})
    editor.host.tell(ModelEvent(ModelState.LOADING))
    await editor.settle()
    editor.notify("workspace/didChangeConfiguration", settings={"model": "./qwen"})
    await editor.settle()
    bars = [one["value"] for one in editor.params_of("$/progress")]
    assert [one["kind"] for one in bars if "model" in one.get("title", one.get("message", ""))] == ["begin", "end"]


@pytest.mark.parametrize(
    "options",
    [{"languages": ["python"]}, {"inline.trigger": "off", "completion.mode": "off"}, {"exclude": ["*.js"]}],
)
@conversation
async def test_switched_off(editor: Editor, options: Json) -> None:
    await editor.start(settings=options, roots=[Path("/shop")])
    place = editor.open("return ^")
    assert await editor.inline(place) == []
    assert await editor.menu(place) == {"isIncomplete": False, "items": []}
    assert editor.service.requests == []
    assert editor.params_of("inscope/status")[-1]["lastWithheld"]["reason"] == "excluded"


@conversation
async def test_a_secret_is_neither_completed_nor_kept(editor: Editor) -> None:
    await editor.start()
    for uri, language in (("file:///shop/.env", "dotenv"), ("file:///shop/.env.js", "javascript")):
        place = editor.open("KEY = '^'", uri, language)
        assert await editor.inline(place, uri) == []
        assert (await editor.menu(place, uri))["items"] == []
    assert editor.service.requests == []


@conversation
async def test_a_workspace_s_file_counts_below_the_client_and_is_read_again(editor: Editor, tmp_path: Path) -> None:
    file = tmp_path / "inscope.toml"
    file.write_text("inline.maxTokens = 5\nverify = 'off'")

    async def most_tokens() -> int:
        await editor.inline(editor.open("^"))
        return editor.service.requests[-1].max_tokens

    await editor.start(roots=[tmp_path])
    (problem,) = editor.messages()
    assert problem.startswith(f"Inscope: {file}: 'verify' is never taken from the file of a workspace; set it in ")
    assert await most_tokens() == 5
    editor.notify("workspace/didChangeConfiguration", settings={"inline": {"maxTokens": 6}})
    assert await most_tokens() == 6
    editor.notify("workspace/didChangeConfiguration", settings={"inline": {"maxTokens": None}})
    assert await most_tokens() == 5
    file.write_text("inline.maxTokens = 7")
    editor.notify("workspace/didChangeWatchedFiles", changes=[{"uri": file.as_uri(), "type": 2}])
    await editor.settle()
    assert await most_tokens() == 7
    assert len(editor.messages()) == 1
