"""Inline completions over the wire: what is shown, typed through, dropped, and why nothing is shown."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from context_index import CheckerError
from lsp_server.engine.model_host import ModelState
from lsp_server.engine.suggestion import Extent, Withheld
from lsp_server.errors import ErrorCode, RequestError
from tests.lsp_server.fakes import URI, Editor, conversation, span

Json = Any
GHOSTS: Json = {"textDocument": {"completion": {}, "inlineCompletion": {}}}
"""A client that shows ghost text, so that its menu has names only."""


@conversation
async def test_ghost_text_at_the_cursor(editor: Editor) -> None:
    await editor.start()
    place = editor.open("let x = '😀';\r\nreturn ^;\r\n")
    assert await editor.inline(place) == [{"insertText": "a + b", "range": span(place, place)}]
    (request,) = editor.service.requests
    assert request.syntax.document.text[request.offset :] == ";\r\n"
    assert request.extent is Extent.AUTO


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [
        ({"inline.multiline": False}, "extent", Extent.LINE),
        ({"inline.maxTokens": 5}, "max_tokens", 5),
        ({"inline.deadlineMs": 70}, "deadline_ms", 70),
        ({"constraint.enabled": False}, "constrained", False),
    ],
)
@conversation
async def test_settings_reach_the_service(editor: Editor, options: Json, field: str, value: object) -> None:
    await editor.start(settings=options)
    await editor.inline(editor.open("return ^"))
    assert getattr(editor.service.requests[0], field) == value


@pytest.mark.parametrize("kind", [1, 2])
@conversation
async def test_while_a_document_is_read_for_the_first_time_requests_wait_and_the_status_says_so(
    editor: Editor, kind: int
) -> None:
    editor.service.checker_reads = Future()
    await editor.start()
    place = editor.open("return ^;")
    waiting = editor.send_inline(place, kind=kind)
    await editor.settle()
    assert editor.params_of("inscope/status")[-1]["state"] == "starting"
    assert editor.service.requests == [], "its time would pass in a queue"
    editor.service.checker_reads.set_exception(CheckerError("it fails"))
    items = (await editor.answer(waiting))["result"]["items"]
    assert [item["insertText"] for item in items] == ["a + b"]
    assert editor.params_of("inscope/status")[-1]["state"] == "ready"
    editor.service.checker_reads = Future()
    editor.open("return ^;", "file:///shop/other.js")
    await editor.settle()
    assert editor.params_of("inscope/status")[-1]["state"] == "ready", "the server has started"


@conversation
async def test_a_document_that_nobody_reads_is_not_waited_for(editor: Editor) -> None:
    editor.service.reading_fault = ValueError("it cannot be read")
    await editor.start()
    assert await editor.inline(editor.open("return ^;")) != []


@conversation
async def test_typing_through_asks_nobody(editor: Editor) -> None:
    await editor.start()
    await editor.inline(editor.open("return ^;"))
    for version, (text, rest) in enumerate([("return a^;", " + b"), ("return a + ^;", "b"), ("return ^;", "a + b")]):
        place = editor.replace(text, version + 2)
        assert await editor.inline(place) == [{"insertText": rest, "range": span(place, place)}]
    assert len(editor.service.requests) == 1
    await editor.inline(editor.replace("return c^;", 9))
    assert len(editor.service.requests) == 2


@conversation
async def test_a_bracket_that_the_editor_closed_is_replaced(editor: Editor) -> None:
    editor.service.text = "(x, y);"
    await editor.start()
    await editor.inline(editor.open("f^"))
    place = editor.replace("f(^)")
    end = {"line": 0, "character": place["character"] + 1}
    assert await editor.inline(place) == [{"insertText": "x, y);", "range": span(place, end)}]


@pytest.mark.parametrize(
    ("after", "expected"),
    [("return a ^;", "+ b"), ("return b^;", None), ("let z; return ^;", None), ("return^;", None)],
)
@conversation
async def test_what_was_typed_meanwhile_is_taken_off_or_the_answer_is_dropped(
    editor: Editor, after: str, expected: str | None
) -> None:
    await editor.start()
    waiting = await editor.held_inline(editor.open("return ^;"))
    now = editor.replace(after)
    editor.service.release.set()
    items = (await editor.answer(waiting))["result"]["items"]
    assert items == ([{"insertText": expected, "range": span(now, now)}] if expected else [])


@conversation
async def test_a_document_that_was_closed_meanwhile_gets_no_answer(editor: Editor) -> None:
    await editor.start()
    waiting = await editor.held_inline(editor.open("return ^;"))
    editor.notify("textDocument/didClose", textDocument={"uri": URI})
    editor.service.release.set()
    assert (await editor.answer(waiting))["result"] == {"items": []}


async def listed(editor: Editor, marked: str, *names: str) -> Json:
    """Open a text and have the menu list names; the mark's position."""
    editor.service.names = names
    place = editor.open(marked)
    await editor.menu(place)
    return place


