"""The beginning and the end of a session, and bad input: one clear sentence, and the server lives."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from typing import Any

import pytest

from lsp_server.lsp.handlers import lifecycle
from tests.lsp_server.fakes import URI, Code, Editor, conversation, on, span

Json = Any


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@conversation
async def test_the_clients_encoding_is_taken(editor: Editor, encoding: str) -> None:
    capabilities = (await editor.start(encoding=encoding))["capabilities"]
    assert capabilities["positionEncoding"] == encoding
    assert capabilities["inlineCompletionProvider"] == {}
    assert capabilities["completionProvider"] == {"triggerCharacters": [".", "'", '"'], "resolveProvider": True}
    assert capabilities["textDocumentSync"]["change"] == 2
    assert capabilities["workspace"]["workspaceFolders"]["supported"]


@pytest.mark.parametrize("offered", [[], ["utf-7"], None])
@conversation
async def test_utf_16_is_what_everyone_knows(editor: Editor, offered: Json) -> None:
    capabilities = (await editor.start({"general": {"positionEncodings": offered}}))["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16"


@conversation
async def test_nothing_before_initialize_and_nothing_after_shutdown(editor: Editor) -> None:
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
    assert await editor.server.exit_code == 0


@conversation
async def test_leaving_without_shutdown_is_a_fault(editor: Editor) -> None:
    await editor.start()
    editor.notify("exit")
    assert await editor.server.exit_code == 1


@conversation
async def test_shutdown_answers_what_is_open(editor: Editor) -> None:
    await editor.start()
    waiting = await editor.held_inline(editor.open("return ^"))
    assert "result" in await editor.ask("shutdown")
    assert (await editor.answer(waiting))["error"]["code"] == Code.REQUEST_CANCELLED


@pytest.mark.parametrize(
    ("params", "code", "sentence"),
    [
        ({}, Code.INVALID_PARAMS, "'textDocument' is missing; 'position' is missing"),
        ({"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}}, Code.INVALID_PARAMS,
         "'position' holds a number that is out of range"),
        ({"textDocument": {"uri": 5}, "position": {"line": "0", "character": 1.5}}, Code.INVALID_PARAMS,
         "'textDocument.uri' must be a text; 'position.line' must be a whole number; 'position.character' must be"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["textDocument/completion", "textDocument/inlineCompletion"])
@conversation
async def test_a_request_that_cannot_be_served(
    editor: Editor, method: str, params: Json, code: Code, sentence: str
) -> None:
    await editor.start()
    editor.open("a^")
    context = {"context": {"triggerKind": 1}} if params else {}
    error = (await editor.ask(method, **params, **context))["error"]
    assert error["code"] == code
    assert sentence in error["message"]


@pytest.mark.parametrize(
    ("method", "params", "sentence"),
    [
        ("textDocument/didChange", {"textDocument": {"uri": "file:///none.js", "version": 2}, "contentChanges": []},
         "is not open"),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///none.js"}}, "is not open"),
        ("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [
            {"range": span({"line": 9, "character": 0}, {"line": 9, "character": 1}), "text": ""}]}, "has no line 10"),
    ],
)  # fmt: skip
@conversation
async def test_a_notification_that_makes_no_sense_is_logged_and_not_shown(
    editor: Editor, method: str, params: Json, sentence: str, logged: list[logging.LogRecord]
) -> None:
    await editor.start()
    editor.open("a^")
    for _ in range(3):
        editor.notify(method, **params)
    await editor.settle()
    assert editor.messages() == []
    assert any(sentence in record.getMessage() for record in logged)
    assert await editor.menu(editor.open("alp^")) != []


@pytest.mark.parametrize(
    "change",
    [{"text": None}, {"text": 5}, {"range": {"start": {"line": 0}}, "text": ""}, "all", None],
    ids=str,
)
@conversation
async def test_edits_that_cannot_be_read_are_not_guessed_at(editor: Editor, change: Json) -> None:
    await editor.start()
    place = editor.open("a^")
    editor.notify("textDocument/didChange", textDocument={"uri": URI, "version": 2}, contentChanges=[change])
    assert await editor.inline(place) == []
    message = editor.params_of("inscope/status")[-1]["lastWithheld"]["message"]
    assert "'contentChanges[0]" in message
    assert "open it again" in message
    assert await editor.menu(editor.open("alp^")) != []


LATE = [
    "textDocument/completion", "textDocument/inlineCompletion", "textDocument/signatureHelp", "textDocument/codeAction",
]  # fmt: skip
"""What editors ask by themselves, at any time."""
THERE = {"line": 0, "character": 0}
GONE = [("file:///never.js", THERE), (URI, {"line": 7, "character": 0}), ("file:///shop/closed.js", THERE)]
"""A document that was never open, a place that was deleted, and a document that was just closed."""


@pytest.mark.parametrize(("uri", "position"), GONE)
@pytest.mark.parametrize("method", LATE)
@conversation
async def test_what_an_editor_asks_a_moment_late_is_answered_with_nothing(
    editor: Editor, method: str, uri: str, position: Json
) -> None:
    await editor.start({"workspace": {"applyEdit": True}})
    editor.open("a^")
    editor.open("b^", "file:///shop/closed.js")
    editor.notify("textDocument/didClose", textDocument={"uri": "file:///shop/closed.js"})
    # an editor that reverts a file as it closes it
    editor.notify("textDocument/didChange", textDocument={"uri": "file:///shop/closed.js", "version": 2},
                  contentChanges=[{"text": ""}])  # fmt: skip
    context = {"triggerKind": 1, "isRetrigger": False, "diagnostics": []}
    fields = {"position": position, "range": span(position, position), "context": context}
    answer = await editor.ask(method, textDocument={"uri": uri}, **fields)
    assert not (answer["result"] or {"items": []}).get("items") if isinstance(answer["result"], dict) else True
    assert "error" not in answer
    assert editor.messages() == []


@pytest.mark.parametrize("params", [None, [], 5, "all"], ids=str)
@conversation
async def test_params_that_are_no_object(editor: Editor, params: Json) -> None:
    await editor.start()
    editor.receive({"jsonrpc": "2.0", "id": 900, "method": "workspace/executeCommand", "params": params})
    error = (await editor.answer(900))["error"]
    assert error["message"] == "workspace/executeCommand: its params must be an object"


@conversation
async def test_params_of_another_shape_are_ignored_and_the_server_lives(editor: Editor) -> None:
    await editor.start()
    editor.notify("textDocument/didOpen", textDocument=5)
    editor.notify("textDocument/didChange")
    editor.notify("workspace/didChangeWatchedFiles", changes="all")
    assert await editor.menu(editor.open("alp^"))


SEEN = [
    # the client's process, the exit code once it has ended, None where the server goes on
    ("ends", 1),
    ("ends, after shutdown", 0),
    ("ends, and is not waited for", 1),
    ("stays", None),
    ("cannot be seen", None),
    ("is not named", None),
]


@pytest.mark.parametrize(("case", "code"), SEEN)
def test_the_server_ends_with_the_process_of_its_client(
    case: str, code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "_CLIENT_SECONDS", 0.001)
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    async def talk(editor: Editor) -> None:
        named = {"is not named": None, "cannot be seen": 2**31 - 1}.get(case, client.pid)
        await editor.ask("initialize", processId=named, rootUri=None, capabilities={})
        if "shutdown" in case:
            await editor.ask("shutdown")
        await editor.settle()
        assert not editor.server.exit_code.done()
        if "ends" in case:
            client.kill()
        if "ends" in case and "not waited for" not in case:
            client.wait()
        if code is None:
            await editor.settle()
            assert not editor.server.exit_code.done()
        else:
            assert await asyncio.wait_for(editor.server.exit_code, 60) == code

    try:
        on(talk)
    finally:
        client.kill()
        client.communicate()
