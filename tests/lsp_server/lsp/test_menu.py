"""The completion menu over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from context_index import Importable, Name, NameKind, Origin
from lsp_server.engine.model_host import ModelState
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


@pytest.mark.parametrize(
    ("marked", "text", "first"),
    [("^", "gamma(1)", "gamma"), ("ga^", "mma", "gamma"), ("^", "gammas", "alpha"), ("^", "other()", "alpha")],
)
@conversation
async def test_the_menu_beside_ghost_text_begins_with_what_it_begins_with(
    editor: Editor, marked: str, text: str, first: str
) -> None:
    editor.service.names, editor.service.text = ("alpha", "garden", "gamma"), text
    editor.service.scores = {"alpha": -0.1, "garden": -0.5, "gamma": -9.0}
    await editor.start({"textDocument": {"completion": {}, "inlineCompletion": {}}})
    place = editor.open(marked)
    before = (await editor.menu(place))["items"]
    assert before[0]["label"] != "gamma"
    await editor.inline(place)
    after = (await editor.menu(place))["items"]
    assert after[0]["label"] == first
    assert sorted(one["label"] for one in after) == sorted(one["label"] for one in before)


@conversation
async def test_the_models_favourite_comes_first(editor: Editor) -> None:
    editor.service.scores = {"gamma": -0.1, "beta": -3.0}
    await editor.start()
    items = (await editor.menu(editor.open("^")))["items"]
    assert [item["label"] for item in sorted(items, key=lambda one: one["sortText"])] == ["gamma", "beta", "alpha"]


STAR = "★ "
BESIDE = {"completion.others": ["javascript"], "completion.deadlineMs": 10_000}
MODES: list[tuple[Json, list[str]]] = [
    ({}, ["gamma", "beta", "alpha", "delta", "far"]),
    (BESIDE, [f"{STAR}gamma", f"{STAR}beta", "far"]),
    ({"completion.others": ["python"]}, ["gamma", "beta", "alpha", "delta", "far"]),
    ({"completion.mode": "best"}, [f"{STAR}gamma", f"{STAR}beta", "far"]),
    ({**BESIDE, "completion.mode": "auto"}, [f"{STAR}gamma", f"{STAR}beta", "far"]),
    ({**BESIDE, "completion.mode": "all"}, ["gamma", "beta", "alpha", "delta", "far"]),
    ({**BESIDE, "completion.mode": "off"}, []),
]
FAR = Importable("far", NameKind.FUNCTION, "./far")


@pytest.mark.parametrize(("settings", "expected"), MODES)
@conversation
async def test_beside_another_service_the_few_most_probable_and_what_it_lacks(
    editor: Editor, settings: Json, expected: list[str]
) -> None:
    editor.service.names = ("alpha", "beta", "gamma", "delta")
    editor.service.scores = {"gamma": -0.5, "beta": -1.5, "alpha": -6.0, "delta": -7.0, "far": -9.0}
    editor.service.importable = [FAR]
    await editor.start({"textDocument": {"completion": {}, "inlineCompletion": {}}}, settings=settings)
    menu = await editor.menu(editor.open("^"))
    items = sorted(menu["items"], key=lambda one: one["sortText"])
    assert [item["label"] for item in items] == expected
    assert [item["filterText"] for item in items] == [one.removeprefix(STAR) for one in expected]
    assert [item["data"]["text"] for item in items] == [one.removeprefix(STAR) for one in expected]
    starred = [item for item in items if item["label"].startswith(STAR)]
    assert all(item["sortText"] < "0" for item in starred), "above what others list, which begins with digits"
    assert [item.get("preselect") for item in items] == [
        True if item is items[0] and starred else None for item in items
    ]
    assert menu["isIncomplete"] == bool(expected)


@conversation
async def test_beside_another_service_a_menu_does_not_wait_for_the_model_and_the_words_next_has_its_ranking(
    editor: Editor,
) -> None:
    service = editor.service
    service.names, service.scores = ("alpha", "almond", "beta"), {"almond": -0.1, "alpha": -9.0, "beta": -9.0}
    await editor.start(settings={**BESIDE, "completion.deadlineMs": 3_000})
    place = editor.open("^")
    service.release.clear()
    menu = await editor.menu(place)
    assert menu["isIncomplete"], "the model is late"
    assert menu["items"][0]["label"] == f"{STAR}alpha", "the nearest"
    assert service.ranked == [("alpha", "almond", "beta")]
    service.release.set()
    for version, typed in enumerate(("a^", "al^", "alm^"), 2):
        labels = [item["label"] for item in (await editor.menu(editor.replace(typed, version)))["items"]]
        assert labels[0] == f"{STAR}almond"
    assert len(service.ranked) == 1, "the word's names are ranked once"
    await editor.menu(editor.replace("alm = b^", 5))
    assert service.ranked[1:] == [("beta",)], "another word"
    assert service.read_for_names == ["", "alm = "], "the prompt of a word is read ahead once"
    assert {*service.forwards} == {0}


@pytest.mark.parametrize(
    ("typed", "scores", "expected"),
    [
        ("con^", {"config": -2.0, "const": -0.1}, []),
        ("con^", {"config": -0.1, "const": -2.0}, [f"{STAR}config"]),
        ("conf^", {"config": -9.0, "const": -0.1}, [f"{STAR}config"]),
        ("^", {"config": -2.0, "const": -0.1}, [f"{STAR}config"]),
    ],
)
@conversation
async def test_beside_another_service_no_name_is_starred_where_a_word_of_the_grammar_is_more_probable(
    editor: Editor, typed: str, scores: dict[str, float], expected: list[str]
) -> None:
    service = editor.service
    service.names, service.scores = ("config",), scores
    service.visible = {"config": Name("config", NameKind.VARIABLE, Origin.GLOBAL, 0)}
    await editor.start(settings=BESIDE)
    assert [item["label"] for item in (await editor.menu(editor.open(typed)))["items"]] == expected


@pytest.mark.parametrize(("marked", "trigger"), [("// alp^", None), ("const n = 1.^", "."), ("a = '^", "'")])
@conversation
async def test_the_model_reads_nothing_ahead_where_no_menu_opens(
    editor: Editor, marked: str, trigger: str | None
) -> None:
    await editor.start(settings=BESIDE)
    place = editor.open(marked)
    context = {"triggerKind": 2, "triggerCharacter": trigger} if trigger else {"triggerKind": 1}
    asked = {"textDocument": {"uri": URI}, "position": place, "context": context}
    assert (await editor.ask("textDocument/completion", **asked))["result"]["items"] == []
    assert editor.service.read_for_names == []


@conversation
async def test_what_is_known_of_a_words_names_counts_while_further_names_are_ranked(editor: Editor) -> None:
    """The first letter brings names to import, which were not listed before it."""
    service = editor.service
    service.names, service.scores = ("alpha", "almond"), {"almond": -0.1, "alpha": -9.0, "far": -9.0}
    await editor.start(settings={**BESIDE, "completion.deadlineMs": 3_000})
    await editor.menu(editor.open("^"))
    service.release.clear()
    service.importable = [FAR]
    menu = await editor.menu(editor.replace("a^", 2))
    assert (menu["items"][0]["label"], menu["isIncomplete"]) == (f"{STAR}almond", True)
    service.release.set()
    assert service.ranked == [("alpha", "almond"), ("alpha", "almond", "far")]


PROBABLE = [
    ([0.0], 1),
    ([0.0, 0.0], 2),
    ([0.0] * 5, 3),
    ([0.0] * 30, 0),
    ([0.0, -2.0, -4.0], 2),
    ([0.0, -4.0, -4.0], 1),
]
"""Natural logarithms of the model's probabilities, and how many entries are starred."""


