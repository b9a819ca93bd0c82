"""Texts and files as a session goes on, and what is kept of them."""

from __future__ import annotations

import asyncio
import logging
from itertools import pairwise
from threading import Event
from typing import TYPE_CHECKING, Any
from weakref import ref

import pytest

from context_index import Workspace
from context_index.index import EXTRACTOR_VERSION
from context_index.store import Store
from lsp_server import store
from lsp_server.engine.garbage_collection import freeze_objects
from lsp_server.engine.model_host import ModelState
from tests.lsp_server.fakes import Editor, conversation, on, span

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from context_index import IndexReport

Json = Any


def test_a_document_is_read_ahead_and_a_fault_in_that_is_logged(logged: list[logging.LogRecord]) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.open("let a = 1;^")
        await editor.idle()
        editor.host.state, editor.service.reading_fault = ModelState.UNLOADED, ValueError("out of ideas")
        editor.open("let b = 1;^", "file:///shop/other.js")
        await editor.idle()
        assert editor.service.read == ["let a = 1;", "let b = 1;"]
        assert editor.messages() == []

    on(talk)
    (record,) = [record for record in logged if "read ahead" in record.getMessage()]
    assert "file:///shop/other.js" in record.getMessage()
    assert record.exc_info
    assert "out of ideas" in str(record.exc_info[1])


@conversation
async def test_a_document_is_not_read_ahead_by_a_model_that_cannot_be_had(editor: Editor) -> None:
    await editor.start()
    editor.host.state = ModelState.FAILED
    editor.open("let a = 1;^")
    editor.open("let b = 1;^", "file:///shop/other.js")
    await editor.settle()
    assert editor.service.read == []
    assert editor.host.loads == 1


@conversation
async def test_a_document_whose_file_cannot_be_looked_at_is_served_and_keeps_nobody_waiting(
    editor: Editor, tmp_path: Path
) -> None:
    (tmp_path / "round.js").symlink_to(tmp_path / "round.js")
    await editor.start(roots=[tmp_path])
    place = editor.open("let a = 1;^", (tmp_path / "a.js").as_uri())
    for name in ("round.js", f"{'x' * 5_000}.js"):
        odd = (tmp_path / name).as_uri()
        editor.open("let b = 1;^", odd)
        assert (await editor.inline(place, odd))[0]["insertText"] == "a + b"
        assert (await editor.inline(place, (tmp_path / "a.js").as_uri()))[0]["insertText"] == "a + b"


