"""What becomes of ghost text is counted, once, by language and place."""

from __future__ import annotations

import pytest

from lsp_server.engine.acceptance import AcceptanceCount, PlaceKind
from tests.lsp_server.fakes import Editor, conversation

BLANK, LINE = PlaceKind("javascript", "blank"), PlaceKind("javascript", "line")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["const c = a^;\n", "const c = a +^;\n"], {}),
        (["const c = a + b^;\n"], {LINE: AcceptanceCount(1, 1)}),
        (["const c = a + ^;\n", "const c = a + b^;\n", "const c = a + bc^;\n"], {LINE: AcceptanceCount(1, 1)}),
        (["const c = x^;\n", "const c = a + b^;\n"], {LINE: AcceptanceCount(1, 0)}),
        (["const d = ^;\n"], {LINE: AcceptanceCount(1, 0)}),
    ],
)
@conversation
async def test_it_is_counted_once_it_is_known(
    editor: Editor, texts: list[str], expected: dict[PlaceKind, AcceptanceCount]
) -> None:
    await editor.start()
    assert await editor.inline(editor.open("const c = ^;\n"))
    for text in texts:
        editor.replace(text)
    await editor.answer(editor.send_inline({"line": 0, "character": 0}, kind=1))
    assert editor.server.session.rates.counts == expected


@conversation
async def test_another_suggestion_in_its_place_says_that_it_was_not_taken(editor: Editor) -> None:
    await editor.start()
    assert await editor.inline(editor.open("const c = ^;\n\n"))
    assert await editor.inline({"line": 1, "character": 0})
    assert editor.server.session.rates.counts == {LINE: AcceptanceCount(1, 0)}


@conversation
async def test_who_asked_is_not_counted_nor_who_switched_it_off(editor: Editor) -> None:
    await editor.start()
    await editor.answer(editor.send_inline(editor.open("const c = ^;\n"), kind=1))
    editor.replace("const c = a + b^;\n")
    assert editor.server.session.rates.counts == {}