@pytest.mark.parametrize(("scores", "stars"), PROBABLE)
@conversation
async def test_an_entry_is_starred_only_where_it_is_probable(editor: Editor, scores: list[float], stars: int) -> None:
    editor.service.names = [f"name{number}" for number in range(len(scores))]
    editor.service.scores = dict(zip(editor.service.names, scores, strict=True))
    await editor.start(settings=BESIDE)
    items = (await editor.menu(editor.open("^")))["items"]
    assert sum(item["label"].startswith(STAR) for item in items) == stars


@conversation
async def test_a_starred_entry_of_an_older_menu_is_ours_in_ghost_text_until_the_next(editor: Editor) -> None:
    editor.service.names, editor.service.scores = ("alpha", "almond"), {"alpha": -0.1, "almond": -9.0}
    await editor.start({"textDocument": {"completion": {}, "inlineCompletion": {}}}, settings=BESIDE)
    place = editor.open("al^")
    await editor.menu(place)
    replaced = span({"line": 0, "character": 0}, place)
    (item,) = await editor.inline(place, selected={"range": replaced, "text": "alpha"})
    assert item["insertText"] == "alphaa + b"
    assert await editor.inline(place, selected={"range": replaced, "text": "almond"}) == []


@conversation
async def test_a_menu_that_is_cut_says_so(editor: Editor) -> None:
    await editor.start(settings={"completion": {"limit": 2}})
    menu = await editor.menu(editor.open("^"))
    assert (len(menu["items"]), menu["isIncomplete"]) == (2, True)


@conversation
async def test_the_menus_prompt_leaves_the_room_that_ghost_texts_does(editor: Editor) -> None:
    await editor.start(settings={"inline.maxTokens": 33})
    place = editor.open("return a^;")
    await editor.menu(place)
    await editor.inline(place)
    assert editor.service.rooms == [request.max_tokens for request in editor.service.requests] == [33]


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
