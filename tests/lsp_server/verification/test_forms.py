"""Forms that are newer than the grammar: with real checkers, each line of `cases/forms.txt` is one, or a text below."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from context_index import Edit, Workspace, names_at, parse
from decoder.grammar import Entries
from lsp_server.engine.verification import Candidate, Rejected, Verifier
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.closer import DocumentCloser
from tests import needs
from tests.files import document, lay_out
from tests.lsp_server.verification.test_verification import FILES, described, placed, verified

pytestmark = pytest.mark.slow

CASES = [
    line
    for line in (Path(__file__).parent / "cases" / "forms.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
OWN_FILES = {
    "tsconfig.json": FILES["tsconfig.json"].replace('"es2022"', '"esnext"'),
    "row.ts": "export interface Box<T> {\n  value: T;\n}\n",
    "elements.d.ts": "declare namespace JSX {\n  interface IntrinsicElements {\n    [name: string]: any;\n  }\n}\n",
    "new/pyproject.toml": '[project]\nname = "new"\nversion = "1"\nrequires-python = ">=3.15"\n',
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    needs.typescript()
    opened = Workspace([lay_out(tmp_path_factory.mktemp("project"), {**FILES, **OWN_FILES})])
    opened.index()
    yield opened
    opened.close()


@pytest.mark.parametrize("case", CASES)
def test_result_of_a_text(case: str, workspace: Workspace) -> None:
    name, _, rest = case.partition(" | ")
    marked, _, expected = rest.rpartition(" => ")
    marked = marked.replace("\\n", "\n")
    candidate = placed(workspace.roots[0], name, marked)[1]
    assert described(verified(workspace, name, marked), candidate.text) == expected


NAMES = r"""
a.tsx | const total = 1;\nfunction F() {\n  const own = <p>a & b</p>;\n  ^\n} => total F own
a.tsx | const total = 1;\nfunction F(given) {\n  return <p title="R&D">{^}</p>;\n} => total F given
a.ts | export type * from "./catalogue.js";\nconst total = 1;\n^ => total
a.ts | interface Sink<in T> {\n  put(value: ^): void;\n} => Sink T
a.ts | class Cell<in out T> {\n  value?: ^;\n} => Cell T
a.ts | class Count {\n  static accessor size = 1;\n  by(factor: number) {\n    ^\n  }\n} => Count factor
a.ts | function f(rows: Disposable[]) {\n  for (using row of rows) {\n    ^\n  }\n} => f rows row
a.ts | function f(rows: Disposable[]) {\n  using held = rows[0];\n  ^\n} => f rows held
a.ts | import defer * as all from "./row.js";\n^ => all
new/a.py | def first[T = int](values: list[T]) -> T:\n    ^ => first T values
new/a.py | class Box[T = int]:\n    def get(self, by: T) -> T:\n        ^ => Box T self by
new/a.py | class Box[T = list[int], U: str = str]:\n    def get(self, one: T) -> U:\n        ^ => Box T U self one
new/a.py | total = 1\nlazy import json\n^ => total json
a.tsx | const total = 1;\nconst e = <p title="&">{^}</p>; => total
a.ts | type Made = import("./row.js").Box<string>["value"];\n^ => Made
a.ts | const made = new Map<string, import("./row.js").Box<string>>();\n^ => made
"""


@pytest.mark.parametrize("case", NAMES.strip().splitlines())
def test_names_and_syntax_below_a_form(case: str, workspace: Workspace) -> None:
    name, _, rest = case.partition(" | ")
    marked, _, expected = rest.replace("\\n", "\n").rpartition(" => ")
    offset = marked.index("^")
    text = marked.replace("^", "")
    given = document(workspace.roots[0], name, text)
    read = Verifier(workspace).read(parse(given), offset)
    assert read.document is given
    assert len(read.spelling.encode()) == len(text.encode())
    assert set(expected.split()) <= names_at(read, offset).keys()
    assert Entries(given.language).enter(read.spelling, offset).state is not None
    workspace.forget(given.uri)


BROKEN = r"""
a.ts | const total = 1 2;\n
a.ts | function f() {\n  if (total {\n    g();\n  }\n}\n
a.ts | function f() {\n  g(1, 2;\n}\n\nfunction h() {}\n
a.ts | function f() {\n  g();\n\nfunction h() {}\n
a.ts | const = 1;\n
a.ts | class Count { size = ; }\n
a.ts | let x: = 1;\n
a.tsx | const e = <p>a > b</p>;\n
a.tsx | const e = <p>a } b</p>;\n
a.tsx | const e = <p><b>a</p>;\n
a.js | interface Row { id: string }\n
a.js | const total: number = 1;\n
a.py | total = 1 2\n
a.py | def f(a b):\n    pass\n
a.py | print(total\nrows = []\n
a.py | lazy import json\n
a.py | class A[T = int]:\n    pass\n
a.py | for in rows:\n    pass\n
"""


@pytest.mark.parametrize("case", BROKEN.strip().splitlines())
def test_an_error_stays_one(case: str, workspace: Workspace) -> None:
    name, _, text = case.partition(" | ")
    given = document(workspace.roots[0], name, text.replace("\\n", "\n"))
    syntax = parse(given)
    assert syntax.errors
    assert Verifier(workspace).read(syntax, len(given.text)).spelling == given.text
    workspace.forget(given.uri)


def test_without_an_answer_only_what_was_read_before_is_read(workspace: Workspace) -> None:
    verifier = Verifier(workspace)
    given = document(workspace.roots[0], "a.tsx", "export const e = <p>a & b</p>;\n")
    first = verifier.read(parse(given), 0, 0.0)
    assert first.errors
    assert not verifier.read(parse(given), 0).errors
    later = replace(given, text=f"const total = 1;\n{given.text}export const f = <p>c & d</p>;\n", revision=1)
    read = verifier.read(parse(later), 0, 0.0)
    assert read.spelling == later.text.replace("a & b", "a   b")
    workspace.forget(given.uri)


def test_a_closer_tells_a_document_from_itself_read_otherwise(workspace: Workspace) -> None:
    given = parse(document(workspace.roots[0], "a.tsx", "export const e = <p>a & b</p>;\nconst f = "))
    read = Verifier(workspace).read(given, len(given.document.text))
    closer = DocumentCloser(given.language)
    places = [Applied(syntax, Candidate(len(given.document.text), "1")) for syntax in (given, read)]
    assert [closer.without(one).syntax.errors for one in places] == [1, 0]
    workspace.forget(given.document.uri)


def test_an_edit_keeps_what_is_read(workspace: Workspace) -> None:
    given = document(workspace.roots[0], "a.tsx", "export const e = <p>a & b</p>;\n")
    read = Verifier(workspace).read(parse(given), 0)
    edit = Edit(0, 0, "const total = 1;\n")
    edited = read.edited(given.edited([edit], 1), [edit])
    assert not edited.errors
    assert edited.document.text == f"{edit.text}{given.text}"
    assert edited.spelling == f"{edit.text}{given.text}".replace("&", " ")
    workspace.forget(given.uri)


@pytest.mark.parametrize("text", ["x = )", "x = ) + 1", "def f(:"])
@pytest.mark.parametrize("imports", [1, 20])
def test_a_broken_text_that_comes_with_an_import_is_rejected(workspace: Workspace, imports: int, text: str) -> None:
    """The import is not in the text whose forms are read, at whose end the place would be past all."""
    before = document(workspace.roots[0], "new/b.py", "print(1)\n")
    candidate = Candidate(len(before.text), text, edits=(Edit(0, 0, "import json\n" * imports),))
    found = Verifier(workspace).verify(parse(before), candidate)
    assert isinstance(found, Rejected), found
