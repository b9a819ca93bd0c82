"""Rewrites in the server: the real service and a real file; what the model writes is given."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from context_index import Workspace
from lsp_server.engine.engine import Engine, EngineSettings
from lsp_server.engine.model_host import ModelHost
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteResult
from lsp_server.engine.service import Service
from lsp_server.engine.verification import Verifier
from lsp_server.lsp.handlers.rewrite import COMMAND, DOUBTED
from tests import needs
from tests.decoder.forced import BuiltIn, Forced
from tests.lsp_server.fakes import Editor, position, span
from tests.lsp_server.process import CAPABILITIES, Process, at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lsp_server.engine.model_host import ModelEvent
    from tests.lsp_server.forked import Forked

pytestmark = pytest.mark.slow

Json = Any
CODE = "import math\n\n\ndef area(radius):\n    return math.pi * radius ** 2\n\n\ndef twice(x):\n    return 2 * x\n"
EDITS = {"workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}}, "applyEdit": True}
FULL = {"workspace": EDITS, "window": {"workDoneProgress": True}}


class Rewriting(Editor):
    """An editor whose server has a real service and a model that renames; it applies what it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.hold, self.waits = Event(), Event()
        self.hold.set()
        self.replies["workspace/applyEdit"] = {"applied": True}
        self.real: ModelHost | None = None
        self.built_in = False
        """Whether the model has the built-in model's markers, so that it is taken for that; set before it is used."""

    def _build(
        self,
        settings: EngineSettings,
        notify: Callable[[object, ModelEvent], None],
        *,
        warn: Callable[[str], None],
        before: Engine | None = None,
    ) -> Engine:
        del notify, warn, before
        self.real = ModelHost(
            settings.model,
            load=lambda *_, **__: self._model(),
        )
        workspace = Workspace(settings.workspace.roots)
        return Engine(
            settings.workspace,
            workspace,
            self.real,
            Service(workspace, self.real, verifier=Verifier(workspace, opens=False)),
        )

    def _model(self) -> Forced:
        def change(text: str) -> str:
            return text.replace("radius", "r")

        return BuiltIn(change) if self.built_in else Forced(change, self.hold, self.waits)

    def bar(self) -> tuple[str, list[Json]]:
        """The token of the rewrite's bar, and all that it reported."""
        progress = self.params_of("$/progress")
        (token,) = {one["token"] for one in progress if one["value"].get("title") == "Inscope: say r for it"}
        return token, [one["value"] for one in progress if one["token"] == token]

    def open_notebook(self, path: Path, texts: Sequence[str]) -> list[str]:
        """Open a notebook of Python; the cells' URIs."""
        uris = [f"vscode-notebook-cell:{path}#{n}" for n in range(len(texts))]
        notebook = {"uri": path.as_uri(), "notebookType": "jupyter-notebook", "version": 1,
                    "cells": [{"kind": 2, "document": uri} for uri in uris]}  # fmt: skip
        cells = [
            {"uri": uri, "languageId": "python", "version": 1, "text": text}
            for uri, text in zip(uris, texts, strict=True)
        ]
        self.notify("notebookDocument/didOpen", notebookDocument=notebook, cellTextDocuments=cells)
        return uris

    def rewrite(self, uri: str, chosen: Json = None, instruction: str | None = "say r for it") -> int:
        argument = {"uri": uri, "range": chosen, "instruction": instruction}
        return self.send("workspace/executeCommand", command="inscope.rewrite", arguments=[argument])


def talking(talk: Callable[[Rewriting, str], Any], path: Path, capabilities: Json = None) -> None:
    path.write_text(CODE, "utf-8")

    async def session(editor: Rewriting) -> None:
        await editor.start(FULL if capabilities is None else capabilities, roots=[path.parent])
        await editor.idle()
        editor.open("^" + CODE, path.as_uri(), "python")
        try:
            await talk(editor, path.as_uri())
        finally:
            editor.hold.set()
            await editor.ask("shutdown")

    async def main() -> None:
        await session(Rewriting())

    asyncio.run(main())


