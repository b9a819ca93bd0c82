"""Regions: every byte in one of them, none over the budget, cut between declarations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Language, RegionError, Workspace, parse, regions, undefined_names, whole_lines

CODE = """\
import os

# about f
def f(a):
    if a:
        return 1
    return 2

class C:
    def m(self):
        return f(1)

    def n(self):
        return f(2)
"""


def cut(text: str, budget: int, language: Language = Language.PYTHON) -> list[str]:
    syntax = parse(Document("file:///a", language, text))
    return [text[start:end] for start, end in regions(syntax, 0, len(text), len, budget)]


@given(st.lists(st.sampled_from(CODE.splitlines(keepends=True)), max_size=20).map("".join), st.integers(30, 200))
def test_regions_are_the_text(text: str, budget: int) -> None:
    parts = cut(text, budget)
    assert "".join(parts) == text
    assert all(0 < len(part) <= budget for part in parts if text)


def test_cuts_are_between_declarations_and_comments_stay_with_theirs() -> None:
    parts = cut(CODE, 110)
    assert [part.splitlines()[0] for part in parts] == ["import os", "class C:"]
    assert [part.splitlines()[0] for part in cut(CODE, 80)] == ["import os", "class C:", "    def n(self):"]
    assert [part.splitlines()[0] for part in cut(CODE, 70)][:2] == ["import os", "# about f"]


def test_a_line_that_is_too_long_is_told() -> None:
    with pytest.raises(RegionError, match="line 2 alone"):
        cut("a = 1\nb = '" + "x" * 90 + "'\n", 50)


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(0, 1, "ab\n"), (1, 4, "ab\ncd\n"), (3, 6, "cd\n"), (6, 8, "ef")]
)
def test_whole_lines(start: int, end: int, expected: str) -> None:
    first, last = whole_lines("ab\ncd\nef", start, end)
    assert "ab\ncd\nef"[first:last] == expected


UNDEFINED = {
    "def f(a, *b, c=1, **d):\n    return a, b, c, d\n": "",
    "def f(a):\n    return b\n": "b",
    "def f(a=x): return a\n": "x",
    "import os.path as p\nfrom m import q as r\nprint(p, r, q)\n": "q",
    "class C:\n    x = 1\n    def m(self): return self.x, y\n": "y",
    "f = lambda n: n + m\n": "m",
    "[i for i in j if i]\n": "j",
    "f(key=1)\n": "f",
    "@deco\ndef g(): pass\n": "deco",
    "for a in b: c = a\n": "b",
}
UNDEFINED_JS = {
    "function f(a, {b, c: d}) { return [a, b, d, c] }": "c",
    "const o = { k: v, w }; o.x": "v w",
    "import { a as b } from 'm'; b(a)": "a",
    "for (const x of xs) { x() } label: for (;;) break label": "xs",
    "let f = (g) => g(h)": "h",
    "export { a as b } from 'm'": "",
    "class A extends B { m() { return this.n } }": "B",
}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [(text, Language.PYTHON, names) for text, names in UNDEFINED.items()]
    + [(text, Language.JAVASCRIPT, names) for text, names in UNDEFINED_JS.items()],
)
def test_undefined_names(text: str, language: Language, expected: str) -> None:
    syntax = parse(Document("file:///a", language, text))
    assert undefined_names(syntax, Workspace([]).context(syntax, 0).names) == set(expected.split())


@pytest.mark.slow
def test_real_files_refer_to_hardly_an_undefined_name() -> None:
    files = sorted(Path(pytest.__file__).parent.parent.glob("_pytest/*.py"))[:30]
    workspace = Workspace([])
    missing = {}
    for file in files:
        syntax = parse(Document(file.as_uri(), Language.PYTHON, file.read_text("utf-8")))
        if found := undefined_names(syntax, workspace.context(syntax, 0).names):
            missing[file.name] = sorted(found)
    assert missing == {}
