"""`inscope/verify`: real checkers, asked through the server; the answers are those of a batch, counted as LSP does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from context_index import Workspace, parse
from lsp_server.engine.verification import Candidate, Verifier
from lsp_server.engine.wire.verifications import answer_about, answered
from tests import needs
from tests.files import lay_out
from tests.lsp_server.fakes import URI, conversation

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lsp_server.fakes import Editor

Json = Any
CATALOGUE = "export class Catalogue { add(x: string): void {} }\n"
STATIONS = "def read_stations(path: str) -> list[str]: ...\n"
TSCONFIG = '{"compilerOptions": {"strict": true, "module": "nodenext", "types": []}, "include": ["*.ts"]}'
NOTHING: Json = {"verified": "none", "rejections": [], "unverified": [], "additionalEdits": [], "elsewhere": [],
           "reason": None}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    needs.typescript()
    files = {"catalogue.ts": CATALOGUE, "stations.py": STATIONS, "tsconfig.json": TSCONFIG}
    return lay_out(tmp_path, {**files, "package.json": '{"type": "module"}'})


def span(line: int, start: int, end: int) -> Json:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


async def ask(editor: Editor, uri: str, where: Json, insert: str) -> Json:
    answer = (await editor.ask("inscope/verify", textDocument={"uri": uri}, range=where, insert=insert))["result"]
    assert answer.pop("latencyMs") >= 0
    return answer


@pytest.mark.slow
@conversation
async def test_an_error_stands_in_the_clients_units(editor: Editor, root: Path) -> None:
    await editor.start(roots=[root])
    uri = (root / "a.ts").as_uri()
    editor.open("const s = '😀'; const n: number = 0;\n^", uri, "typescript")
    result = await ask(editor, uri, span(0, 34, 35), '"a"')
    where = {"uri": uri, "range": span(0, 22, 23)}
    message = "Type 'string' is not assignable to type 'number'."
    assert result == NOTHING | {"rejections": [{"code": "2322", "message": message, "inside": False, **where}]}
    assert await ask(editor, uri, span(0, 34, 35), "1") == NOTHING | {"verified": "types"}
    assert (await ask(editor, uri, span(0, 34, 35), "zork"))["rejections"][0]["range"] == span(0, 34, 38)


@pytest.mark.slow
@conversation
async def test_a_name_brings_its_import(editor: Editor, root: Path) -> None:
    await editor.start(roots=[root])
    uri = (root / "a.ts").as_uri()
    editor.open("const c = new Catal;\n^", uri, "typescript")
    result = await ask(editor, uri, span(0, 19, 19), "ogue()")
    (edit,) = result.pop("additionalEdits")
    assert edit == {"uri": uri, "range": span(0, 0, 0), "newText": edit["newText"]}
    assert edit["newText"].strip() == 'import { Catalogue } from "./catalogue.js";'
    assert result["verified"] == "types"


@pytest.mark.slow
@pytest.mark.parametrize("insert", ["read_stations('a')", "zork", "[1].zork", "open('a').read()", "("])
@conversation
async def test_the_answer_is_that_of_a_batch(editor: Editor, insert: str, root: Path) -> None:
    await editor.start(roots=[root])
    uri = (root / "a.py").as_uri()
    editor.open("x = 0\ny = x\n^", uri, "python")
    result = await ask(editor, uri, span(1, 4, 5), insert)
    editor.server.session.flush_dirty()
    document = editor.server.session.current(uri)
    assert document is not None
    workspace = Workspace([root])
    line = answered(None, answer_about(Verifier(workspace), parse(document), Candidate(10, insert, 1)))
    workspace.close()
    for mine, theirs in {"additionalEdits": "additional_edits"}.items():
        assert len(result[mine]) == len(line[theirs])  # type: ignore[arg-type]  # a list
    for name in ("verified", "unverified", "reason"):
        assert result[name] == line[name]
    assert [as_in_a_batch(one) for one in result["rejections"]] == line["rejections"]


def as_in_a_batch(found: Json) -> Json:
    start, end = found["range"]["start"], found["range"]["end"]
    places = {"line": start["line"] + 1, "column": start["character"] + 1, "end_line": end["line"] + 1,
              "end_column": end["character"] + 1}  # fmt: skip
    return {name: found[name] for name in ("code", "message", "inside")} | places


@pytest.mark.slow
@conversation
async def test_what_another_open_buffer_holds_counts(editor: Editor, root: Path) -> None:
    await editor.start(roots=[root])
    uri, other = (root / "a.py").as_uri(), (root / "stations.py").as_uri()
    editor.open("from stations import read_stations\nx = 0\n^", uri, "python")
    where = span(1, 4, 5)
    assert (await ask(editor, uri, where, "read_stations('a')"))["verified"] == "types"
    editor.open("def read_stations(path: int) -> str: ...\n^", other, "python")
    result = await ask(editor, uri, where, "read_stations('a')")
    assert [one["code"] for one in result["rejections"]] == ["invalid-argument-type"]


@pytest.mark.slow
@conversation
async def test_cells_of_a_notebook_are_judged_as_one_program(editor: Editor, root: Path) -> None:
    await editor.start({"notebookDocument": {"synchronization": {}}}, roots=[root])
    texts = ["%matplotlib inline\ndef mean(x: list[int]) -> float: ...\n", "a = 1\nb = 0", "c = b.zork\n"]
    cells: list[Json] = [
        {"uri": f"vscode-notebook-cell:{root}/n.ipynb#{n}", "languageId": "python", "version": 1, "text": text}
        for n, text in enumerate(texts)
    ]
    notebook = {"uri": (root / "n.ipynb").as_uri(), "notebookType": "jupyter-notebook", "version": 1,
                "cells": [{"kind": 2, "document": cell["uri"]} for cell in cells]}  # fmt: skip
    editor.notify("notebookDocument/didOpen", notebookDocument=notebook, cellTextDocuments=cells)
    uris, where = [cell["uri"] for cell in cells], span(1, 4, 5)
    result = await ask(editor, uris[1], where, "mean([1])")
    assert result["verified"] == "types"
    assert [(one["uri"], one["range"]) for one in result["elsewhere"]] == [(uris[2], span(0, 4, 10))]
    result = await ask(editor, uris[1], where, "mean('a')")
    assert [(one["code"], one["uri"], one["range"]) for one in result["rejections"]] == [
        ("invalid-argument-type", uris[1], span(1, 9, 12))
    ]
    result = await ask(editor, uris[0], span(1, 17, 20), "str")
    assert result["verified"] == "types"
    result = await ask(editor, uris[1], where, "read_stations('a')")
    assert result["verified"] == "types"
    assert [(one["uri"], one["newText"].strip()) for one in result["additionalEdits"]] == [
        (uris[0], "from stations import read_stations")
    ]


BROKEN_CELLS = {
    "a bracket": ["print(radius", "area = 2", "print(^)"],
    "a string": ['text = """radius', "area = 2", "print(^)"],
    "a header": ["def volume(radius):", "area = 2", "print(^)"],
    "no colon": ["for one in rows", "area = 2", "print(^)"],
    "what nothing ends": ["rows =", "area = 2", "print(^)"],
    "after it": ["area = 2", "print(radius", "print(^)", "if area"],
    "a magic in a block": ["if True:\n    !ls", "area = 2\nfiles = !ls", "print(^)"],
    "another language": ["%%bash\necho (\n", "area = 2", "print(^)"],
    "an empty one": ["", "print(radius", "area = 2", "", "print(^)"],
}