def edited(edit: Json, text: str) -> str:
    """The text after an edit of the client's; its offsets are in characters here."""
    lines = text.splitlines(keepends=True)
    for one in sorted(edit["edits"], key=lambda one: list(one["range"]["start"].values()), reverse=True):
        start, end = (sum(map(len, lines[: place["line"]])) + place["character"] for place in one["range"].values())
        text = text[:start] + one["newText"] + text[end:]
    return text


def test_a_real_file_is_rewritten_by_one_labelled_edit_with_progress_and_counts(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        result = (await editor.answer(editor.rewrite(uri)))["result"]
        assert result["applied"]
        assert result["accepted"] > result["generated"]
        (params,) = editor.params_of("workspace/applyEdit")
        assert params["label"] == "Inscope: say r for it (lines 1 to 9)"
        (change,) = params["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": uri, "version": 1}
        assert edited(change, CODE) == CODE.replace("radius", "r")
        assert {one["range"]["start"]["line"] for one in change["edits"]} == {3}
        (annotation,) = params["edit"]["changeAnnotations"].values()
        assert annotation["needsConfirmation"]
        _, bars = editor.bar()
        assert (bars[0]["kind"], bars[0]["cancellable"], bars[-1]["kind"]) == ("begin", True, "end")
        assert (tmp_path / "a.py").read_text("utf-8") == CODE, "the client writes files, not the server"

    talking(talk, tmp_path / "a.py")


def test_progress_shows_a_percentage_and_counts_while_completions_are_answered(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.hold.clear()
        running = editor.rewrite(uri)
        await asyncio.to_thread(editor.waits.wait, 30)
        waiting = editor.send("textDocument/completion", textDocument={"uri": uri}, position=position("^"))
        assert "result" in await editor.answer(waiting)
        assert editor.answers(running) == []
        editor.hold.set()
        assert (await editor.answer(running))["result"]["applied"]
        reports = [one for one in editor.bar()[1] if one["kind"] == "report"]
        assert all(0 < one["percentage"] < 100 and "accepted" in one["message"] for one in reports)

    talking(talk, tmp_path / "a.py")


@pytest.mark.parametrize("way", ["bar", "request"])
def test_cancelled_in_the_middle_nothing_is_changed(tmp_path: Path, way: str) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.hold.clear()
        running = editor.rewrite(uri)
        await asyncio.to_thread(editor.waits.wait, 30)
        if way == "bar":
            editor.notify("window/workDoneProgress/cancel", token=editor.bar()[0])
        else:
            editor.notify("$/cancelRequest", id=running)
        editor.hold.set()
        answer = await editor.answer(running)
        assert answer["result"]["failed"] == "cancelled" if way == "bar" else answer["error"]["code"] == -32800
        assert editor.params_of("workspace/applyEdit") == []
        assert editor.bar()[1][-1]["kind"] == "end"

    talking(talk, tmp_path / "a.py")


def test_a_rename_that_was_cancelled_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        def rename(_renamer: Renamer, request: RenameRequest) -> RewriteResult:
            editor.waits.set()
            assert editor.hold.wait(30)
            renamed = request.syntax.document.text.replace("radius", "r")
            return RewriteResult(text=renamed, attempted_text=renamed)

        monkeypatch.setattr(Renamer, "run", rename)
        editor.hold.clear()
        running = editor.rewrite(uri, instruction="rename radius to r")
        await asyncio.to_thread(editor.waits.wait, 30)
        token = editor.params_of("$/progress")[-1]["token"]
        editor.notify("window/workDoneProgress/cancel", token=token)
        editor.hold.set()
        assert (await editor.answer(running))["result"]["failed"] == "cancelled"
        assert editor.params_of("workspace/applyEdit") == []

    talking(talk, tmp_path / "a.py")


@pytest.mark.parametrize(
    ("typed", "stale"),
    [("# a comment\n" + CODE, False), (CODE + "x = 1\n", False), (CODE.replace("area(", "surface("), True)],
    ids=["above", "below", "in the middle"],
)
def test_what_is_typed_meanwhile_is_kept_or_the_rewrite_is_dropped(tmp_path: Path, typed: str, stale: bool) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.hold.clear()
        running = editor.rewrite(uri)
        await asyncio.to_thread(editor.waits.wait, 30)
        editor.replace("^" + typed, 2, uri)
        editor.hold.set()
        result = (await editor.answer(running))["result"]
        assert result["applied"] != stale
        applied = editor.params_of("workspace/applyEdit")
        if stale:
            assert applied == []
            assert any("was dropped" in message for message in editor.messages())
        else:
            (change,) = applied[0]["edit"]["documentChanges"]
            assert change["textDocument"]["version"] == 2
            assert edited(change, typed) == typed.replace("radius", "r")

    talking(talk, tmp_path / "a.py")


@pytest.mark.parametrize("is_command", [False, True], ids=["request", "command"])
@pytest.mark.parametrize("typed", ["", CODE.replace("area(", "surface("), None], ids=["emptied", "typed", "closed"])
def test_a_rewrite_that_is_dropped_has_failed(tmp_path: Path, typed: str | None, is_command: bool) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.hold.clear()
        asked = {"textDocument": {"uri": uri}, "instruction": "say r for it"}
        running = editor.rewrite(uri) if is_command else editor.send("inscope/rewrite", **asked)
        await asyncio.to_thread(editor.waits.wait, 30)
        if typed is None:
            editor.notify("textDocument/didClose", textDocument={"uri": uri})
        else:
            editor.replace("^" + typed, 2, uri)
        editor.hold.set()
        result = (await editor.answer(running))["result"]
        assert (result["failed"], result["verified"], result["doubts"]) == ("stale", "none", [])
        assert "was dropped" in result["reason"]
        assert result["accepted"] > 0
        assert not (result["applied"] if is_command else result["edit"])

    talking(talk, tmp_path / "a.py")


def test_the_answers_fields_are_those_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs/rewriting.md").read_text("utf-8")
    fields = json.loads("[" + page.split("answers with\n")[1].split("{")[1].split("}")[0] + "]")

    async def talk(editor: Rewriting, uri: str) -> None:
        asked: Json = {"textDocument": {"uri": uri}, "instruction": "say r for it"}
        done = (await editor.ask("inscope/rewrite", **asked))["result"]
        failed = (await editor.ask("inscope/rewrite", **asked | {"instruction": None, "rename": "none=some"}))["result"]
        applied = (await editor.answer(editor.rewrite(uri)))["result"]
        not_asked = (await editor.answer(editor.rewrite(uri, instruction=None)))["result"]
        assert [sorted(one) for one in (done, failed)] == [sorted(fields)] * 2
        assert [sorted(one) for one in (applied, not_asked)] == [sorted({*fields, "applied"} - {"edit"})] * 2
        assert done["latencyMs"] > 0

    talking(talk, tmp_path / "a.py")


def test_a_client_without_document_changes_gets_plain_edits(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        assert (await editor.answer(editor.rewrite(uri)))["result"]["applied"]
        (params,) = editor.params_of("workspace/applyEdit")
        assert edited({"edits": params["edit"]["changes"][uri]}, CODE) == CODE.replace("radius", "r")
        assert editor.params_of("$/progress") == []

    talking(talk, tmp_path / "a.py", {"workspace": {"applyEdit": True}})


def test_the_code_action_asks_for_what_is_missing(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        place = span(position("^"), position("^"))
        offered = await editor.ask(
            "textDocument/codeAction", textDocument={"uri": uri}, range=place, context={"diagnostics": []}
        )
        (action,) = offered["result"]
        assert action["kind"] == "refactor.rewrite.inscope"
        assert action["title"] == "Inscope: rewrite the file"
        asked = editor.send("workspace/executeCommand", **{k: action["command"][k] for k in ("command", "arguments")})
        assert (await editor.answer(asked))["result"]["reason"] == "no instruction was given"
        (question,) = editor.params_of("window/showMessageRequest")
        assert len(question["actions"]) > 1
        others = await editor.ask(
            "textDocument/codeAction", textDocument={"uri": uri}, range=place,
            context={"diagnostics": [], "only": ["quickfix"]},
        )  # fmt: skip
        assert others["result"] == []

    talking(talk, tmp_path / "a.py")


CURSORS = [((4, 10), "area", (4, 5), True), ((3, 0), "area", (4, 5), True), ((8, 4), "twice", (8, 9), False),
           ((0, 3), None, (1, 9), True)]  # fmt: skip
"""A cursor, what is declared around it, the lines that are rewritten, from 1, and whether the rewrite changes them."""


@pytest.mark.parametrize(("cursor", "name", "lines", "is_changed"), CURSORS)
def test_without_a_selection_what_is_declared_around_the_cursor_is_rewritten(
    tmp_path: Path, cursor: tuple[int, int], name: str | None, lines: tuple[int, int], is_changed: bool
) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        first, last = lines
        asked = {"uri": uri, "position": at(*cursor)}
        region = await editor.ask("workspace/executeCommand", command="inscope.region", arguments=[asked])
        assert region["result"] == (name and {"name": name, "range": span(at(first - 1, 0), at(last, 0))})
        fields = {"range": span(at(*cursor), at(*cursor)), "context": {"diagnostics": []}}
        offered = await editor.ask("textDocument/codeAction", textDocument={"uri": uri}, **fields)
        (action,) = offered["result"]
        assert action["title"] == f"Inscope: rewrite {name or 'the file'}"
        given = action["command"]["arguments"][0] | {"instruction": "say r for it"}
        rewritten = editor.send("workspace/executeCommand", command="inscope.rewrite", arguments=[given])
        assert (await editor.answer(rewritten))["result"]["applied"] is is_changed
        labels = [params["label"] for params in editor.params_of("workspace/applyEdit")]
        assert labels == ([f"Inscope: say r for it (lines {first} to {last})"] if is_changed else [])

    talking(talk, tmp_path / "a.py")


def test_an_improbable_rewrite_says_so_in_the_previews_title(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.built_in = True
        result = (await editor.answer(editor.rewrite(uri)))["result"]
        (params,) = editor.params_of("workspace/applyEdit")
        assert result["probability"] < 0.5
        probability = f"{result['probability']:.2f}"
        assert params["label"] == f"Inscope: say r for it (improbable: {probability}; lines 1 to 9)"

    talking(talk, tmp_path / "a.py")


UNASKED = [("^", "^", 0, 0), ("^", "^", 1, 1), ("^", "total^", 0, 1)]
"""Where an editor asks by itself: the ends of what is selected, how many errors are there, how much is offered."""


@pytest.mark.parametrize(("start", "end", "errors", "count"), UNASKED)
def test_unasked_it_is_offered_only_where_something_is_selected_or_reported(
    tmp_path: Path, start: str, end: str, errors: int, count: int
) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        place = span(position(start), position(end))
        error = {"range": place, "message": "wrong"}
        for trigger, expected in ((2, count), (1, 1)):
            context = {"diagnostics": [error] * errors, "triggerKind": trigger}
            asked = {"textDocument": {"uri": uri}, "range": place, "context": context}
            assert len((await editor.ask("textDocument/codeAction", **asked))["result"]) == expected

    talking(talk, tmp_path / "a.py")


def test_a_client_that_takes_no_edits_is_offered_none(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        place = span(position("^"), position("^"))
        offered = await editor.ask(
            "textDocument/codeAction", textDocument={"uri": uri}, range=place, context={"diagnostics": []}
        )
        assert offered["result"] == []

    talking(talk, tmp_path / "a.py", {"workspace": {"applyEdit": False}})


def test_a_rename_of_a_name_that_is_not_there_is_reported(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        result = (await editor.answer(editor.rewrite(uri, instruction="rename radios to r")))["result"]
        said = "No name `radios` is in the file."
        assert (result["applied"], result["failed"], result["reason"]) == (False, "no_such_name", said)
        assert f"Inscope: {said}" in editor.messages()

    talking(talk, tmp_path / "a.py")


def test_a_rename_is_answered_with_the_edits_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("from a import area\n\nprint(area(1))\n", "utf-8")

    async def talk(editor: Rewriting, uri: str) -> None:
        found = await editor.ask("inscope/rewrite", textDocument={"uri": uri}, rename="area=surface")
        result = found["result"]
        assert (result["failed"], result["notes"], result["verified"]) == (None, [], "types")
        first, second = result["edit"]["documentChanges"]
        assert (first["textDocument"], second["textDocument"]["uri"]) == (
            {"uri": uri, "version": 1}, (tmp_path / "b.py").as_uri(),
        )  # fmt: skip
        assert edited(first, CODE) == CODE.replace("area(", "surface(")
        assert [one["newText"] for one in second["edits"]] == ["surface", "surface"]
        assert editor.params_of("workspace/applyEdit") == []

    talking(talk, tmp_path / "a.py")


def test_a_rename_of_which_another_document_is_closed_meanwhile_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document differs from its file."""
    text = "from a import area\n\nprint(area(1))\n"
    (tmp_path / "b.py").write_text(text, "utf-8")

    async def talk(editor: Rewriting, uri: str) -> None:
        other = (tmp_path / "b.py").as_uri()
        editor.open("^\n" + text, other, "python")
        run = Renamer.run

        def losing(renamer: Renamer, request: RenameRequest) -> RewriteResult:
            done = run(renamer, request)
            editor.server.from_thread(lambda: editor.notify("textDocument/didClose", textDocument={"uri": other}))
            return done

        monkeypatch.setattr(Renamer, "run", losing)
        result = (await editor.ask("inscope/rewrite", textDocument={"uri": uri}, rename="area=surface"))["result"]
        assert (result["failed"], result["edit"]) == ("stale", None)

    talking(talk, tmp_path / "a.py")


def test_a_name_is_renamed_as_it_is_bound_in_the_range(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("from a import area\n\nprint(area(1))\n", "utf-8")

    async def talk(editor: Rewriting, uri: str) -> None:
        text = CODE.replace("x", "radius")
        editor.replace("^" + text, 2, uri)
        found = await editor.ask("inscope/rewrite", textDocument={"uri": uri}, rename="radius=r")
        assert found["result"]["failed"] == "ambiguous"
        assert "a local name at 4:10, 5:22; a local name at 8:11, 9:16." in found["result"]["reason"]
        chosen = span({"line": 7, "character": 0}, {"line": 8, "character": 5})
        found = await editor.ask("inscope/rewrite", textDocument={"uri": uri}, rename="radius=r", range=chosen)
        (change,) = found["result"]["edit"]["documentChanges"]
        assert edited(change, text) == CODE.replace("(x)", "(r)").replace("* x", "* r")

    talking(talk, tmp_path / "a.py")


@pytest.mark.parametrize(
    ("language", "text", "used"),
    [
        ("python", "size = 1\nprint(size)\n", "print"),
        ("javascript", "const size = 1;\nconsole.log(size);\n", "console"),
        ("typescript", "const size = 1;\nconsole.log(size);\n", "console"),
    ],
)
def test_a_name_in_an_untitled_buffer_is_renamed(tmp_path: Path, language: str, text: str, used: str) -> None:
    if language != "python":
        needs.typescript()

    async def talk(editor: Rewriting, _uri: str) -> None:
        editor.open("^" + text, "untitled:Untitled-1", language)
        asked = {"textDocument": {"uri": "untitled:Untitled-1"}, "rename": "size=width"}
        result = (await editor.ask("inscope/rewrite", **asked))["result"]
        assert (result["failed"], result["reason"], result["notes"]) == (None, "", [])
        (change,) = result["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": "untitled:Untitled-1", "version": 1}
        assert edited(change, text) == text.replace("size", "width")
        taken = (await editor.ask("inscope/rewrite", **asked | {"rename": f"size={used}"}))["result"]
        assert (taken["failed"], taken["edit"]) == ("name_taken", None)

    talking(talk, tmp_path / "a.py")


NOTEBOOK = [
    "%load_ext a\n!ls\nradius = 2.0",
    "def twice(radius):\n    return 2 * radius",
    "%time twice\nprint(radius)\n",
]
IN_CELLS = {
    "a rename from the first cell": (0, {"rename": "radius=r"}, [0, 2]),
    "a rename from the last cell": (2, {"rename": "radius=r"}, [0, 2]),
    "a rename in one cell": (1, {"rename": "radius=r"}, [1]),
    "an instruction": (1, {"instruction": "say r for it"}, [1]),
}


@pytest.mark.parametrize("is_command", [False, True], ids=["request", "command"])
@pytest.mark.parametrize(("at", "wanted", "changed"), IN_CELLS.values(), ids=IN_CELLS)
def test_each_cell_of_a_notebook_has_its_own_edits(
    tmp_path: Path, at: int, wanted: Json, changed: list[int], is_command: bool
) -> None:
    async def talk(editor: Rewriting, _uri: str) -> None:
        uris = editor.open_notebook(tmp_path / "n.ipynb", NOTEBOOK)
        arguments = [{"uri": uris[at], **wanted}]
        given: Json = {"command": "inscope.rewrite", "arguments": arguments}
        asked = {"textDocument": {"uri": uris[at]}, **wanted}
        method, params = ("workspace/executeCommand", given) if is_command else ("inscope/rewrite", asked)
        result = (await editor.ask(method, **params))["result"]
        assert (result["failed"], result["reason"], result["verified"]) == (None, "", "types")
        edit = editor.params_of("workspace/applyEdit")[0]["edit"] if is_command else result["edit"]
        changes = {one["textDocument"]["uri"]: one for one in edit["documentChanges"]}
        after = [
            edited(changes[uri], text) if uri in changes else text for uri, text in zip(uris, NOTEBOOK, strict=True)
        ]
        assert after == [text.replace("radius", "r") if n in changed else text for n, text in enumerate(NOTEBOOK)]

    talking(talk, tmp_path / "a.py")


BROKEN_CELLS = {
    "a bracket": ["print(radius", "area = 2", "print(area)"],
    "a string": ['text = """radius', "area = 2", "print(area)"],
    "a header": ["def volume(radius):", "area = 2", "print(area)"],
    "a use in it": ["print(area", "area = 2", "print(area)"],
    "a magic in a block": ["if True:\n    !ls", "area = 2\nfiles = !ls", "print(area)"],
}


@pytest.mark.parametrize("texts", BROKEN_CELLS.values(), ids=BROKEN_CELLS)
def test_a_rename_passes_over_broken_cells(tmp_path: Path, texts: list[str]) -> None:
    async def talk(editor: Rewriting, _uri: str) -> None:
        uris = editor.open_notebook(tmp_path / "n.ipynb", texts)
        asked = {"textDocument": {"uri": uris[-1]}, "rename": "area=size"}
        result = (await editor.ask("inscope/rewrite", **asked))["result"]
        assert (result["failed"], result["reason"]) == (None, "")
        changes = {one["textDocument"]["uri"]: one for one in result["edit"]["documentChanges"]}
        after = [edited(changes[uri], text) if uri in changes else text for uri, text in zip(uris, texts, strict=True)]
        assert after == [text.replace("area", "size") for text in texts]

    talking(talk, tmp_path / "a.py")


def test_what_a_rewrite_breaks_elsewhere_is_reported_before_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("from a import area\n\nprint(area(radius=1))\n", "utf-8")

    async def talk(editor: Rewriting, uri: str) -> None:
        result = (await editor.answer(editor.rewrite(uri)))["result"]
        broken = "Breaks b.py:3: No argument provided for required parameter `r` of function `area` (missing-argument)"
        assert result["applied"]
        assert broken in result["notes"]
        assert result["doubts"] == ["it brings new errors"]
        (params,) = editor.params_of("workspace/applyEdit")
        (annotation,) = params["edit"]["changeAnnotations"].values()
        assert (annotation["needsConfirmation"], list(params["edit"]["changeAnnotations"])) == (True, [DOUBTED])
        assert "it brings new errors" in annotation["description"]
        assert broken in annotation["description"]

    talking(talk, tmp_path / "a.py")


ANSWERS: dict[str, tuple[Json, bool]] = {
    "yes": ({"title": "Make it"}, True),
    "no": ({"title": "Discard it"}, False),
    "closed": (None, False),
    "another title": ({"title": "Perhaps"}, False),
}


@pytest.mark.parametrize(("answer", "is_made"), ANSWERS.values(), ids=ANSWERS)
def test_an_editor_that_confirms_no_edits_is_asked_about_one_that_is_doubted(
    tmp_path: Path, answer: Json, is_made: bool
) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.replies["window/showMessageRequest"] = answer
        editor.built_in = True
        result = (await editor.answer(editor.rewrite(uri)))["result"]
        assert (result["applied"], len(result["doubts"])) == (is_made, 1)
        assert len(editor.params_of("workspace/applyEdit")) == is_made
        (question,) = editor.params_of("window/showMessageRequest")
        assert result["doubts"][0] in question["message"]
        renamed = (await editor.answer(editor.rewrite(uri, instruction="rename radius to r")))["result"]
        assert (renamed["applied"], renamed["doubts"]) == (True, [])
        assert len(editor.params_of("window/showMessageRequest")) == 1, "a rename is the checker's"

    capabilities = {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}}
    talking(talk, tmp_path / "a.py", capabilities)


def test_what_the_built_in_model_writes_is_confirmed_whatever_the_client_is_set_to(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.built_in = True
        for instruction, annotation in {"say r for it": DOUBTED, "rename radius to r": COMMAND}.items():
            result = (await editor.answer(editor.rewrite(uri, instruction=instruction)))["result"]
            assert result["applied"]
            edit = editor.params_of("workspace/applyEdit")[-1]["edit"]
            assert list(edit["changeAnnotations"]) == [annotation]
            asked = {one["annotationId"] for change in edit["documentChanges"] for one in change["edits"]}
            assert asked == {annotation}
        assert editor.params_of("window/showMessageRequest") == [], "the client asks by itself"

    talking(talk, tmp_path / "a.py")


def test_any_draft_and_policy_gives_the_same_edit(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        given: list[Json] = [
            {},
            {"draft": CODE.replace("radius", "r")},
            {"draft": ""},
            {"policy": "reference", "lookahead": 4, "recovery": 2},
        ]
        asked = {"textDocument": {"uri": uri}, "instruction": "say r for it"}
        results = [(await editor.ask("inscope/rewrite", **asked, **one))["result"] for one in given]
        assert all(one["edit"] == results[0]["edit"] for one in results)
        assert [(one["accepted"] > 0, one["rejected"] > 0) for one in results] == [
            (True, True), (True, False), (False, False), (True, True),
        ]  # fmt: skip

    talking(talk, tmp_path / "a.py")


WRONG: list[tuple[Json, str]] = [
    ({"policy": "bold"}, "inscope/rewrite: 'policy' must be 'aligned', 'reference' or 'plain'"),
    ({"policy": 3}, "inscope/rewrite: 'policy' must be 'aligned', 'reference' or 'plain'"),
    ({"lookahead": 0}, "'lookahead' and 'recovery' are numbers of tokens, from 1 on"),
    ({"lookahead": "a"}, "inscope/rewrite: 'lookahead' must be a whole number"),
    ({"recovery": -1}, "'lookahead' and 'recovery' are numbers of tokens, from 1 on"),
    ({"draft": 7}, "inscope/rewrite: 'draft' must be a text"),
    ({"instruction": " "}, "say what is to change: either 'instruction' or 'rename'"),
    ({"rename": "radius=r"}, "say what is to change: either 'instruction' or 'rename'"),
    ({"instruction": None, "rename": "radius"}, "expected two names such as total=amount, not 'radius'"),
    ({"textDocument": {"uri": ""}}, "'' is not open; send textDocument/didOpen before asking about it"),
]


def test_parameters_that_make_no_sense_are_reported_in_a_sentence(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        asked = {"textDocument": {"uri": uri}, "instruction": "say r for it"}
        answers = [await editor.ask("inscope/rewrite", **asked | wrong) for wrong, _ in WRONG]
        assert [answer["error"]["message"] for answer in answers] == [sentence for _, sentence in WRONG]

    talking(talk, tmp_path / "a.py")


def test_arguments_that_make_no_sense_are_reported(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        wrong: list[list[Json]] = [
            [],
            [{}],
            [{"uri": 3}],
            ["file:///none.py"],
            [{"uri": uri, "range": 7}],
            [{"uri": uri, "instruction": "say r for it", "rename": "radius=r"}],
        ]
        for arguments in wrong:
            answer = await editor.ask("workspace/executeCommand", command="inscope.rewrite", arguments=arguments)
            assert answer["error"]["message"], arguments

    talking(talk, tmp_path / "a.py")


def test_one_rewrite_at_a_time(tmp_path: Path) -> None:
    async def talk(editor: Rewriting, uri: str) -> None:
        editor.hold.clear()
        running = editor.rewrite(uri)
        await asyncio.to_thread(editor.waits.wait, 30)
        assert "running already" in (await editor.answer(editor.rewrite(uri)))["error"]["message"]
        editor.hold.set()
        assert (await editor.answer(running))["result"]["applied"]

    talking(talk, tmp_path / "a.py")


def test_the_built_in_model_in_a_real_process_changes_nothing_unchecked(tmp_path: Path, servers: Forked) -> None:
    """It was not trained for this, so a failed attempt is the likely answer; completions come all the while."""
    path = tmp_path / "area.py"
    path.write_text(CODE, "utf-8")
    with Process(tmp_path / "server.log", forked=servers) as server:
        server.replies["workspace/applyEdit"] = {"applied": True}
        server.start(tmp_path, capabilities={**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], **EDITS}})
        server.open(path.as_uri(), "python", CODE)
        chosen = {"start": at(3, 0), "end": at(5, 0)}
        arguments = [{"uri": path.as_uri(), "range": chosen, "instruction": "say r for it"}]
        running = server.send("workspace/executeCommand", command="inscope.rewrite", arguments=arguments)
        assert isinstance(server.menu(path.as_uri(), 4, 11)["items"], list)
        result = server.answer(running)["result"]
        assert result["applied"] or (result["failed"] and result["reason"]) or "changed nothing" in result["reason"]
        edits = [one["params"] for one in server.sent if one.get("method") == "workspace/applyEdit"]
        assert len(edits) == result["applied"]
        assert server.leave() == 0
    assert path.read_text("utf-8") == CODE
