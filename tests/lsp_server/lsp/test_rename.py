"""`textDocument/prepareRename` and `textDocument/rename` over the protocol, with the real checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteResult
from lsp_server.lsp.protocol import from_proto
from lsp_server.lsp.protocol.params import CONVERTER
from tests import needs
from tests.files import lay_out
from tests.lsp_server.fakes import Code, Editor, conversation, on, position
from tests.lsp_server.process import CAPABILITIES, Process

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lsp_server.forked import Forked

pytestmark = pytest.mark.slow

Json = Any
EDITS = {"documentChanges": True}
PLAIN: Json = {"textDocument": {"rename": {"prepareSupport": True}}, "workspace": {"workspaceEdit": EDITS}}
"""A client that cannot have a person confirm edits, such as Neovim."""
CONFIRMING: Json = {**PLAIN, "workspace": {"workspaceEdit": {**EDITS, "changeAnnotationSupport": {}}}}
"""One that can, such as VS Code."""
CONTENT_MODIFIED, REQUEST_FAILED = -32801, -32803
FILES = {
    "cart.js": "export class Cart {\n  add(item) {\n    return item;\n  }\n}\n",
    "main.js": 'import { Cart } from "./cart.js";\n\nnew Cart().add(1);\n'
    'const use = (it) => it.add(2);\nuse(JSON.parse("{}"));\n',
    "package.json": '{"type": "module"}\n',
    "tools.py": '__all__ = ["measure"]\n\n\ndef measure(x):\n    return x\n',
    "run.py": "from tools import *\n\nprint(measure(1), len([]))\n",
}


def after(edit: Json, root: Path, *, taken: bool = False) -> dict[str, str]:
    """The files that an edit changes, by name; those parts of it that a person is to confirm only if they are taken."""
    changed = {}
    for change in edit["documentChanges"]:
        name = change["textDocument"]["uri"].rpartition("/")[2]
        lines = (root / name).read_text("utf-8").splitlines(keepends=True)
        for one in sorted(change["edits"], key=lambda one: list(one["range"]["start"].values()), reverse=True):
            if taken or "annotationId" not in one:
                start, end = one["range"]["start"], one["range"]["end"]
                assert start["line"] == end["line"]
                line = lines[start["line"]]
                lines[start["line"]] = line[: start["character"]] + one["newText"] + line[end["character"] :]
        changed[name] = "".join(lines)
    return {name: text for name, text in changed.items() if text != (root / name).read_text("utf-8")}


async def begin(editor: Editor, root: Path, name: str, mark: str, capabilities: Json = PLAIN) -> Json:
    """Start in the files and open one; the params for the place before a mark's text."""
    await editor.start(capabilities, roots=[lay_out(root, FILES)])
    await editor.idle()
    at = FILES[name].index(mark)
    marked = FILES[name][:at] + "^" + FILES[name][at:]
    place = editor.open(marked, (root / name).as_uri(), "python" if name.endswith(".py") else "javascript")
    return {"textDocument": {"uri": (root / name).as_uri()}, "position": place}


SURE = {
    "cart.js": FILES["cart.js"].replace("add(", "put("),
    "main.js": FILES["main.js"].replace("Cart().add(", "Cart().put("),
}
WHOLE = {**SURE, "main.js": FILES["main.js"].replace(".add(", ".put(")}


CAPABILITIES_OF_EDITS = [
    ({}, False, False),
    (EDITS, True, False),
    ({"changeAnnotationSupport": {}}, False, False),
    ({**EDITS, "changeAnnotationSupport": {}}, True, True),
    ({"documentChanges": False, "changeAnnotationSupport": {"groupsOnLabel": True}}, False, False),
]


@pytest.mark.parametrize(("edits", "versions", "annotations"), CAPABILITIES_OF_EDITS)
def test_only_edits_with_versions_are_annotated(edits: Json, versions: bool, annotations: bool) -> None:
    given = CONVERTER.structure({"workspace": {"workspaceEdit": edits}}, types.ClientCapabilities)
    client = from_proto.client(given)
    assert (client.document_changes, client.annotations) == (versions, annotations)