@pytest.mark.parametrize(
    ("marked", "text", "beginning", "expected"),
    [
        ("con^", "console", "sole", "consolea + b"),
        ("con^", "con", "", "cona + b"),
    ],
)
@conversation
async def test_an_entry_of_ours_that_is_selected_comes_first(
    editor: Editor, marked: str, text: str, beginning: str, expected: str
) -> None:
    await editor.start(GHOSTS)
    place = await listed(editor, marked, "console", "con")
    replaced = span({"line": 0, "character": 0}, place)
    items = await editor.inline(place, selected={"range": replaced, "text": text})
    assert items == [{"insertText": expected, "range": replaced}]
    (request,) = editor.service.requests
    assert request.beginning == beginning
    assert (request.syntax.document.text + beginning).startswith(text)


@conversation
async def test_an_entry_of_ours_that_replaces_what_is_typed_comes_first(editor: Editor) -> None:
    await editor.start(GHOSTS)
    place = await listed(editor, "^", "console")
    editor.replace("csl^")
    replaced = span(place, {"line": 0, "character": 3})
    items = await editor.inline({"line": 0, "character": 3}, selected={"range": replaced, "text": "console"})
    assert items == [{"insertText": "consolea + b", "range": replaced}]


THEIRS = """
con^   | console  | sole.log()  => console.log()
con^   | console  | fig.x       =>
con^   | console  | sole        => console
con^   | con      | sole.log()  => console.log()
con^   | Console  | sole.log()  =>
con^   | xconsole | sole.log()  =>
^      | console  | console.log => console.log
^      | console  | config.log  =>
"""
"""A text, the entry of another service that is selected, what the model writes, and what is shown unasked."""


@pytest.mark.parametrize("case", THEIRS.strip().splitlines())
@conversation
async def test_another_services_entry_is_continued_only_where_the_model_would_write_it(
    editor: Editor, case: str
) -> None:
    given, expected = (one.strip() for one in case.split("=>"))
    marked, text, editor.service.text = (one.strip() for one in given.split("|"))
    await editor.start(GHOSTS)
    place = editor.open(marked)
    replaced = span({"line": 0, "character": 0}, place)
    for _ in range(2):  # once from the model, once from what it said
        items = await editor.inline(place, selected={"range": replaced, "text": text})
        assert [item["insertText"] for item in items] == ([expected] if expected else [])
    assert len(editor.service.requests) <= 1
    assert all(request.beginning == "" for request in editor.service.requests)
    if not expected:
        assert "Another entry" in editor.params_of("inscope/status")[-1]["lastWithheld"]["message"]


@conversation
async def test_who_asks_beside_another_services_entry_is_answered_with_it(editor: Editor) -> None:
    await editor.start(GHOSTS)
    place = editor.open("con^")
    selected = {"range": span({"line": 0, "character": 0}, place), "text": "console"}
    answer = await editor.answer(editor.send_inline(place, selected=selected, kind=1))
    assert answer["result"]["items"][0]["insertText"] == "consolea + b"


@pytest.mark.parametrize(("end", "text"), [(3, "console"), (3, "csl"), (5, "csl")])
@conversation
async def test_what_a_suggestion_replaces_follows_the_selected_item(editor: Editor, end: int, text: str) -> None:
    editor.service.text, editor.service.replaces = "()", 2
    await editor.start()
    editor.open("con^fig_of")
    place, start = {"line": 0, "character": 3}, {"line": 0, "character": 0}
    selected = {"range": span(start, {"line": 0, "character": end}), "text": text}
    answer = await editor.answer(editor.send_inline(place, selected=selected, kind=1))
    assert answer["result"]["items"][0]["range"] == span(start, {"line": 0, "character": end + 2})


LATE = [(0, 2, "console", "consolea + b"), (0, 2, "cxx", None), (6, 7, "y", None), (3, 1, "y", None)]
"""Where an entry begins and ends that was selected before the last key, its text, and what is shown."""


@pytest.mark.parametrize(("start", "end", "text", "expected"), LATE)
@conversation
async def test_a_selection_that_is_a_key_behind_is_no_error(
    editor: Editor, start: int, end: int, text: str, expected: str | None
) -> None:
    await editor.start(GHOSTS)
    place = await listed(editor, "con^; x", "console")
    selected = {"range": span({"line": 0, "character": start}, {"line": 0, "character": end}), "text": text}
    items = await editor.inline(place, selected=selected)
    assert [item["insertText"] for item in items] == ([expected] if expected else [])
    asked = await editor.answer(editor.send_inline(place, selected=selected, kind=1))
    assert asked["result"]["items"][0]["insertText"] == (expected or "a + b")


