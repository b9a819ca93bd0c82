"""A rename changes each file once, whatever folders are open and however a client writes its URI."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from context_index import Workspace, parse, path_of
from lsp_server.engine.rewriting.rename import Renamer
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.result import RewriteFailure
from tests import needs
from tests.files import lay_out, read_document

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "a/index.ts": 'import { size } from "../b/main";\nsize();\n',
    "b/index.ts": 'import { size } from "./main";\nsize();\n',
    "b/main.ts": "export function size() {}\n",
}


def test_files_of_one_name_in_two_roots_are_both_renamed(tmp_path: Path) -> None:
    needs.typescript()
    lay_out(tmp_path, FILES)
    workspace = Workspace([tmp_path / "a", tmp_path / "b"])
    workspace.index()
    try:
        syntax = parse(read_document(tmp_path / "b" / "main.ts"))
        done = Renamer(workspace).run(RenameRequest(syntax, "size", "width"))
    finally:
        workspace.close()
    assert (done.failure, done.notes) == (None, ())
    renamed = {name: text.replace("size", "width") for name, text in FILES.items()}
    assert done.text == renamed.pop("b/main.ts")
    assert {path: after for path, (_, after) in done.rename.changes.items()} == renamed
    assert [path_of(before.uri) for before, _ in done.rename.changes.values()] == [
        tmp_path / path for path in done.rename.changes
    ]


@pytest.mark.parametrize(("old", "notes"), [
    ("size", ("The word `size` stays in strings and comments: a.py:1, a.py:7, b.py:3.",)),
    ("rows", ("The word `rows` stays in strings and comments: a.py:5.",)),
])  # fmt: skip
def test_words_of_strings_and_comments_are_said_to_stay(tmp_path: Path, old: str, notes: tuple[str, ...]) -> None:
    needs.checker("py")
    body = '    """The rows."""\n    x = rows\n    return f"{x} is size"\n'
    text = f'"""The size of rows."""\n\n\ndef size(rows: int) -> str:\n{body}'
    lay_out(tmp_path, {"a.py": text, "b.py": "from a import size\n\nsize(1)  # about size\n"})
    workspace = Workspace([tmp_path])
    workspace.index()
    try:
        done = Renamer(workspace).run(RenameRequest(parse(read_document(tmp_path / "a.py")), old, "wide"))
    finally:
        workspace.close()
    assert (done.failure, done.notes) == (None, notes)


def test_a_private_name_in_comments_is_said_to_stay(tmp_path: Path) -> None:
    needs.checker("js")
    text = "// The `#size` is 1.\nexport class Box {\n  #size = 1; // a size\n  get() { return this.#size; }\n}\n"
    lay_out(tmp_path, {"a.js": text})
    workspace = Workspace([tmp_path])
    workspace.index()
    try:
        done = Renamer(workspace).run(RenameRequest(parse(read_document(tmp_path / "a.js")), "#size", "#width"))
    finally:
        workspace.close()
    assert (done.failure, done.notes) == (None, ("The word `#size` stays in strings and comments: a.js:1.",))


NOTES = {
    "types in comments of JavaScript": (
        "js",
        "Cart",
        "/** A Cart. */\nclass Cart {\n  /** @returns {Cart} */\n  copy() {}\n}\n/** @type {Cart} */\nnew Cart();\n",
        ["The word `Cart` stays in strings and comments: main.js:1."],
    ),
    "a member that the checker does not know": (
        "js",
        "pour",
        "function Jar() {}\nJar.prototype.pour = function pour() { return pour; };\nnew Jar().pour();\n",
        ["`pour` stays in main.js:2, main.js:3: the checker does not know what it is there."],
    ),
    "a member of what is not installed": (
        "py",
        "pour",
        "import jars\n\n\ndef run(pour):\n    return jars.pour(pour)\n",
        ["`pour` stays in main.py:5: the checker does not know what it is there."],
    ),
    "a member that is another one": (
        "py",
        "pour",
        "class Jar:\n    pour = 1\n\n\ndef run(pour):\n    return Jar.pour, pour\n",
        ["`pour` stays in main.py:2, main.py:6: another name, as the checker reads it."],
    ),
}


@pytest.mark.parametrize("kind", NOTES)
def test_a_note_says_what_the_checker_says_of_a_place(tmp_path: Path, kind: str) -> None:
    language, name, text, notes = NOTES[kind]
    needs.checker(language)
    path = lay_out(tmp_path, {f"main.{language}": text}) / f"main.{language}"
    workspace = Workspace([tmp_path])
    workspace.index()
    place = text.rindex(f"{name})") if f"{name})" in text else None
    try:
        done = Renamer(workspace).run(RenameRequest(parse(read_document(path)), name, "fresh", place=place))
    finally:
        workspace.close()
    assert (done.failure, list(done.notes)) == (None, notes)


DECLARED = {"ts": "export function size() {}\nsize();\n", "py": "def size(): ...\n\nsize()\n"}


@pytest.mark.parametrize("folder", ["(shop)", "[id]", "a@b+c", "é ~"])
@pytest.mark.parametrize("language", DECLARED)
def test_a_file_is_renamed_in_however_its_client_writes_its_uri(tmp_path: Path, language: str, folder: str) -> None:
    needs.checker(language)
    name, text = f"{folder}/main.{language}", DECLARED[language]
    lay_out(tmp_path, {name: text})
    workspace = Workspace([tmp_path])
    workspace.index()
    try:
        for safe in ("/", "/()!*'~", "/()[]@+~"):
            uri = f"file://{quote(str(tmp_path / name), safe=safe)}"
            syntax = parse(replace(read_document(tmp_path / name), uri=uri))
            done = Renamer(workspace).run(RenameRequest(syntax, "size", "width"))
            assert (done.failure, done.text, dict(done.rename.changes)) == (None, text.replace("size", "width"), {})
    finally:
        workspace.close()


TAKEN = {
    "py": "total = 1\namount = 2\nprint(total, amount)\n",
    "js": "total = 1;\nvar total;\nvar amount = 2;\nconsole.log(total, amount);\n",
}


@pytest.mark.parametrize("language", TAKEN)
def test_a_name_that_the_file_begins_with_means_something_already(tmp_path: Path, language: str) -> None:
    needs.checker(language)
    lay_out(tmp_path, {f"main.{language}": TAKEN[language]})
    workspace = Workspace([tmp_path])
    try:
        syntax = parse(read_document(tmp_path / f"main.{language}"))
        done = Renamer(workspace).run(RenameRequest(syntax, "amount", "total"))
        assert done.failure is RewriteFailure.NAME_TAKEN
        assert "`total` already means something else in" in done.reason
    finally:
        workspace.close()


OLD_ERRORS = {
    "py": "def first(x: int) -> object:\n    return nope(x) + x.foo\n",
    "ts": "export function first(x: number) { return nope(x) + x.foo; }\n",
}


@pytest.mark.parametrize("language", OLD_ERRORS)
def test_errors_that_were_there_are_not_reported_as_new(tmp_path: Path, language: str) -> None:
    needs.checker(language)
    lay_out(tmp_path, {f"main.{language}": OLD_ERRORS[language]})
    workspace = Workspace([tmp_path])
    try:
        syntax = parse(read_document(tmp_path / f"main.{language}"))
        done = Renamer(workspace).run(RenameRequest(syntax, "x", "whole"))
        assert (done.failure, done.breaks) == (None, ())
    finally:
        workspace.close()


@pytest.mark.parametrize("language", ["py", "ts"])
def test_a_file_that_is_not_read_and_has_the_name_is_a_doubt(tmp_path: Path, language: str) -> None:
    needs.checker(language)
    lay_out(tmp_path, {f"main.{language}": DECLARED[language]})
    other = tmp_path / f"other.{language}"
    other.write_bytes("size() # café".encode("latin-1"))
    (tmp_path / f"third.{language}").write_bytes("sizes() # café".encode("latin-1"))
    workspace = Workspace([tmp_path])
    workspace.index()
    try:
        request = RenameRequest(parse(read_document(tmp_path / f"main.{language}")), "size", "width")
        danger = f"the name is in files that were not searched: other.{language} (not_utf8)"
        assert Renamer(workspace).run(request).doubts == (danger,)
        other.write_text("", "utf-8")
        workspace.refresh([other])
        assert Renamer(workspace).run(request).doubts == ()
    finally:
        workspace.close()


MEANINGS = {
    "py": (
        "def size(x):\n    return x\n\n\nclass Box:\n    size = 3\n\n\nprint(size(1), Box().size)\n",
        "a name of the module at 1:5, 9:7; a member at 6:5, 9:22",
    ),
    "ts": ("function size(x: 1): 1;\nfunction size(x: 2): 2;\nfunction size(x: any): any {}\nsize(1);\n", ""),
    "js": (
        "const size = 1;\nconst box = { size };\nconsole.log(box.size, size);\n",
        "a local name at 1:7, 3:23; a member at 3:17",
    ),
}


@pytest.mark.parametrize("language", MEANINGS)
def test_each_meaning_is_listed_by_its_own_places(tmp_path: Path, language: str) -> None:
    needs.checker(language)
    text, places = MEANINGS[language]
    lay_out(tmp_path, {f"main.{language}": text, f"other.{language}": text})
    workspace = Workspace([tmp_path])
    workspace.index()
    try:
        syntax = parse(read_document(tmp_path / f"main.{language}"))
        done = Renamer(workspace).run(RenameRequest(syntax, "size", "width"))
        assert done.failure is (RewriteFailure.AMBIGUOUS if places else None)
        assert not places or f"`size` means 2 things here: {places}. Say which" in done.reason
    finally:
        workspace.close()