@conversation
async def test_all_files_are_renamed_by_versioned_edits(editor: Editor, tmp_path: Path) -> None:
    asked = await begin(editor, tmp_path, "tools.py", "measure(x)")
    edit = (await editor.ask("textDocument/rename", **asked, newName="gauge"))["result"]
    renamed = {name: FILES[name].replace("measure", "gauge") for name in ("tools.py", "run.py")}
    assert after(edit, tmp_path) == renamed
    versions = {change["textDocument"]["uri"]: change["textDocument"]["version"] for change in edit["documentChanges"]}
    assert versions == {(tmp_path / "tools.py").as_uri(): 1, (tmp_path / "run.py").as_uri(): None}


@conversation
async def test_a_name_that_has_no_use_yet_is_renamed_unasked(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("def helper():\n    return 1\n", "utf-8")
    await begin(editor, tmp_path, "tools.py", "measure(x)")
    await editor.idle()
    place = editor.open("def ^helper():\n    return 1\n", (tmp_path / "new.py").as_uri(), "python")
    asked = {"textDocument": {"uri": (tmp_path / "new.py").as_uri()}, "position": place}
    edit = (await editor.ask("textDocument/rename", **asked, newName="aide"))["result"]
    assert after(edit, tmp_path) == {"new.py": "def aide():\n    return 1\n"}
    (message,) = editor.messages()
    assert "Nothing in the project uses `helper`, declared in new.py:1" in message
    assert not editor.params_of("window/showMessageRequest")


PREPARED = {
    "a name": ("run.py", "measure(1)", "measure"),
    "a string of __all__": ("tools.py", 'measure"]', "measure"),
    "a keyword": ("tools.py", "def ", None),
    "a number": ("run.py", "1)", None),
    "white space": ("tools.py", "\n\n\ndef", None),
}


@pytest.mark.parametrize("case", PREPARED)
def test_what_can_be_renamed(case: str, tmp_path: Path) -> None:
    name, mark, text = PREPARED[case]

    async def talk(editor: Editor) -> None:
        asked = await begin(editor, tmp_path, name, mark)
        found = (await editor.ask("textDocument/prepareRename", **asked))["result"]
        assert (found and found["placeholder"]) == text
        if found:
            start, end = found["range"]["start"], found["range"]["end"]
            assert FILES[name].splitlines()[start["line"]][start["character"] : end["character"]] == text

    on(talk)


@conversation
async def test_places_that_may_be_the_name_are_to_be_confirmed(editor: Editor, tmp_path: Path) -> None:
    needs.typescript()
    asked = await begin(editor, tmp_path, "cart.js", "add(", CONFIRMING)
    edit = (await editor.ask("textDocument/rename", **asked, newName="put"))["result"]
    assert (after(edit, tmp_path), after(edit, tmp_path, taken=True)) == (SURE, WHOLE)
    (annotation,) = edit["changeAnnotations"].values()
    assert (annotation["needsConfirmation"], annotation["description"]) == (True, "its receiver has no type")
    (message,) = editor.messages()
    assert "1 place may be the same name (main.js:4)" in message


ANSWERS = {"Rename them, too": WHOLE, "Leave them": SURE, "Cancel": None, None: None}


@pytest.mark.parametrize("picked", ANSWERS)
def test_a_client_that_cannot_confirm_is_asked(picked: str | None, tmp_path: Path) -> None:
    needs.typescript()

    async def talk(editor: Editor) -> None:
        editor.replies["window/showMessageRequest"] = picked and {"title": picked}
        asked = await begin(editor, tmp_path, "cart.js", "add(")
        edit = (await editor.ask("textDocument/rename", **asked, newName="put"))["result"]
        assert (edit and after(edit, tmp_path)) == ANSWERS[picked]
        (question,) = editor.params_of("window/showMessageRequest")
        assert [action["title"] for action in question["actions"]] == list(ANSWERS)[:3]

    on(talk)


@pytest.mark.parametrize("picked", ANSWERS)
def test_the_command_asks_about_a_rename_once(picked: str | None, tmp_path: Path) -> None:
    needs.typescript()

    async def talk(editor: Editor) -> None:
        editor.replies |= {"window/showMessageRequest": picked and {"title": picked}}
        editor.replies |= {"workspace/applyEdit": {"applied": True}}
        capabilities = {"workspace": {"applyEdit": True, **PLAIN["workspace"]}}
        asked = await begin(editor, tmp_path, "cart.js", "add(", capabilities)
        argument = {"uri": asked["textDocument"]["uri"], "rename": "add=put"}
        command = {"command": "inscope.rewrite", "arguments": [argument]}
        result = (await editor.ask("workspace/executeCommand", **command))["result"]
        assert result["applied"] == (ANSWERS[picked] is not None)
        assert len(editor.params_of("window/showMessageRequest")) == 1

    on(talk)


FAILURES = {
    "taken": ("run.py", "measure(1)", "print", REQUEST_FAILED, "name_taken"),
    "no name": ("tools.py", "\n\n\ndef", "gauge", REQUEST_FAILED, "no_such_name"),
    "a library's": ("run.py", "len(", "size", REQUEST_FAILED, "no_such_name"),
    "not a name": ("run.py", "measure(1)", "1a", Code.INVALID_PARAMS, "malformed_request"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_rename_that_cannot_be_fails_with_its_reason(case: str, tmp_path: Path) -> None:
    name, mark, new, code, failed = FAILURES[case]

    async def talk(editor: Editor) -> None:
        asked = await begin(editor, tmp_path, name, mark)
        error = (await editor.ask("textDocument/rename", **asked, newName=new))["error"]
        assert (error["code"], error["data"]["code"]) == (code, failed), error

    on(talk)


@conversation
async def test_where_nobody_can_be_asked_it_fails(editor: Editor, tmp_path: Path) -> None:
    needs.typescript()
    editor.replies["window/showMessageRequest"] = JsonRpcException("no such method", Code.METHOD_NOT_FOUND)
    asked = await begin(editor, tmp_path, "cart.js", "add(")
    error = (await editor.ask("textDocument/rename", **asked, newName="put"))["error"]
    assert (error["code"], error["data"]["code"]) == (REQUEST_FAILED, "unsure")
    assert "main.js:4" in error["message"]


CHANGED: dict[str, tuple[str, int | None]] = {
    "another line": (FILES["tools.py"] + "\n\nlimit = 3\n", None),
    "the line of the name": (FILES["tools.py"].replace("(x):", "(x, y):"), CONTENT_MODIFIED),
}


@pytest.mark.parametrize("case", CHANGED)
def test_what_was_typed_meanwhile_stays_or_ends_the_rename(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, code = CHANGED[case]

    async def talk(editor: Editor) -> None:
        asked = await begin(editor, tmp_path, "tools.py", "measure(x)")
        run = Renamer.run

        def typing(renamer: Renamer, request: RenameRequest) -> RewriteResult:
            done = run(renamer, request)
            editor.server.from_thread(editor.replace, "^" + text, 2, asked["textDocument"]["uri"])
            return done

        monkeypatch.setattr(Renamer, "run", typing)
        answer = await editor.ask("textDocument/rename", **asked, newName="gauge")
        if code is not None:
            assert (answer["error"]["code"], answer["error"]["data"]["code"]) == (code, "stale")
            return
        (own,) = (one for one in answer["result"]["documentChanges"] if one["textDocument"]["version"] == 2)
        assert sorted(edit["range"]["start"]["line"] for edit in own["edits"]) == [0, 3]

    on(talk)


LOST: dict[str, tuple[str, str, Json]] = {
    "the document is closed": ("tools.py", "textDocument/didClose", {}),
    "another document is closed": ("run.py", "textDocument/didClose", {}),
    "another document gets out of step": (
        "run.py",
        "textDocument/didChange",
        {
            "contentChanges": [
                {"range": {"start": position("\n" * 90 + "^"), "end": position("\n" * 91 + "^")}, "text": ""}
            ]
        },
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_what_is_closed_or_out_of_step_meanwhile_ends_the_rename(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other document differs from its file, for which edits without a version would be."""
    name, method, params = LOST[case]

    async def talk(editor: Editor) -> None:
        asked = await begin(editor, tmp_path, "tools.py", "measure(x)")
        editor.open("\n^" + FILES["run.py"], (tmp_path / "run.py").as_uri(), "python")
        run = Renamer.run

        def losing(renamer: Renamer, request: RenameRequest) -> RewriteResult:
            done = run(renamer, request)
            lost: Json = {"textDocument": {"uri": (tmp_path / name).as_uri(), "version": 2}, **params}
            editor.server.from_thread(lambda: editor.notify(method, **lost))
            return done

        monkeypatch.setattr(Renamer, "run", losing)
        answer = await editor.ask("textDocument/rename", **asked, newName="gauge")
        assert (answer["error"]["code"], answer["error"]["data"]["code"]) == (CONTENT_MODIFIED, "stale")

    on(talk)


@conversation
async def test_what_is_closed_before_a_rename_has_its_turn_ends_it(editor: Editor, tmp_path: Path) -> None:
    asked = await begin(editor, tmp_path, "tools.py", "measure(x)")
    running = editor.send("textDocument/rename", **asked, newName="gauge")
    editor.notify("textDocument/didClose", textDocument=asked["textDocument"])
    answer = await editor.answer(running)
    assert (answer["error"]["code"], answer["error"]["data"]["code"]) == (CONTENT_MODIFIED, "stale")


@conversation
async def test_the_real_server_says_that_it_renames(editor: Editor, tmp_path: Path) -> None:
    del tmp_path
    capabilities = (await editor.start(PLAIN))["capabilities"]
    assert capabilities["renameProvider"] == {"prepareProvider": True}


def test_a_rename_by_the_real_process(tmp_path: Path, servers: Forked) -> None:
    root = lay_out(tmp_path / "files", FILES)
    uri = (root / "run.py").as_uri()
    marked = FILES["run.py"].replace("measure", "^measure")
    with Process(tmp_path / "log", forked=servers) as server:
        folders = [{"uri": root.as_uri(), "name": "files"}]
        capabilities = {**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], "workspaceEdit": EDITS}}
        began = server.ask(
            "initialize", processId=None, rootUri=None, capabilities=capabilities, workspaceFolders=folders
        )
        assert began["capabilities"]["renameProvider"] is True, "the client says nothing of prepareRename"
        server.notify("initialized")
        item = {"uri": uri, "languageId": "python", "version": 1, "text": FILES["run.py"]}
        server.notify("textDocument/didOpen", textDocument=item)
        edit = server.ask("textDocument/rename", textDocument={"uri": uri}, position=position(marked), newName="gauge")
        assert after(edit, root) == {name: FILES[name].replace("measure", "gauge") for name in ("tools.py", "run.py")}
        server.ask("shutdown")
        server.notify("exit")


def test_a_name_of_two_cells_is_renamed_in_both(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        await editor.start(PLAIN, roots=[tmp_path])
        uris = [f"vscode-notebook-cell:{tmp_path}/book.ipynb#{number}" for number in range(2)]
        texts = ["%time\ntotal = 1\n", "print(total)\n"]
        notebook = {"uri": (tmp_path / "book.ipynb").as_uri(), "notebookType": "jupyter-notebook", "version": 1,
                    "cells": [{"kind": 2, "document": uri} for uri in uris]}  # fmt: skip
        cells = [
            {"uri": uri, "languageId": "python", "version": 1, "text": text}
            for uri, text in zip(uris, texts, strict=True)
        ]
        editor.notify("notebookDocument/didOpen", notebookDocument=notebook, cellTextDocuments=cells)
        asked = {"textDocument": {"uri": uris[1]}, "position": position("print(^total)")}
        edit = (await editor.ask("textDocument/rename", **asked, newName="amount"))["result"]
        found = {change["textDocument"]["uri"]: change["edits"] for change in edit["documentChanges"]}
        lines = {uri: [one["range"]["start"] for one in edits] for uri, edits in found.items()}
        assert lines == {uris[0]: [{"line": 1, "character": 0}], uris[1]: [{"line": 0, "character": 6}]}

    on(talk)
