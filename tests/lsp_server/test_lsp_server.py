"""What the server itself does, with a service that has no model."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from context_index.index import EXTRACTOR_VERSION
from context_index.store import Store
from lsp_server import store
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.model_host import ModelEvent, ModelState
from lsp_server.rpc import Code
from lsp_server.suggestion import Extent, Withheld
from tests.lsp_server.fakes import URI, Editor, on, position, span

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Json = Any


# the beginning and the end


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_the_clients_encoding_is_taken(encoding: str) -> None:
    async def talk(editor: Editor) -> None:
        capabilities = (await editor.start(encoding=encoding))["capabilities"]
        assert capabilities["positionEncoding"] == encoding
        assert capabilities["inlineCompletionProvider"] == {}
        assert capabilities["completionProvider"] == {"triggerCharacters": [".", "'", '"'], "resolveProvider": True}
        assert capabilities["textDocumentSync"]["change"] == 2
        assert capabilities["workspace"]["workspaceFolders"]["supported"]

    on(talk)


@pytest.mark.parametrize("offered", [[], ["utf-7"], None])
def test_utf_16_is_what_everyone_knows(offered: Json) -> None:
    async def talk(editor: Editor) -> None:
        capabilities = (await editor.start({"general": {"positionEncodings": offered}}))["capabilities"]
        assert capabilities["positionEncoding"] == "utf-16"

    on(talk)


def test_nothing_before_initialize_and_nothing_after_shutdown() -> None:
    async def talk(editor: Editor) -> None:
        early = await editor.ask("textDocument/completion", textDocument={"uri": URI}, position={})
        assert early["error"]["code"] == Code.SERVER_NOT_INITIALIZED
        editor.open("^")
        await editor.start()
        again = await editor.ask("initialize", processId=None, rootUri=None, capabilities={})
        assert again["error"]["code"] == Code.INVALID_REQUEST
        assert (await editor.ask("shutdown"))["result"] is None
        late = await editor.ask("shutdown")
        assert late["error"]["code"] == Code.INVALID_REQUEST
        editor.notify("exit")
        assert await editor.server.left == 0

    on(talk)


def test_leaving_without_shutdown_is_a_fault() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.notify("exit")
        assert await editor.server.left == 1

    on(talk)


def test_shutdown_answers_what_is_open() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("return ^")
        editor.service.release.clear()
        waiting = editor.send_inline(place)
        await asyncio.to_thread(editor.service.begun.wait)
        assert "result" in await editor.ask("shutdown")
        assert (await editor.answer(waiting))["error"]["code"] == Code.REQUEST_CANCELLED

    on(talk)


# bad input


@pytest.mark.parametrize(
    ("params", "code", "sentence"),
    [
        ({}, Code.INVALID_PARAMS, "required field missing"),
        ({"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}}, Code.INVALID_PARAMS, "position"),
        ({"textDocument": {"uri": "file:///none.js"}, "position": {"line": 0, "character": 0}}, Code.INVALID_PARAMS,
         "file:///none.js is not open"),
        ({"textDocument": {"uri": URI}, "position": {"line": 7, "character": 0}}, Code.INVALID_PARAMS, "no line 8"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["textDocument/completion", "textDocument/inlineCompletion"])
def test_a_request_that_cannot_be_served(method: str, params: Json, code: Code, sentence: str) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.open("a^")
        context = {"context": {"triggerKind": 1}} if params else {}
        error = (await editor.ask(method, **params, **context))["error"]
        assert error["code"] == code
        assert sentence in error["message"]

    on(talk)


@pytest.mark.parametrize(
    ("method", "params", "sentence"),
    [
        ("textDocument/didChange", {"textDocument": {"uri": "file:///none.js", "version": 2}, "contentChanges": []},
         "is not open"),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///none.js"}}, "is not open"),
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": 0}, "contentChanges": []},
         "version 0 came after 1"),
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [
            {"range": span({"line": 9, "character": 0}, {"line": 9, "character": 1}), "text": ""}]}, "has no line 10"),
    ],
)  # fmt: skip
def test_a_notification_that_makes_no_sense_is_said_once(method: str, params: Json, sentence: str) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.open("a^")
        for _ in range(3):
            editor.notify(method, **params)
        await editor.settle()
        (message,) = editor.messages()
        assert sentence in message
        assert await editor.menu(editor.open("alp^")) != []

    on(talk)


def test_params_of_another_shape_are_ignored_and_the_server_lives() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.notify("textDocument/didOpen", textDocument=5)
        editor.notify("textDocument/didChange")
        editor.notify("workspace/didChangeWatchedFiles", changes="all")
        assert await editor.menu(editor.open("alp^"))

    on(talk)


# the menu


def test_names_for_the_word_at_the_cursor() -> None:
    async def talk(editor: Editor) -> None:
        item = {"insertReplaceSupport": True}
        await editor.start({"textDocument": {"completion": {"completionItem": item}, "inlineCompletion": {}}})
        place = editor.open('"😀"; al^phabet')
        menu = await editor.menu(place)
        (item,) = menu["items"]
        start, end = {"line": 0, "character": 6}, {"line": 0, "character": 14}
        assert item.pop("data")["start"] == 5
        assert item == {
            "label": "alpha",
            "kind": 3,
            "filterText": "alpha",
            "sortText": "00000",
            "textEdit": {"newText": "alpha", "insert": span(start, place), "replace": span(start, end)},
        }
        assert not menu["isIncomplete"]

    on(talk)


def test_a_client_without_insert_and_replace_gets_an_insertion() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("al^phabet")
        (item,) = (await editor.menu(place))["items"]
        assert item["textEdit"] == {"newText": "alpha", "range": span({"line": 0, "character": 0}, place)}

    on(talk)


def test_the_models_favourite_comes_first() -> None:
    async def talk(editor: Editor) -> None:
        editor.service.scores = {"gamma": -0.1, "beta": -3.0}
        await editor.start()
        items = (await editor.menu(editor.open("^")))["items"]
        assert [item["label"] for item in sorted(items, key=lambda one: one["sortText"])] == ["gamma", "beta", "alpha"]

    on(talk)


def test_a_menu_that_is_cut_says_so() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start(initializationOptions={"completion": {"limit": 2}})
        menu = await editor.menu(editor.open("^"))
        assert (len(menu["items"]), menu["isIncomplete"]) == (2, True)

    on(talk)


def test_the_menu_does_not_wait_for_a_busy_model() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start(initializationOptions={"completion": {"deadlineMs": 1}})
        editor.service.release.clear()
        menu = await editor.menu(editor.open("^"))
        assert ([item["label"] for item in menu["items"]], menu["isIncomplete"]) == (["alpha", "beta", "gamma"], True)

    on(talk)


def test_the_menu_does_not_wait_for_a_model_that_is_not_there_and_has_it_loaded() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("^")
        editor.host.state, loads = ModelState.UNLOADED, editor.host.loads
        menu = await editor.menu(place)
        assert (len(menu["items"]), menu["isIncomplete"]) == (3, True)
        assert editor.host.loads == loads + 1

    on(talk)


def test_a_menu_is_not_asked_for_again_where_no_better_ranking_can_come() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.host.state = ModelState.FAILED
        place = editor.open("al^")
        for _ in range(2):
            menu = await editor.menu(place)
            assert ([item["label"] for item in menu["items"]], menu["isIncomplete"]) == (["alpha"], False)

    on(talk)


@pytest.mark.parametrize("marked", ["console.^", "console.lo^", "// al^"])
def test_where_no_names_are_listed_an_empty_menu_is_all_there_is(marked: str) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        assert await editor.menu(editor.open(marked)) == {"isIncomplete": False, "items": []}

    on(talk)


# ghost text


def test_ghost_text_at_the_cursor() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("let x = '😀';\r\nreturn ^;\r\n")
        assert await editor.inline(place) == [{"insertText": "a + b", "range": span(place, place)}]
        (request,) = editor.service.requests
        assert request.syntax.document.text[request.offset :] == ";\r\n"
        assert request.extent is Extent.AUTO

    on(talk)


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ({"inline.multiline": False}, "extent", Extent.LINE),
        ({"inline.maxTokens": 5}, "max_tokens", 5),
        ({"inline.deadlineMs": 70}, "deadline_ms", 70),
        ({"constraint.enabled": False}, "constrained", False),
    ],
)
def test_settings_reach_the_service(options: Json, field: str, value: object) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start(initializationOptions=options)
        await editor.inline(editor.open("return ^"))
        assert getattr(editor.service.requests[0], field) == value

    on(talk)


def test_typing_through_asks_nobody() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        await editor.inline(editor.open("return ^;"))
        for version, (text, rest) in enumerate(
            [("return a^;", " + b"), ("return a + ^;", "b"), ("return ^;", "a + b")]
        ):
            place = editor.replace(text, version + 2)
            assert await editor.inline(place) == [{"insertText": rest, "range": span(place, place)}]
        assert len(editor.service.requests) == 1
        await editor.inline(editor.replace("return c^;", 9))
        assert len(editor.service.requests) == 2

    on(talk)


def test_a_bracket_that_the_editor_closed_is_replaced() -> None:
    async def talk(editor: Editor) -> None:
        editor.service.text = "(x, y);"
        await editor.start()
        await editor.inline(editor.open("f^"))
        place = editor.replace("f(^)")
        end = {"line": 0, "character": place["character"] + 1}
        assert await editor.inline(place) == [{"insertText": "x, y);", "range": span(place, end)}]

    on(talk)


@pytest.mark.parametrize(
    ("after", "expected"),
    [("return a ^;", "+ b"), ("return b^;", None), ("let z; return ^;", None), ("return^;", None)],
)
def test_what_was_typed_meanwhile_is_taken_off_or_the_answer_is_dropped(after: str, expected: str | None) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("return ^;")
        editor.service.release.clear()
        waiting = editor.send_inline(place)
        await asyncio.to_thread(editor.service.begun.wait)
        now = editor.replace(after)
        editor.service.release.set()
        items = (await editor.answer(waiting))["result"]["items"]
        assert items == ([{"insertText": expected, "range": span(now, now)}] if expected else [])

    on(talk)


def test_a_document_that_was_closed_meanwhile_gets_no_answer() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("return ^;")
        editor.service.release.clear()
        waiting = editor.send_inline(place)
        await asyncio.to_thread(editor.service.begun.wait)
        editor.notify("textDocument/didClose", textDocument={"uri": URI})
        editor.service.release.set()
        assert (await editor.answer(waiting))["result"] == {"items": []}

    on(talk)


@pytest.mark.parametrize(
    ("marked", "start", "text", "beginning", "expected"),
    [
        ("con^", 0, "console", "sole", "consolea + b"),
        ("csl^", 0, "console", "", "consolea + b"),
        ("con^", 0, "con", "", "cona + b"),
    ],
)
def test_the_item_selected_in_the_menu_comes_first(
    marked: str, start: int, text: str, beginning: str, expected: str
) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open(marked)
        replaced = span({"line": 0, "character": start}, place)
        items = await editor.inline(place, selected={"range": replaced, "text": text})
        assert items == [{"insertText": expected, "range": replaced}]
        (request,) = editor.service.requests
        assert request.beginning == beginning
        assert (request.syntax.document.text + beginning).startswith(text)

    on(talk)


def test_an_item_that_is_selected_elsewhere_makes_no_sense() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("con^; x")
        for start, end in ((6, 7), (3, 1), (0, 2)):
            selected = {"range": span({"line": 0, "character": start}, {"line": 0, "character": end}), "text": "y"}
            error = (await editor.answer(editor.send_inline(place, selected=selected)))["error"]
            assert error["code"] == Code.INVALID_PARAMS

    on(talk)


def test_another_selected_item_is_not_typed_through() -> None:
    async def talk(editor: Editor) -> None:
        editor.service.text = ".log()"
        await editor.start()
        place = editor.open("con^")
        replaced = span({"line": 0, "character": 0}, place)
        for text, asked in (("console", 1), ("console", 1), ("constant", 2)):
            (item,) = await editor.inline(place, selected={"range": replaced, "text": text})
            assert item == {"insertText": text + ".log()", "range": replaced}
            assert len(editor.service.requests) == asked

    on(talk)


def test_silence_is_an_empty_list_and_the_status_says_why() -> None:
    async def talk(editor: Editor) -> None:
        editor.service.withheld = Withheld.SYNTAX_ERROR
        await editor.start()
        place = editor.open("return ^")
        assert await editor.inline(place) == []
        status = editor.told("inscope/status")[-1]
        assert status["lastSilence"] == {"reason": "syntax_error", "message": "a reason"}
        editor.service.withheld = None
        assert await editor.inline(place)
        assert editor.told("inscope/status")[-1]["lastSilence"] is None

    on(talk)


@pytest.mark.parametrize("fault", [
    *(RequestError(code, f"it is {code}") for code in (
        ErrorCode.NO_SUCH_DEVICE, ErrorCode.MODEL_DAMAGED, ErrorCode.OUT_OF_MEMORY, ErrorCode.MODEL_NOT_FOUND)),
    RuntimeError("it broke"),
], ids=str)  # fmt: skip
def test_the_status_names_the_fault_of_a_model_that_is_not_tried_again(fault: Exception) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.host.state, editor.host.fault = ModelState.FAILED, fault
        place = editor.open("return ^")
        for _ in range(2):
            assert await editor.inline(place) == []
            silence = editor.told("inscope/status")[-1]["lastSilence"]
            assert silence["reason"] == (fault.code if isinstance(fault, RequestError) else "internal")
            assert str(fault) in silence["message"]
        assert editor.host.loads == 1

    on(talk)


def test_a_model_that_cannot_be_had_is_said_once_and_not_tried_at_every_key() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.host.state = ModelState.FAILED
        place = editor.open("return ^")
        loads = editor.host.loads
        for _ in range(5):
            assert await editor.inline(place) == []
        await editor.settle()
        assert editor.host.loads == loads
        assert editor.messages() == ["Inscope: no model at './none'"]
        assert editor.told("inscope/status")[-1]["state"] == "failed"

    on(talk)


# many requests


@pytest.mark.parametrize("ask", [Editor.send_inline, lambda editor, place: editor.send(
    "textDocument/completion", textDocument={"uri": URI}, position=place)], ids=["ghost", "menu"])  # fmt: skip
def test_of_fifty_at_once_the_newest_is_served(ask: Callable[[Editor, Json], int]) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("return ^")
        editor.service.release.clear()
        idents = [ask(editor, place) for _ in range(50)]
        older = [await editor.answer(ident) for ident in idents[:-1]]
        assert all(answer["result"]["items"] == [] for answer in older)
        assert not editor.answers(idents[-1])
        editor.service.release.set()
        assert (await editor.answer(idents[-1]))["result"]["items"]

    on(talk)


def test_documents_and_kinds_do_not_supersede_each_other() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("^")
        editor.open("^", "file:///shop/other.js")
        editor.service.release.clear()
        one, other = editor.send_inline(place), editor.send_inline(place, "file:///shop/other.js")
        menu = editor.send("textDocument/completion", textDocument={"uri": URI}, position=place)
        await editor.settle()
        editor.service.release.set()
        for ident in (one, other, menu):
            assert (await editor.answer(ident))["result"]["items"]

    on(talk)


def test_a_cancelled_request_is_answered_as_such() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("^")
        editor.service.release.clear()
        ident = editor.send_inline(place)
        await asyncio.to_thread(editor.service.begun.wait)
        editor.notify("$/cancelRequest", id=ident)
        assert (await editor.answer(ident))["error"]["code"] == Code.REQUEST_CANCELLED
        editor.service.release.set()
        assert await editor.inline(place)

    on(talk)


def test_a_request_that_is_cancelled_in_the_same_breath_is_answered_as_such() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("^")
        idents = [editor.send_inline(place) for _ in range(5)]
        for ident in idents:
            editor.notify("$/cancelRequest", id=ident)
        for ident in idents:
            assert (await editor.answer(ident))["error"]["code"] == Code.REQUEST_CANCELLED
        assert editor.service.requests == []

    on(talk)


def test_what_the_model_says_of_itself_reaches_the_person() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.host.tell(ModelEvent(ModelState.LOADING, "It runs on the CPU."))
        editor.host.tell(ModelEvent(ModelState.READY))
        editor.host.tell(ModelEvent(ModelState.UNLOADED, "It was idle."))
        await editor.settle()
        assert editor.messages() == ["Inscope: It runs on the CPU."]
        assert editor.told("inscope/status")[-1]["message"] == "It was idle."

    on(talk)


# texts and files


def test_a_document_is_read_ahead_and_a_fault_in_that_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.open("let a = 1;^")
        editor.host.state, editor.service.reading_fault = ModelState.UNLOADED, ValueError("out of ideas")
        editor.open("let b = 1;^", "file:///shop/other.js")
        await editor.settle()
        assert editor.service.read == ["let a = 1;", "let b = 1;"]
        assert editor.messages() == []

    on(talk)
    (record,) = [record for record in caplog.records if "read ahead" in record.getMessage()]
    assert "file:///shop/other.js" in record.getMessage()
    assert record.exc_info
    assert "out of ideas" in str(record.exc_info[1])


def test_a_document_is_not_read_ahead_by_a_model_that_cannot_be_had() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.host.state = ModelState.FAILED
        editor.open("let a = 1;^")
        editor.open("let b = 1;^", "file:///shop/other.js")
        await editor.settle()
        assert editor.service.read == []
        assert editor.host.loads == 1

    on(talk)


def test_a_text_that_is_closed_and_opened_at_once_counts(tmp_path: Path) -> None:
    path = tmp_path / "cart.js"
    path.write_text("export function onDisk() {}\n", "utf-8")
    uri = path.as_uri()

    async def talk(editor: Editor) -> None:
        await editor.start(workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "shop"}])

        async def seen() -> list[str]:
            await editor.idle()
            await editor.menu(editor.open("^"))
            return [export.name for export in editor.server.engine.workspace.exports(path)]

        place = editor.open("export function before() {}^", uri)
        assert await seen() == ["before"]
        editor.notify("textDocument/didClose", textDocument={"uri": uri})
        place = editor.open("export function after() {}^", uri)
        assert "result" in await editor.ask("textDocument/completion", textDocument={"uri": uri}, position=place)
        assert await seen() == ["after"]
        editor.notify("textDocument/didClose", textDocument={"uri": uri})
        await asyncio.sleep(0)  # reading the disk is under way
        editor.open("export function again() {}^", uri)
        editor.send("textDocument/completion", textDocument={"uri": uri}, position=place)
        assert await seen() == ["again"]
        editor.notify("textDocument/didClose", textDocument={"uri": uri})
        assert await seen() == ["onDisk"]

    on(talk)


def test_what_was_read_is_kept_when_another_workspace_takes_its_place_and_at_the_end(tmp_path: Path) -> None:
    for name in ("shop", "yard"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cart.js").write_text("export function addToCart() {}\n", "utf-8")
    folders = {name: {"uri": (tmp_path / name).as_uri(), "name": name} for name in ("shop", "yard")}
    store = tmp_path / "index.sqlite"

    async def talk(editor: Editor) -> None:
        editor.store = store
        await editor.start(workspaceFolders=[folders["shop"]])
        event = {"added": [folders["yard"]], "removed": [folders["shop"]]}
        await editor.idle()
        editor.notify("workspace/didChangeWorkspaceFolders", event=event)
        await editor.idle()
        await asyncio.to_thread(editor.server.wait_until_closed)
        assert [one.closed for one in editor.workspaces] == [True, False]
        assert "result" in await editor.ask("shutdown")
        await asyncio.to_thread(editor.server.wait_until_closed)
        assert [one.closed for one in editor.workspaces] == [True, True]

    on(talk)
    rows = Store(store, EXTRACTOR_VERSION, pytest.fail).load()
    assert {row.path for row in rows} == {str(tmp_path / name / "cart.js") for name in folders}


def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        editor.store = tmp_path
        await editor.start()
        await editor.idle()
        (message,) = editor.messages()
        assert "is not used" in message

    on(talk)


@pytest.mark.parametrize(("directory", "kept"), [("", False), ("cache", True)])
def test_the_environment_says_where_the_index_is_kept(
    directory: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(store.CACHE, str(tmp_path / directory) if directory else "")
    place = store.store_of((tmp_path,))
    assert (place is not None) is kept
    assert place is None or place.is_relative_to(tmp_path / "cache")
    assert store.store_of(()) is None


# settings


def test_settings_that_do_not_fit_are_said_and_the_others_taken() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start(initializationOptions={"inline": {"maxTokens": 5, "deadlineMs": "x"}, "colour": 1})
        assert ["inline.deadlineMs" in editor.messages()[0], "colour" in editor.messages()[1]] == [True, True]
        editor.notify("workspace/didChangeConfiguration", settings={"inscope": {"inline": {"maxTokens": 6}}})
        await editor.inline(editor.open("^"))
        assert editor.service.requests[0].max_tokens == 6
        assert len(editor.messages()) == 2

    on(talk)


def test_settings_are_asked_for_where_the_client_wants_it() -> None:
    async def talk(editor: Editor) -> None:
        editor.replies["workspace/configuration"] = [{"inline": {"maxTokens": 9}}]
        dynamic = {"didChangeConfiguration": {"dynamicRegistration": True}, "configuration": True}
        await editor.start({"workspace": dynamic})
        await editor.inline(editor.open("^"))
        editor.replies["workspace/configuration"] = [{"inline": {"enabled": False}}]
        editor.notify("workspace/didChangeConfiguration", settings=None)
        await editor.settle()
        assert await editor.inline(editor.open("^")) == []
        assert [request.max_tokens for request in editor.service.requests] == [9]
        assert editor.told("client/registerCapability")[0]["registrations"][0]["method"].endswith("Configuration")

    on(talk)


def test_another_model_takes_the_place_of_the_one_before() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        old = editor.host
        editor.notify("workspace/didChangeConfiguration", settings={"model": "./qwen", "idleUnloadSeconds": 0})
        await editor.settle()
        assert old.closed
        assert (editor.host.settings.name, editor.host.settings.idle_unload_seconds) == ("./qwen", None)
        old.tell(ModelEvent(ModelState.FAILED, "not heard any more"))
        editor.host.tell(ModelEvent(ModelState.READY))
        await editor.settle()
        assert editor.messages() == []
        assert editor.told("inscope/status")[-1] == {
            "state": "ready", "model": "./qwen", "message": "", "lastSilence": None}  # fmt: skip

    on(talk)


@pytest.mark.parametrize(
    "options",
    [{"languages": ["python"]}, {"inline.enabled": False, "completion.enabled": False}, {"exclude": ["*.js"]}],
)
def test_switched_off(options: Json) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start(initializationOptions=options, workspaceFolders=[{"uri": "file:///shop", "name": "shop"}])
        place = editor.open("return ^")
        assert await editor.inline(place) == []
        assert await editor.menu(place) == {"isIncomplete": False, "items": []}
        assert editor.service.requests == []
        assert editor.told("inscope/status")[-1]["lastSilence"]["reason"] == "excluded"

    on(talk)


def test_a_secret_is_neither_completed_nor_kept() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        for uri, language in (("file:///shop/.env", "dotenv"), ("file:///shop/.env.js", "javascript")):
            place = editor.open("KEY = '^'", uri, language)
            assert await editor.inline(place, uri) == []
            assert (await editor.menu(place, uri))["items"] == []
        assert editor.service.requests == []

    on(talk)


# notebooks, progress, status


def test_a_notebooks_cells_are_one_program() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start({"notebookDocument": {"synchronization": {}}})
        texts = {"cell:1": "import math", "cell:2": "math."}
        editor.notify(
            "notebookDocument/didOpen",
            notebookDocument={"uri": "file:///n.ipynb", "notebookType": "jupyter-notebook", "version": 1, "cells": [
                {"kind": 2, "document": uri} for uri in texts]},
            cellTextDocuments=[{"uri": uri, "languageId": "python", "version": 1, "text": text}
                               for uri, text in texts.items()],
        )  # fmt: skip
        insertion = {"range": span({"line": 0, "character": 5}, {"line": 0, "character": 5}), "text": "pi"}
        cells = {"textContent": [{"document": {"uri": "cell:2", "version": 2}, "changes": [insertion]}]}
        editor.notify("notebookDocument/didChange", notebookDocument={"uri": "file:///n.ipynb", "version": 2},
                      change={"cells": cells})  # fmt: skip
        place = {"line": 0, "character": 7}
        assert await editor.inline(place, "cell:2") == [{"insertText": "a + b", "range": span(place, place)}]
        (request,) = editor.service.requests
        assert request.syntax.document.text[: request.offset] == "import math\n\nmath.pi"
        editor.notify("notebookDocument/didClose", notebookDocument={"uri": "file:///n.ipynb"},
                      cellTextDocuments=[{"uri": uri} for uri in texts])  # fmt: skip
        assert "error" in await editor.answer(editor.send_inline(place, "cell:2"))

    on(talk)


def test_an_untitled_document_is_served() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        assert await editor.inline(editor.open("return ^", "untitled:Untitled-1"), "untitled:Untitled-1")

    on(talk)


@pytest.mark.parametrize("supported", [True, False])
def test_progress_is_told_where_it_is_wanted(supported: bool) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start({"window": {"workDoneProgress": supported}})
        editor.host.state = ModelState.UNLOADED
        await editor.inline(editor.open("^"))
        await editor.settle()
        kinds = [params["value"]["kind"] for params in editor.told("$/progress")]
        assert set(kinds) == ({"begin", "report", "end"} if supported else set())
        assert kinds.count("begin") == kinds.count("end")
        assert [status["state"] for status in editor.told("inscope/status")][-2:] == ["loading", "ready"]

    on(talk)


def test_the_same_status_is_not_sent_twice() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        place = editor.open("^")
        for _ in range(3):
            await editor.inline(place)
        told = editor.told("inscope/status")
        assert all(one != other for one, other in pairwise(told))

    on(talk)


def test_files_are_watched_where_the_client_can() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        (registration,) = editor.told("client/registerCapability")[0]["registrations"]
        assert registration["method"] == "workspace/didChangeWatchedFiles"
        assert any("gitignore" in one["globPattern"] for one in registration["registerOptions"]["watchers"])

    on(talk)


def test_position_marks_count_utf_16() -> None:
    assert position("a\n😀^") == {"line": 1, "character": 2}
