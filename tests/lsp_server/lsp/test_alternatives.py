"""Who asks for ghost text gets some to choose from; who types gets one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lsp_server.engine.suggestion import ALTERNATIVES
from tests.lsp_server.fakes import Editor, conversation
from tests.lsp_server.process import CAPABILITIES, Process

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lsp_server.forked import Forked

Json = Any
INVOKED = 1


async def asked(editor: Editor, place: Json) -> list[str]:
    answer = await editor.answer(editor.send_inline(place, kind=INVOKED))
    return [item["insertText"] for item in answer["result"]["items"]]


@pytest.mark.parametrize(
    ("others", "offered"),
    [
        (("a - b", "b"), ["a + b", "a - b", "b"]),
        (("a - b", "b", "c", "d"), ["a + b", "a - b", "b", "c"]),
        ((), ["a + b"]),
    ],
)
@conversation
async def test_the_first_stays_first_and_the_model_is_asked_once(
    editor: Editor, others: tuple[str, ...], offered: list[str]
) -> None:
    await editor.start()
    editor.service.alternatives = others
    place = editor.open("const c = ^;\n")
    assert await asked(editor, place) == offered
    assert len(editor.service.requests) == 1


@conversation
async def test_who_types_is_offered_one_and_the_model_is_asked_once(editor: Editor) -> None:
    await editor.start()
    editor.service.alternatives = ("a - b", "b")
    place = editor.open("const c = ^;\n")
    assert len(await editor.inline(place)) == 1
    assert len(editor.service.requests) == 1


@conversation
async def test_what_is_on_the_screen_comes_first_and_asking_again_costs_nothing(editor: Editor) -> None:
    await editor.start()
    editor.service.alternatives = ("a - b", "b", "c")
    editor.open("const c = ^;\n")
    (shown,) = await editor.inline({"line": 0, "character": 10})
    place = editor.replace("const c = a^;\n")
    editor.service.text = "something else"
    assert await asked(editor, place) == [shown["insertText"][1:], "something else", "a - b", "b"]
    count = len(editor.service.requests)
    assert await asked(editor, place) == [shown["insertText"][1:], "something else", "a - b", "b"], "three more"
    assert len(editor.service.requests) == count


@pytest.mark.parametrize(
    ("other", "typed"),
    [
        ("ball", [("b", ["all"]), ("bal", ["l"])]),
        ("b", [("a", [" + b", " - b"]), ("a ", ["+ b", "- b"]), ("a -", [" b"])]),
    ],
)
@conversation
async def test_the_ones_that_are_typed_along_stay_in_their_order(
    editor: Editor, other: str, typed: list[tuple[str, list[str]]]
) -> None:
    await editor.start()
    editor.service.alternatives = ("a - b", other)
    place = editor.open("const c = ^;\n")
    await asked(editor, place)
    count = len(editor.service.requests)
    for version, (begun, rests) in enumerate(typed, 2):
        place = editor.replace(f"const c = {begun}^;\n", version=version)
        assert [one["insertText"] for one in await editor.inline(place)] == rests
    assert len(editor.service.requests) == count


@conversation
async def test_what_was_typed_meanwhile_makes_a_choice_stale(editor: Editor) -> None:
    await editor.start()
    editor.service.alternatives = ("a - b", "b")
    place = editor.open("const c = ^;\n")
    await editor.inline(place)
    ident = await editor.held_inline(place, kind=INVOKED)
    editor.replace("const c = x^;\n")
    editor.service.release.set()
    assert (await editor.answer(ident))["result"]["items"] == []


@conversation
async def test_nothing_is_offered_where_there_is_nothing_to_show(editor: Editor) -> None:
    await editor.start()
    editor.service.text = ""
    assert await asked(editor, editor.open("const c = ^;\n")) == []
    assert len(editor.service.requests) == 1


@pytest.mark.slow
def test_the_built_in_model_offers_others_and_its_trace_is_reported(tmp_path: Path, servers: Forked) -> None:
    code = "function total(prices) {\n  let sum = 0;\n  return \n}\n"
    uri = (tmp_path / "a.js").as_uri()
    capabilities = {**CAPABILITIES, "textDocument": {"inlineCompletion": {}}}
    with Process(tmp_path / "log", forked=servers) as server:
        server.start(tmp_path, capabilities=capabilities, initializationOptions={"inline": {"deadlineMs": 60_000}})
        empty = server.ask("workspace/executeCommand", command="inscope.trace")
        assert empty.startswith("Nothing was suggested yet")
        server.open(uri, "javascript", code)
        where = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 9}}
        items = server.ask("textDocument/inlineCompletion", **where, context={"triggerKind": INVOKED})["items"]
        texts = [item["insertText"] for item in items]
        assert 1 < len(set(texts)) == len(texts) <= 1 + ALTERNATIVES
        page = server.ask("workspace/executeCommand", command="inscope.trace")
        assert page.startswith("a.js:3:10, shown\n")
        assert texts[0].splitlines()[0] in page
        assert "probability" in page
        again = server.ask("textDocument/inlineCompletion", **where, context={"triggerKind": INVOKED})["items"]
        assert [item["insertText"] for item in again] == texts
        assert server.leave() == 0
