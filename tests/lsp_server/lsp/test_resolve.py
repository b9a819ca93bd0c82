"""`completionItem/resolve` over the protocol, with a type checker that describes what it is asked about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from context_index import Importable, NameKind, NamePosition, Open, Told
from lsp_server.menu.candidates import Candidate, Candidates
from tests.lsp_server.fakes import URI, Editor, on

if TYPE_CHECKING:
    from context_index import Document

Json = Any
METHOD = "completionItem/resolve"
MARKDOWN = {
    "textDocument": {"completion": {"completionItem": {"documentationFormat": ["markdown"]}}, "inlineCompletion": {}}
}


@dataclass
class Described:
    """What a checker says of a name."""

    signature: str
    documentation: str = ""


@dataclass
class FakeTypes:
    """Describes every name alike, and remembers the text before it and what stood there."""

    says: Described | Open = field(default_factory=lambda: Described("(a: number)\n  => string", "Sums *up*."))
    asked: list[tuple[str, str]] = field(default_factory=list)

    def describe(self, text: str, offset: int) -> FakeTypes:
        self.asked.append((text[:offset], text[offset:]))
        return self

    def wait(self, _seconds: float) -> Told[Any]:
        return Told(self.says, "fake", 0.0)


def with_types(editor: Editor, types: FakeTypes) -> None:
    def of(_document: Document) -> FakeTypes:
        return types

    editor.workspaces[-1].types = of  # type: ignore[method-assign,assignment]  # as far as resolving needs it


async def first(editor: Editor, place: Json) -> Json:
    return (await editor.menu(place))["items"][0]


def test_an_entry_is_described_as_it_would_stand_in_the_text() -> None:
    async def talk(editor: Editor) -> None:
        types = FakeTypes()
        await editor.start(MARKDOWN)
        with_types(editor, types)
        item = await first(editor, editor.open("x = al^pa(1)"))
        found = (await editor.ask(METHOD, **item))["result"]
        assert types.asked == [("x = ", "alpha(1)")]
        assert found["detail"] == "(a: number) => string"
        assert found["documentation"] == {"kind": "markdown", "value": "Sums *up*."}
        assert {key: found[key] for key in item} == item

    on(talk)


def test_what_was_typed_meanwhile_makes_no_difference_and_an_edit_above_does() -> None:
    async def talk(editor: Editor) -> None:
        types = FakeTypes()
        await editor.start()
        with_types(editor, types)
        item = await first(editor, editor.open("x = al^"))
        editor.replace("x = alph^")
        found = (await editor.ask(METHOD, **item))["result"]
        assert types.asked == [("x = ", "alpha")]
        assert found["documentation"]["kind"] == "plaintext"
        editor.replace("y, x = alph^", 3)
        assert (await editor.ask(METHOD, **item))["result"] == item
        assert len(types.asked) == 1

    on(talk)


@pytest.mark.parametrize("data", [None, 5, {"uri": URI}, {"uri": "file:///none.js", "start": 0, "mark": 0}])
def test_an_entry_that_is_not_ours_or_of_a_closed_document_stays_as_it_is(data: Json) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        editor.open("^")
        item = {"label": "alpha"} if data is None else {"label": "alpha", "data": data}
        assert (await editor.ask(METHOD, **item))["result"] == item

    on(talk)


def test_where_the_checker_knows_nothing_the_entry_stays_as_it_is() -> None:
    async def talk(editor: Editor) -> None:
        await editor.start()
        with_types(editor, FakeTypes(Open("it is late")))
        item = await first(editor, editor.open("al^"))
        assert (await editor.ask(METHOD, **item))["result"] == item

    on(talk)


LISTED = Candidate("alpha", NameKind.FUNCTION, "listed by fake, perhaps not all", position=NamePosition.MEMBER)
ELSEWHERE = Candidate("alpha", NameKind.FUNCTION, "(a) from ./a", Importable("alpha", NameKind.FUNCTION, "./a"))


@pytest.mark.parametrize(
    ("candidate", "detail", "above"),
    [
        (LISTED, "a: b (listed by fake, perhaps not all)", "x = "),
        (ELSEWHERE, "a: b (from ./a)", "import { alpha } from './a'\n\nx = "),
    ],
)
def test_where_it_comes_from_and_how_sure_that_is_stay_told(
    candidate: Candidate, detail: str, above: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(editor: Editor) -> None:
        types = FakeTypes(Described("a: b"))
        monkeypatch.setattr(editor.service, "candidates", lambda *_: Candidates(4, (candidate,)))
        await editor.start()
        with_types(editor, types)
        item = await first(editor, editor.open("x = a^"))
        found = (await editor.ask(METHOD, **item))["result"]
        assert found["detail"] == detail
        assert types.asked == [(above, "alpha")]

    on(talk)


@pytest.mark.parametrize(
    ("trigger", "position", "wanted"),
    [
        (".", NamePosition.MEMBER, True),
        (".", None, False),
        (".", NamePosition.LITERAL, False),
        ("'", NamePosition.SUBSCRIPT, True),
        ('"', None, False),
        (None, None, True),
    ],
)
def test_a_menu_opens_by_itself_only_where_something_is_known(
    trigger: str | None, position: NamePosition | None, monkeypatch: pytest.MonkeyPatch, *, wanted: bool
) -> None:
    async def talk(editor: Editor) -> None:
        found = Candidates(2, (Candidate("alpha", NameKind.FUNCTION),), position=position)
        monkeypatch.setattr(editor.service, "candidates", lambda *_: found)
        await editor.start()
        place = editor.open("x.^")
        context = {"triggerKind": 2, "triggerCharacter": trigger} if trigger else {"triggerKind": 1}
        asked = {"textDocument": {"uri": URI}, "position": place, "context": context}
        assert bool((await editor.ask("textDocument/completion", **asked))["result"]["items"]) is wanted

    on(talk)


@pytest.mark.parametrize("complete", [True, False])
def test_a_menu_without_entries_is_asked_for_again_only_where_a_checker_is_late(
    monkeypatch: pytest.MonkeyPatch, *, complete: bool
) -> None:
    async def talk(editor: Editor) -> None:
        found = Candidates(2, (), complete, NamePosition.MEMBER)
        monkeypatch.setattr(editor.service, "candidates", lambda *_: found)
        await editor.start()
        assert await editor.menu(editor.open("x.^")) == {"isIncomplete": not complete, "items": []}

    on(talk)


@pytest.mark.parametrize("supported", [True, False])
def test_what_accepts_an_entry_is_told_to_clients_that_know_of_it(
    monkeypatch: pytest.MonkeyPatch, *, supported: bool
) -> None:
    async def talk(editor: Editor) -> None:
        found = Candidates(2, (Candidate("alpha", NameKind.METHOD, position=NamePosition.MEMBER),))
        monkeypatch.setattr(editor.service, "candidates", lambda *_: found)
        item = {"commitCharactersSupport": supported}
        await editor.start({"textDocument": {"completion": {"completionItem": item}, "inlineCompletion": {}}})
        item = await first(editor, editor.open("x.^"))
        assert item.get("commitCharacters") == ([".", "(", ";"] if supported else None)

    on(talk)