@conversation
async def test_a_text_that_is_closed_and_opened_at_once_counts(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "cart.js"
    path.write_text("export function onDisk() {}\n", "utf-8")
    uri = path.as_uri()
    await editor.start(roots=[tmp_path])

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


@pytest.mark.slow
def test_what_was_read_is_kept_when_another_workspace_takes_its_place_and_at_the_end(tmp_path: Path) -> None:
    for name in ("shop", "yard"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "cart.js").write_text("export function addToCart() {}\n", "utf-8")
    folders = {name: {"uri": (tmp_path / name).as_uri(), "name": name} for name in ("shop", "yard")}
    stores = {name: tmp_path / f"{name}.sqlite" for name in folders}

    async def talk(editor: Editor) -> None:
        editor.store = stores["shop"]
        await editor.start(roots=[tmp_path / "shop"])
        event = {"added": [folders["yard"]], "removed": [folders["shop"]]}
        await editor.idle()
        editor.store = stores["yard"]
        editor.notify("workspace/didChangeWorkspaceFolders", event=event)
        await editor.idle()
        await asyncio.to_thread(editor.server.wait_until_closed)
        assert [one.closed for one in editor.workspaces] == [True, False]
        assert "result" in await editor.ask("shutdown")
        await asyncio.to_thread(editor.server.wait_until_closed)
        assert [one.closed for one in editor.workspaces] == [True, True]

    on(talk)
    for name, path in stores.items():
        rows = Store(path, EXTRACTOR_VERSION, pytest.fail).load()
        assert [row.path for row in rows] == [str(tmp_path / name / "cart.js")]


@conversation
async def test_what_cannot_be_kept_is_said(editor: Editor, tmp_path: Path) -> None:
    editor.store = tmp_path
    await editor.start()
    await editor.idle()
    (message,) = editor.messages()
    assert "is not used" in message


@pytest.mark.parametrize(("directory", "kept"), [("", False), ("cache", True)])
def test_the_environment_says_where_the_index_is_kept(
    directory: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(store.CACHE, str(tmp_path / directory) if directory else "")
    place = store.store_of((tmp_path,))
    assert (place is not None) is kept
    assert place is None or place.is_relative_to(tmp_path / "cache")
    assert store.store_of(()) is None


@conversation
async def test_a_notebooks_cells_are_one_program(editor: Editor) -> None:
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
    assert await editor.inline(place, "cell:2") == []


@conversation
async def test_an_untitled_document_is_served(editor: Editor) -> None:
    await editor.start()
    assert await editor.inline(editor.open("return ^", "untitled:Untitled-1"), "untitled:Untitled-1")


@pytest.mark.parametrize("supported", [True, False])
@conversation
async def test_progress_is_reported_where_it_is_wanted(editor: Editor, supported: bool) -> None:
    await editor.start({"window": {"workDoneProgress": supported}})
    editor.host.state = ModelState.UNLOADED
    await editor.inline(editor.open("^"))
    await editor.settle()
    kinds = [params["value"]["kind"] for params in editor.params_of("$/progress")]
    assert set(kinds) == ({"begin", "report", "end"} if supported else set())
    assert kinds.count("begin") == kinds.count("end")
    states = [status["state"] for status in editor.params_of("inscope/status")]
    assert states[-3:] == ["loading", "starting", "ready"]


@conversation
async def test_a_workspace_that_cannot_be_read_ends_its_bar(
    editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_workspace: Workspace, **_how: object) -> None:
        raise OSError("no such disk")

    monkeypatch.setattr(Workspace, "index", fail)
    await editor.start({"window": {"workDoneProgress": True}}, roots=[tmp_path])
    await editor.idle()
    values = [params["value"] for params in editor.params_of("$/progress")]
    assert [one.get("title", one.get("message")) for one in values] == ["Inscope: reading the workspace", "failed"]


@conversation
async def test_a_bar_that_has_ended_reports_nothing_more(
    editor: Editor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released, index_now = Event(), Event(), Workspace.index

    def index(workspace: Workspace, progress: Callable[[int, int], None], cancel: Event) -> IndexReport:
        begun.set()
        assert released.wait(30)
        progress(1, 1)
        return index_now(workspace, cancel=cancel)

    monkeypatch.setattr(Workspace, "index", index)
    await editor.start({"window": {"workDoneProgress": True}}, roots=[tmp_path])
    await asyncio.to_thread(begun.wait, 30)
    rules = (tmp_path / ".gitignore").as_uri()
    editor.notify("workspace/didChangeWatchedFiles", changes=[{"uri": rules, "type": 1}])
    while not any(one["value"]["kind"] == "end" for one in editor.params_of("$/progress")):
        await editor.settle()
    released.set()
    await editor.idle()
    reports: dict[str, list[str]] = {}
    for one in editor.params_of("$/progress"):
        reports.setdefault(one["token"], []).append(one["value"]["kind"])
    assert list(reports.values()) == [["begin", "end"], ["begin", "report", "end"]]


@pytest.mark.slow
@conversation
async def test_a_workspace_of_earlier_settings_is_let_go(editor: Editor, tmp_path: Path) -> None:
    await editor.start(roots=[tmp_path])
    await editor.idle()
    earlier = ref(editor.workspaces.pop(0))
    editor.notify("workspace/didChangeConfiguration", settings={"inscope": {"exclude": ["*.js"]}})
    await editor.idle()
    await asyncio.to_thread(editor.server.wait_until_closed)
    freeze_objects()  # as after the next reading
    assert earlier() is None


@conversation
async def test_the_same_status_is_not_sent_twice(editor: Editor) -> None:
    await editor.start()
    place = editor.open("^")
    for _ in range(3):
        await editor.inline(place)
    statuses = editor.params_of("inscope/status")
    assert all(one != other for one, other in pairwise(statuses))


@conversation
async def test_files_are_watched_where_the_client_can(editor: Editor) -> None:
    await editor.start({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
    (registration,) = editor.params_of("client/registerCapability")[0]["registrations"]
    assert registration["method"] == "workspace/didChangeWatchedFiles"
    assert any("gitignore" in one["globPattern"] for one in registration["registerOptions"]["watchers"])
