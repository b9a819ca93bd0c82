"""The completion menu over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_server.model_host import ModelState
from tests.lsp_server.fakes import URI, Editor, conversation, span

Json = Any


@conversation
async def test_names_for_the_word_at_the_cursor(editor: Editor) -> None:
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


@conversation
async def test_columns_are_counted_as_was_agreed_in_what_is_sent_and_in_what_is_edited(editor: Editor) -> None:
    await editor.start(encoding="utf-8")
    editor.open('x = "😀"; al^')
    start, end = {"line": 0, "character": 12}, {"line": 0, "character": 14}
    (item,) = (await editor.menu(end))["items"]
    assert item["textEdit"]["range"] == span(start, end)
    change = {"range": span(start, end), "text": "y + be"}
    editor.notify("textDocument/didChange", textDocument={"uri": URI, "version": 2}, contentChanges=[change])
    (item,) = (await editor.menu({"line": 0, "character": 18}))["items"]
    assert item["label"] == "beta"


@conversation
async def test_a_client_without_insert_and_replace_gets_an_insertion(editor: Editor) -> None:
    await editor.start()
    place = editor.open("al^phabet")
    (item,) = (await editor.menu(place))["items"]
    assert item["textEdit"] == {"newText": "alpha", "range": span({"line": 0, "character": 0}, place)}


@conversation
async def test_the_models_favourite_comes_first(editor: Editor) -> None:
    editor.service.scores = {"gamma": -0.1, "beta": -3.0}
    await editor.start()
    items = (await editor.menu(editor.open("^")))["items"]
    assert [item["label"] for item in sorted(items, key=lambda one: one["sortText"])] == ["gamma", "beta", "alpha"]


@conversation
async def test_a_menu_that_is_cut_says_so(editor: Editor) -> None:
    await editor.start(settings={"completion": {"limit": 2}})
    menu = await editor.menu(editor.open("^"))
    assert (len(menu["items"]), menu["isIncomplete"]) == (2, True)


@conversation
async def test_the_menu_does_not_wait_for_a_busy_model(editor: Editor) -> None:
    await editor.start(settings={"completion": {"deadlineMs": 1}})
    editor.service.release.clear()
    menu = await editor.menu(editor.open("^"))
    assert ([item["label"] for item in menu["items"]], menu["isIncomplete"]) == (["alpha", "beta", "gamma"], True)


@conversation
async def test_the_menu_does_not_wait_for_a_model_that_is_not_there_and_has_it_loaded(editor: Editor) -> None:
    await editor.start()
    place = editor.open("^")
    editor.host.state, loads = ModelState.UNLOADED, editor.host.loads
    menu = await editor.menu(place)
    assert (len(menu["items"]), menu["isIncomplete"]) == (3, True)
    assert editor.host.loads == loads + 1


@conversation
async def test_a_menu_is_not_asked_for_again_where_no_better_ranking_can_come(editor: Editor) -> None:
    await editor.start()
    editor.host.state = ModelState.FAILED
    place = editor.open("al^")
    for _ in range(2):
        menu = await editor.menu(place)
        assert ([item["label"] for item in menu["items"]], menu["isIncomplete"]) == (["alpha"], False)


@pytest.mark.parametrize("marked", ["console.^", "console.lo^", "// al^"])
@conversation
async def test_where_no_names_are_listed_an_empty_menu_is_all_there_is(editor: Editor, marked: str) -> None:
    await editor.start()
    assert await editor.menu(editor.open(marked)) == {"isIncomplete": False, "items": []}
