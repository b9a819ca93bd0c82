"""Inline completions over the wire: what is shown, typed through, dropped, and why nothing is shown."""

from __future__ import annotations

from typing import Any

import pytest

from lsp_server.errors import ErrorCode, RequestError
from lsp_server.model_host import ModelState
from lsp_server.suggestion import Extent, Withheld
from tests.lsp_server.fakes import URI, Code, Editor, conversation, span

Json = Any


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


@pytest.mark.parametrize(
    ("marked", "text", "beginning", "expected"),
    [
        ("con^", "console", "sole", "consolea + b"),
        ("csl^", "console", "", "consolea + b"),
        ("con^", "con", "", "cona + b"),
    ],
)
@conversation
async def test_the_item_selected_in_the_menu_comes_first(
    editor: Editor, marked: str, text: str, beginning: str, expected: str
) -> None:
    await editor.start()
    place = editor.open(marked)
    replaced = span({"line": 0, "character": 0}, place)
    items = await editor.inline(place, selected={"range": replaced, "text": text})
    assert items == [{"insertText": expected, "range": replaced}]
    (request,) = editor.service.requests
    assert request.beginning == beginning
    assert (request.syntax.document.text + beginning).startswith(text)


@pytest.mark.parametrize(("end", "text"), [(3, "console"), (3, "csl"), (5, "csl")])
@conversation
async def test_what_a_suggestion_replaces_follows_the_selected_item(editor: Editor, end: int, text: str) -> None:
    editor.service.text, editor.service.replaces = "()", 2
    await editor.start()
    editor.open("con^fig_of")
    place, start = {"line": 0, "character": 3}, {"line": 0, "character": 0}
    selected = {"range": span(start, {"line": 0, "character": end}), "text": text}
    (item,) = await editor.inline(place, selected=selected)
    assert item["range"] == span(start, {"line": 0, "character": end + 2})


@conversation
async def test_an_item_that_is_selected_elsewhere_makes_no_sense(editor: Editor) -> None:
    await editor.start()
    place = editor.open("con^; x")
    for start, end in ((6, 7), (3, 1), (0, 2)):
        selected = {"range": span({"line": 0, "character": start}, {"line": 0, "character": end}), "text": "y"}
        error = (await editor.answer(editor.send_inline(place, selected=selected)))["error"]
        assert error["code"] == Code.INVALID_PARAMS


@conversation
async def test_another_selected_item_is_not_typed_through(editor: Editor) -> None:
    editor.service.text = ".log()"
    await editor.start()
    place = editor.open("con^")
    replaced = span({"line": 0, "character": 0}, place)
    for text, asked in (("console", 1), ("console", 1), ("constant", 2)):
        (item,) = await editor.inline(place, selected={"range": replaced, "text": text})
        assert item == {"insertText": text + ".log()", "range": replaced}
        assert len(editor.service.requests) == asked


@conversation
async def test_silence_is_an_empty_list_and_the_status_says_why(editor: Editor) -> None:
    editor.service.withheld = Withheld.SYNTAX_ERROR
    await editor.start()
    place = editor.open("return ^")
    assert await editor.inline(place) == []
    status = editor.params_of("inscope/status")[-1]
    assert status["lastWithheld"] == {"reason": "syntax_error", "message": "a reason"}
    editor.service.withheld = None
    assert await editor.inline(place)
    assert editor.params_of("inscope/status")[-1]["lastWithheld"] is None


@pytest.mark.parametrize("fault", [
    *(RequestError(code, f"it is {code}") for code in (
        ErrorCode.NO_SUCH_DEVICE, ErrorCode.MODEL_DAMAGED, ErrorCode.OUT_OF_MEMORY, ErrorCode.MODEL_NOT_FOUND)),
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