@conversation
async def test_another_selected_item_is_not_typed_through(editor: Editor) -> None:
    editor.service.text = ".log()"
    await editor.start(GHOSTS)
    place = await listed(editor, "con^", "console", "constant")
    replaced = span({"line": 0, "character": 0}, place)
    for text, asked in (("console", 1), ("console", 1), ("constant", 2)):
        (item,) = await editor.inline(place, selected={"range": replaced, "text": text})
        assert item == {"insertText": text + ".log()", "range": replaced}
        assert len(editor.service.requests) == asked


TRIGGERS = [
    ("automatic", 2, True), ("automatic", 1, True),
    ("manual", 2, False), ("manual", 1, True),
    ("off", 2, False), ("off", 1, False),
    ({"python": "manual"}, 2, True), ({"javascript": "manual"}, 2, False), ({"javascript": "manual"}, 1, True),
    ({"javascript": "off", "python": "manual"}, 1, False),
]  # fmt: skip
"""The setting, who asks (2: the editor by itself, 1: a person), and whether anything is shown."""


@pytest.mark.parametrize(("trigger", "kind", "is_shown"), TRIGGERS)
@conversation
async def test_ghost_text_comes_when_the_setting_says(editor: Editor, trigger: Json, kind: int, is_shown: bool) -> None:
    await editor.start(settings={"inline": {"trigger": trigger}})
    answer = await editor.answer(editor.send_inline(editor.open("return ^"), kind=kind))
    assert bool(answer["result"]["items"]) is is_shown
    assert len(editor.service.requests) == is_shown


@conversation
async def test_what_was_asked_for_stays_while_one_types_along_and_nothing_follows_unasked(editor: Editor) -> None:
    await editor.start(settings={"inline.trigger": "manual"})
    await editor.answer(editor.send_inline(editor.open("return ^;"), kind=1))
    assert [one["insertText"] for one in await editor.inline(editor.replace("return a ^;"))] == ["+ b"]
    assert await editor.inline(editor.replace("return a + b^;", 3)) == []
    assert await editor.inline(editor.replace("return c^;", 4)) == []
    assert await editor.inline(editor.replace("return ^;", 5)) == [], "to write the same again is not to ask"
    assert len(editor.service.requests) == 1


@pytest.mark.parametrize("trigger", ["automatic", "manual"])
@conversation
async def test_an_automatic_request_shares_the_answer_of_the_one_that_a_person_made(
    editor: Editor, trigger: str
) -> None:
    """An editor that asks for itself after each batch of keys does not put an end to what was asked for by hand."""
    await editor.start(settings={"inline.trigger": trigger})
    place = editor.open("return ^;")
    asked = await editor.held_inline(place, kind=1)
    automatic = editor.send_inline(place)
    editor.service.release.set()
    answers = [(await editor.answer(one))["result"]["items"] for one in (asked, automatic)]
    assert [[item["insertText"] for item in items] for items in answers] == [["a + b"], ["a + b"]]
    assert len(editor.service.requests) == 1


@conversation
async def test_a_newer_text_supersedes_what_was_asked_for_by_hand(editor: Editor) -> None:
    await editor.start()
    asked = await editor.held_inline(editor.open("return ^;"), kind=1)
    automatic = editor.send_inline(editor.replace("let x = ^;"))
    editor.service.release.set()
    assert (await editor.answer(asked))["result"]["items"] == []
    assert (await editor.answer(automatic))["result"]["items"] != []


@conversation
async def test_silence_is_an_empty_list_and_the_status_says_why(editor: Editor) -> None:
    editor.service.withheld = Withheld.SYNTAX_ERROR
    await editor.start()
    place = editor.open("return ^")
    assert await editor.inline(place) == []
    status = editor.params_of("inscope/status")[-1]
    assert status["lastWithheld"] == {"reason": "syntax_error", "message": "a reason", "details": ""}
    editor.service.withheld = None
    assert await editor.inline(place)
    assert editor.params_of("inscope/status")[-1]["lastWithheld"] is None


@pytest.mark.parametrize("fault", [
    *(RequestError(code, f"it is {code}") for code in (
        ErrorCode.NO_SUCH_DEVICE, ErrorCode.MODEL_DAMAGED, ErrorCode.OUT_OF_MEMORY, ErrorCode.MODEL_NOT_FOUND,
        ErrorCode.EXTRA_MISSING)),
    RuntimeError("it broke"),
], ids=str)  # fmt: skip
@conversation
async def test_the_fault_of_a_model_is_said_once_and_it_is_not_tried_at_every_key(
    editor: Editor, fault: Exception
) -> None:
    await editor.start()
    editor.host.state, editor.host.fault = ModelState.FAILED, fault
    place = editor.open("return ^")
    for _ in range(3):
        assert await editor.inline(place) == []
        status = editor.params_of("inscope/status")[-1]
        assert status["state"] == "failed"
        assert status["lastWithheld"]["reason"] == (fault.code if isinstance(fault, RequestError) else "internal")
        assert str(fault) in status["lastWithheld"]["message"]
    await editor.settle()
    assert editor.host.loads == 1
    assert editor.messages() == [f"Inscope: {fault}"]
