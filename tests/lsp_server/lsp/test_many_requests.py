"""Many requests at once: the newest is served, every one is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.engine.model_host import ModelEvent, ModelState
from tests.lsp_server.fakes import URI, Code, Editor, conversation

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any


@pytest.mark.parametrize("ask", [Editor.send_inline, lambda editor, place: editor.send(
    "textDocument/completion", textDocument={"uri": URI}, position=place)], ids=["ghost", "menu"])  # fmt: skip
@conversation
async def test_of_fifty_at_once_the_newest_is_served(editor: Editor, ask: Callable[[Editor, Json], int]) -> None:
    await editor.start()
    place = editor.open("return ^")
    editor.service.release.clear()
    idents = [ask(editor, place) for _ in range(50)]
    older = [await editor.answer(ident) for ident in idents[:-1]]
    assert all(answer["result"]["items"] == [] for answer in older)
    assert not editor.answers(idents[-1])
    editor.service.release.set()
    assert (await editor.answer(idents[-1]))["result"]["items"]


@conversation
async def test_documents_and_kinds_do_not_supersede_each_other(editor: Editor) -> None:
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


@conversation
async def test_a_cancelled_request_is_answered_as_such(editor: Editor) -> None:
    await editor.start()
    place = editor.open("^")
    ident = await editor.held_inline(place)
    editor.notify("$/cancelRequest", id=ident)
    assert (await editor.answer(ident))["error"]["code"] == Code.REQUEST_CANCELLED
    editor.service.release.set()
    assert await editor.inline(place)


@conversation
async def test_a_request_that_is_cancelled_in_the_same_breath_is_answered_as_such(editor: Editor) -> None:
    await editor.start()
    place = editor.open("^")
    idents = [editor.send_inline(place) for _ in range(5)]
    for ident in idents:
        editor.notify("$/cancelRequest", id=ident)
    for ident in idents:
        assert (await editor.answer(ident))["error"]["code"] == Code.REQUEST_CANCELLED
    assert editor.service.requests == []


@conversation
async def test_what_the_model_says_of_itself_reaches_the_person(editor: Editor) -> None:
    await editor.start()
    editor.host.tell(ModelEvent(ModelState.LOADING, "It runs on the CPU."))
    editor.host.tell(ModelEvent(ModelState.READY))
    editor.host.tell(ModelEvent(ModelState.UNLOADED, "It was idle."))
    await editor.settle()
    assert editor.messages() == ["Inscope: It runs on the CPU."]
    assert editor.params_of("inscope/status")[-1]["message"] == "It was idle."
