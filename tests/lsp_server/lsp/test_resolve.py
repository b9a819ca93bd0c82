"""`completionItem/resolve` over the protocol, with a type checker that describes what it is asked about."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from context_index import CheckerAbsentError, CheckerCompletion, CursorKind, Description, Importable, NameKind
from lsp_server.engine.menu.candidates import MenuCandidate, MenuCandidates
from tests.lsp_server.fakes import URI, Editor, conversation

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_index import Document

Json = Any
METHOD = "completionItem/resolve"
MARKDOWN = {
    "textDocument": {"completion": {"completionItem": {"documentationFormat": ["markdown"]}}, "inlineCompletion": {}}
}


@dataclass
class FakeChecker:
    """Describes every name alike, and remembers the text before it and what stood there."""

    says: Description | None = field(default_factory=lambda: Description("(a: number)\n  => string", "Sums *up*."))
    asked: list[tuple[str, str]] = field(default_factory=list)
    _shown: str = ""

    def ask(self, document: Document, question: Callable[[FakeChecker], Json]) -> Future[Json]:
        self._shown = document.text
        answer: Future[Json] = Future()
        answer.set_result(question(self))
        return answer

    def diagnostics(self) -> tuple[()]:
        return ()

    def descriptions(self, places: list[int]) -> list[Description | None]:
        (offset,) = places
        self.asked.append((self._shown[:offset], self._shown[offset:]))
        return [self.says]


def with_checker(editor: Editor, checker: FakeChecker | None) -> None:
    def of(_document: Document) -> FakeChecker:
        if checker is None:
            raise CheckerAbsentError("there is none")
        return checker

    editor.workspaces[-1].checker_of = of  # type: ignore[method-assign,assignment]  # as far as resolving needs it


async def first(editor: Editor, place: Json) -> Json:
    return (await editor.menu(place))["items"][0]


@conversation
async def test_an_entry_is_described_as_it_would_stand_in_the_text(editor: Editor) -> None:
    checker = FakeChecker()
    await editor.start(MARKDOWN)
    with_checker(editor, checker)
    item = await first(editor, editor.open("x = al^pa(1)"))
    found = (await editor.ask(METHOD, **item))["result"]
    assert checker.asked == [("x = ", "alpha(1)")]
    assert found["detail"] == "(a: number) => string"
    assert found["documentation"] == {"kind": "markdown", "value": "Sums *up*."}
    assert {key: found[key] for key in item} == item


@conversation
async def test_what_was_typed_meanwhile_makes_no_difference_and_an_edit_above_does(editor: Editor) -> None:
    checker = FakeChecker()
    await editor.start()
    with_checker(editor, checker)
    item = await first(editor, editor.open("x = al^"))
    editor.replace("x = alph^")
    found = (await editor.ask(METHOD, **item))["result"]
    assert checker.asked == [("x = ", "alpha")]
    assert found["documentation"]["kind"] == "plaintext"
    editor.replace("y, x = alph^", 3)
    assert (await editor.ask(METHOD, **item))["result"] == item
    assert len(checker.asked) == 1


@pytest.mark.parametrize("data", [None, 5, {"uri": URI}, {"uri": "file:///none.js", "start": 0, "mark": 0}])
@conversation
async def test_an_entry_that_is_not_ours_or_of_a_closed_document_stays_as_it_is(editor: Editor, data: Json) -> None:
    await editor.start()
    editor.open("^")
    item = {"label": "alpha"} if data is None else {"label": "alpha", "data": data}
    assert (await editor.ask(METHOD, **item))["result"] == item


@pytest.mark.parametrize("checker", [None, FakeChecker(None)], ids=["absent", "silent"])
@conversation
async def test_where_the_checker_knows_nothing_the_entry_stays_as_it_is(
    editor: Editor, checker: FakeChecker | None
) -> None:
    await editor.start()
    with_checker(editor, checker)
    item = await first(editor, editor.open("al^"))
    assert (await editor.ask(METHOD, **item))["result"] == item


ALPHA = CheckerCompletion("alpha", NameKind.FUNCTION, "alpha", commit=(".", "(", ";"))
LISTED = MenuCandidate("alpha", NameKind.FUNCTION, listed=ALPHA)
ELSEWHERE = MenuCandidate("alpha", NameKind.FUNCTION, "(a) from ./a", Importable("alpha", NameKind.FUNCTION, "./a"))


@pytest.mark.parametrize(
    ("candidate", "detail", "above"),
    [
        (LISTED, "a: b", "x = "),
        (ELSEWHERE, "a: b (from ./a)", "import { alpha } from './a'\n\nx = "),
    ],
)
@conversation
async def test_where_it_comes_from_stays_shown(
    editor: Editor, candidate: MenuCandidate, detail: str, above: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checker = FakeChecker(Description("a: b"))
    monkeypatch.setattr(editor.service, "candidates", lambda *_: MenuCandidates(4, (candidate,)))
    await editor.start()
    with_checker(editor, checker)
    item = await first(editor, editor.open("x = a^"))
    found = (await editor.ask(METHOD, **item))["result"]
    assert found["detail"] == detail
    assert checker.asked == [(above, "alpha")]


@pytest.mark.parametrize(
    ("trigger", "kind", "wanted"),
    [
        (".", CursorKind.MEMBER, True),
        (".", None, False),
        (".", CursorKind.STRING, False),
        ("'", CursorKind.STRING, True),
        ('"', None, False),
        (None, None, True),
    ],
)
@conversation
async def test_a_menu_opens_by_itself_only_where_something_is_known(
    editor: Editor, trigger: str | None, kind: CursorKind | None, monkeypatch: pytest.MonkeyPatch, *, wanted: bool
) -> None:
    found = MenuCandidates(2, (MenuCandidate("alpha", NameKind.FUNCTION),), kind=kind)
    monkeypatch.setattr(editor.service, "candidates", lambda *_: found)
    await editor.start()
    place = editor.open("x.^")
    context = {"triggerKind": 2, "triggerCharacter": trigger} if trigger else {"triggerKind": 1}
    asked = {"textDocument": {"uri": URI}, "position": place, "context": context}
    assert bool((await editor.ask("textDocument/completion", **asked))["result"]["items"]) is wanted


@pytest.mark.parametrize("complete", [True, False])
@conversation
async def test_a_menu_without_entries_is_asked_for_again_only_where_a_checker_is_late(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, *, complete: bool
) -> None:
    found = MenuCandidates(2, (), complete, CursorKind.MEMBER)
    monkeypatch.setattr(editor.service, "candidates", lambda *_: found)
    await editor.start()
    assert await editor.menu(editor.open("x.^")) == {"isIncomplete": not complete, "items": []}


@pytest.mark.parametrize("supported", [True, False])
@conversation
async def test_what_accepts_an_entry_is_reported_to_clients_that_know_of_it(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, *, supported: bool
) -> None:
    found = MenuCandidates(2, (LISTED,))
    monkeypatch.setattr(editor.service, "candidates", lambda *_: found)
    item = {"commitCharactersSupport": supported}
    await editor.start({"textDocument": {"completion": {"completionItem": item}, "inlineCompletion": {}}})
    item = await first(editor, editor.open("x.^"))
    assert item.get("commitCharacters") == ([".", "(", ";"] if supported else None)