@pytest.mark.slow
@pytest.mark.parametrize("texts", BROKEN_CELLS.values(), ids=BROKEN_CELLS)
@conversation
async def test_a_broken_cell_hides_no_other(editor: Editor, root: Path, texts: list[str]) -> None:
    await editor.start({"notebookDocument": {"synchronization": {}}}, roots=[root])
    cells: list[Json] = [
        {"uri": f"vscode-notebook-cell:{root}/n.ipynb#{n}", "languageId": "python", "version": 1,
         "text": text.replace("^", "")}
        for n, text in enumerate(texts)
    ]  # fmt: skip
    cells.append({"uri": f"vscode-notebook-cell:{root}/n.ipynb#m", "languageId": "markdown", "version": 1, "text": "("})
    notebook = {"uri": (root / "n.ipynb").as_uri(), "notebookType": "jupyter-notebook", "version": 1,
                "cells": [{"kind": 2, "document": cell["uri"]} for cell in cells]}  # fmt: skip
    editor.notify("notebookDocument/didOpen", notebookDocument=notebook, cellTextDocuments=cells)
    own = next(cell["uri"] for cell, text in zip(cells, texts, strict=False) if "^" in text)
    result = await ask(editor, own, span(0, 6, 6), "area")
    assert (result["verified"], result["elsewhere"]) == ("types", [])
    result = await ask(editor, own, span(0, 6, 6), "zork")
    assert [(one["code"], one["uri"], one["range"]) for one in result["rejections"]] == [
        ("unresolved-reference", own, span(0, 6, 10))
    ]


@conversation
async def test_a_question_that_is_none_is_answered_with_its_fault(editor: Editor) -> None:
    await editor.start()
    editor.open("let a = 1;\n^")
    document, back = {"uri": URI}, {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 2}}
    faults = [
        ({"textDocument": document, "range": span(0, 0, 0)}, "inscope/verify: 'insert' is missing"),
        ({"range": span(0, 0, 0), "insert": ""}, "inscope/verify: 'textDocument' is missing"),
        (
            {"textDocument": document, "range": span(0, 0, 0), "insert": 3},
            "inscope/verify: 'insert' must be a text",
        ),
        ({"textDocument": document, "range": back, "insert": ""}, "the range ends before it begins"),
        ({"textDocument": document, "range": span(9, 0, 0), "insert": ""}, "has no line 10"),
        ({"textDocument": {"uri": "file:///no.js"}, "range": span(0, 0, 0), "insert": ""}, "is not open"),
    ]
    for params, said in faults:
        error = (await editor.ask("inscope/verify", **params))["error"]
        assert error["code"] == -32602
        assert said in error["message"]


@pytest.mark.usefixtures("nothing_installed")
@conversation
async def test_without_a_checker_or_a_language_of_ours_it_is_said(editor: Editor) -> None:
    await editor.start()
    editor.open("let a = 1;\n^")
    result = await ask(editor, URI, span(0, 8, 9), "2")
    why = "TypeScript is not installed. Run 'inscope setup' to install it."
    assert result == NOTHING | {"verified": "syntax", "reason": why}
    editor.open("a^", "file:///shop/a.txt", "plaintext")
    result = await ask(editor, "file:///shop/a.txt", span(0, 0, 0), "2")
    assert result["verified"] == "none"
    assert "Inscope completes JavaScript, TypeScript" in result["reason"]
