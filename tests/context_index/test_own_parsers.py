"""What the languages' own parsers say of whole files: errors that no tree has."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from context_index import Document, Language, ModuleKind, ParserAbsentError, SyntaxFault, Workspace, new_fault, parse
from tests import needs

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

MODULE, SCRIPT, PACKAGED = "export const q = 1;\n", "const q = require('q');\n", "const q = 1;\n"
"""The first line of a file: one that makes it a module, one that makes it none, and one that does not say."""

# first line | rest as it was | rest as it would be | kind of the package (- for none) => line of the fault, or ok
JAVASCRIPT = r"""
M | export function sleep(ms, signal) {} | export function sleep(await, signal) {} | - => 2
M | export const f = (ms) => ms; | export const f = (await) => 1; | - => 2
P | function sleep(ms) {} | function sleep(await) {} | module => 2
P | function sleep(ms) {} | function sleep(await) {} | commonjs => ok
S | function sleep(ms) {} | function sleep(await) {} | - => ok
P | function sleep(ms) {} | function sleep(await) {} | - => ok
P | async function sleep(ms) {} | async function sleep(await) {} | - => 2
M | function f(a) {} | function f(yield) {} | - => 2
S | function f(a) {} | function f(yield) {} | commonjs => ok
S | function f(a) {} | function f(a) { 'use strict'; var yield; } | commonjs => 2
M | function f(a) {} | function f(eval) {} | - => 2
M | function f(a, b) {} | function f(a, a) {} | - => 2
S | function f(a, b) {} | function f(a, a) {} | commonjs => ok
S | function f(a, b) {} | function f(a, a = 1) {} | commonjs => 2
S | const f = (a, b) => 1; | const f = (a, a) => 1; | commonjs => 2
M | while (q) { } | while (q) function f() {} | - => 2
S | while (q) { } | while (q) function f() {} | commonjs => 2
M | export { q as r }; | export { zork }; | - => 2
M | function f(o) { return o; } | function f(o) { with (o) { return 1; } } | - => 2
S | function f(o) { return o; } | function f(o) { with (o) { return 1; } } | commonjs => ok
S | const r = 1; | return 1; | commonjs => ok
M | const r = 1; | return 1; | - => 2
S | const r = 1; | import r from 'r'; | commonjs => 2
S | const r = 1; | const r = import.meta.url; | commonjs => 2
M | const r = 1; | const r = import.meta.url; | - => ok
M | const r = 1; | const r = 010; | - => 2
M | class A { #x = 1; } | class A { #x = 1; #x = 2; } | - => 2
M | class A { f() { return 1; } } | class A { f() { return this.#x; } } | - => 2
M | for (const a of []) { break; } | for (const a of []) { break out; } | - => 2
M | const r = /a/; | const r = /a(/; | - => 2
M | const r = 1; | const r = await q; | - => ok
S | const r = 1; | const r = await q; | commonjs => 2
M | function f(a = 1) { return a; } | function f(a = 1) { 'use strict'; return a; } | - => 2
M | let r = 1; | let r = 1;\n\n\nlet r = 2; | - => 5
M | let r = 1 +; | let r = 1 +; let await; | - => ok
M | const e = <p>1</p>; | const e = <p>2</p>; let await; | - => ok
M | const r = 1; | const r = '\u{1F600}é'; | - => ok
"""
# as it was | as it would be => line of the fault, or ok
PYTHON = r"""
def f(a, b): ... | def f(a, a): ... => 1
def f(a): ... | def f(a):\n    nonlocal b => 2
x = 1 | nonlocal x => 1
x = 1 | x = 1\nreturn x => 2
x = 1 | yield x => 1
x = 1 | await x => 1
for x in []: break | x = 1\nbreak => 2
for x in []: continue | x = 1\ncontinue => 2
def f(a): ... | def f(a):\n    x = 1\n    global x => 3
def f(a): ... | def f(a):\n    global a => 2
def f(a): ... | def f(None): ... => 1
def f(a): ... | def f(lambda): ... => 1
f(a=1) | f(a=1, a=2) => 1
f(a=1) | f(a=1, 2) => 1
f() | f() = 1 => 1
x = 1 | None = 1 => 1
x = [y for y in z] | x = [y := 0 for y in z] => 1
def f(): ... | def f():\n    from os import * => 2
def f(): ... | async def f():\n    yield from x => 2
def f(): ... | async def f():\n    yield 1\n    return 2 => 3
x: int = 1 | (x, y): int = 1 => 1
x = 1 | from __future__ import annotations\nx = 1 => ok
import os | import os\nfrom __future__ import annotations => 2
x = f"{y}" | x = f"{y" => 1
x = 1 | x = "\N{no such name}" => 1
x = 1 | x = 0777 => 1
x = 1 | x = "\d" => ok
x = 1 | x = 1 is 1 => ok
x = ( | x = ( y = 2 => ok
x = 1 | # -*- coding: latin-1 -*-\nx = 'é' => ok
x = 1 | x = 1\x002 => 1
match x:\n    case 1: ... | match x:\n    case y: ...\n    case 1: ... => 2
"""


def cases(table: str) -> list[str]:
    return [line for line in table.strip("\n").split("\n") if line]


def spelled(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\x00", "\0")


def found(before: Document, after: Document, kind: ModuleKind | None, root: Path) -> SyntaxFault | None:
    return new_fault(parse(before), parse(after), kind, [root])


@pytest.mark.parametrize("case", cases(JAVASCRIPT))
def test_what_a_script_or_a_module_forbids(tmp_path: Path, case: str) -> None:
    needs.program("node")
    asked, _, expected = case.rpartition(" => ")
    head, before, after, kind = (part.strip() for part in asked.split(" | "))
    first = {"M": MODULE, "S": SCRIPT, "P": PACKAGED}[head]
    (tmp_path / "package.json").write_text(json.dumps({"name": "a"} | ({} if kind == "-" else {"type": kind})))
    path = tmp_path / "a.js"
    one, other = (Document(path.as_uri(), Language.JAVASCRIPT, f"{first}{spelled(text)}\n") for text in (before, after))
    workspace = Workspace([tmp_path])
    try:
        fault = found(one, other, workspace.module_kind(other), tmp_path)
    finally:
        workspace.close()
    assert ("ok" if fault is None else str(fault.line + 1)) == expected
    assert fault is None or (fault.message and fault.parser == "Node.js")


@pytest.mark.parametrize("case", cases(PYTHON))
def test_what_python_forbids(tmp_path: Path, case: str) -> None:
    asked, _, expected = case.rpartition(" => ")
    before, after = asked.split(" | ")
    uri = (tmp_path / "a.py").as_uri()
    one, other = (Document(uri, Language.PYTHON, f"{spelled(text)}\n") for text in (before, after))
    fault = found(one, other, None, tmp_path)
    assert ("ok" if fault is None else str(fault.line + 1)) == expected
    assert fault is None or (fault.message and fault.parser == "Python")


@pytest.mark.parametrize(("name", "is_allowed"), [("a.ipynb", True), ("a.py", False)])
def test_a_notebook_may_await_outside_of_functions(tmp_path: Path, name: str, is_allowed: bool) -> None:
    uri = (tmp_path / name).as_uri()
    one, other = (Document(uri, Language.PYTHON, text) for text in ("x = 1\n", "x = await f()\n"))
    assert (found(one, other, None, tmp_path) is None) == is_allowed


def test_a_text_on_which_the_compiler_breaks_ends_no_process_of_ours(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    one, other = (Document(uri, Language.PYTHON, text) for text in ("x = 1\n", "x = " + "-" * 200_000 + "1\n"))
    with suppress(ParserAbsentError):
        assert found(one, other, None, tmp_path) is not None


def test_typescript_is_judged_by_its_own_checker(tmp_path: Path) -> None:
    uri = (tmp_path / "a.ts").as_uri()
    one, other = (Document(uri, Language.TYPESCRIPT, text) for text in ("let a: number;\n", "let await: number = ;\n"))
    assert found(one, other, None, tmp_path) is None


def test_without_node_nothing_is_said_of_javascript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    uri = (tmp_path / "a.js").as_uri()
    one, other = (Document(uri, Language.JAVASCRIPT, text) for text in ("let a;\n", "let b;\n"))
    with pytest.raises(ParserAbsentError, match=r"Node\.js is not installed"):
        found(one, other, None, tmp_path)
