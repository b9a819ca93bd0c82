"""What the menu lists, at cursor marks, with type checkers that know what the case says."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from context_index import (
    CheckerCompletion,
    CompletionQuestion,
    CursorKind,
    Document,
    Language,
    NameKind,
    Workspace,
    parse,
)
from lsp_server.engine.menu.candidates import Lister, MenuCandidates, _answer, replaced_length
from lsp_server.engine.site import Site

LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "tsx": Language.TSX, "py": Language.PYTHON}
CASES = """
js  user.^                            | member: name total           => only name total
js  user.to^                          | member: name total           => only total
js  user.TO^                          | member: name total           => only total
js  user?.^                           | member: name                 => only name
js  user.^name                        | member: name                 => only name
js  user.^                            | member: name _own __proto    => only name _own __proto
js  user.^                            | string: name                 => only
js  user['^                           | string:    font-size name    => only font-size name
js  user['font-s^']                   | string:    font-size name    => only font-size
js  size === '^'                      | string: big small           => only big small
ts  import { ^ } from './shop'        | imported name: Cart          => only Cart
ts  import { Cart, p^ } from './shop' | imported name: Cart place    => only place
js  import x from './^'               | import path: shop                 => only shop
py  from cart import ^                | imported name: Cart          => only Cart
py  import os.^                       | import path: path                 => only path
py  x = user.^                        | member: name                 => only name
py  user['^']                         | string:    left right        => only left right
py  tax = 1<>total(^)                 | argument: mode= tax=         => mode= tax= tax len not mode
py  total(a, m^)                      | argument: mode= tax=         => mode= max not tax=
py  tax = 1<>total(mode=^)            | argument: mode=              => tax not mode=
py  tax = 1<>x = {^}                  |                              => tax
py  def f(^): pass                    |                              => only
js  let one = 1; const o = { ^ }      | object key: left right       => only left right
js  let one = 1; const o = { ^ }      |                              => one
js  const { ^ } = o                   | object key: left             => only left
js  function f(^) {}                  |                              => only
js  let one = 1; f(^)                 |                              => one
ts  interface Rate {} const size = 1; let x: ^        | => Rate Promise string not size x structuredClone
ts  interface Rate {} const rate = 1; let x: Array<R^>| => Rate ReadonlyArray Record not rate
ts  const Rate = 1; type Rate = 1; let x: Ra^         | => Rate
ts  type Rate = 1; { const Rate = 1; let x: Ra^ }     | => Rate
ts  function draw<Item>(all: Item[], it: I^) {}       | => Item not it all
ts  const size = 1; let x: typeof ^                   | => size not string
ts  const size = 1; let x = ^                         | => size not string
ts  class Box {} class Lid { box: Bo^ }               | => Box boolean not
ts  import { rate } from './shop'; let x: r^          | => rate
js  let size = 1; let x = s^                          | => size not string
js  let passed = 1; return^                           | => return
js  let forty = 1; for^                               | => forty for
py  passed = 1<>pass^                                 | => passed pass
py  passed = 1<>if pas^                               | => passed
py  match = 1<>match^                                 | => match
js  // user.^                         | member: name                 => only
js  'user.^'                          | member: name                 => only
js  let one = 1; { let on2 = 2; on^ } |                              => on2 one
tsx const a = <Cart ^ />              | object key: items                  => only items
tsx const a = <Cart it^ />            | object key: items other            => only items
"""


@dataclass
class FakeWorkspace(Workspace):
    """Real scopes; a checker that lists by a table, or late."""

    table: dict[CursorKind, tuple[str, ...]] = field(default_factory=dict)
    late: bool = False
    questions: list[CompletionQuestion] = field(default_factory=list)
    asked: list[Future[tuple[CheckerCompletion, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__([])

    def completions(
        self, question: CompletionQuestion, *, typed: bool = False
    ) -> Future[tuple[CheckerCompletion, ...]]:
        assert not typed
        self.questions.append(question)
        self.asked.append(Future())
        if not self.late:
            self.answer()
        return self.asked[-1]

    def answer(self) -> None:
        names = self.table.get(self.questions[-1].kind, ())
        self.asked[-1].set_result(tuple(CheckerCompletion(name, NameKind.PROPERTY, name) for name in names))


def place(suffix: str, marked: str) -> tuple[Document, int]:
    text = marked.replace("<>", "\n")
    return Document(f"file:///shop/a.{suffix}", LANGUAGES[suffix], text.replace("^", "", 1)), text.index("^")


def listed_at(workspace: Workspace, suffix: str, marked: str, patience: float | None = None) -> MenuCandidates:
    document, offset = place(suffix, marked)
    return Lister().at(Site(workspace, parse(document), offset), patience)


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_menu_lists_what_may_stand_there(case: str) -> None:
    left, _, expected = case.rpartition("=>")
    marked, _, known = left.partition("|")
    suffix, _, marked = marked.partition(" ")
    position, _, names = known.strip().partition(":")
    table = {CursorKind(position): tuple(names.split())} if position else {}
    found = [one.text for one in listed_at(FakeWorkspace(table), suffix, marked.strip()).items]
    wanted, _, unwanted = expected.strip().partition("not")
    first, *rest = [*wanted.split(), ""]
    if first == "only":
        assert found == rest[:-1]
    else:
        order = [found.index(name) for name in wanted.split()]
        assert order == sorted(order)
        assert not {*unwanted.split()} & {*found}


TOTAL = "const total = 1;<>const e = "


@pytest.mark.parametrize(
    ("marked", "is_listed"),
    [
        ("<p>hello to^</p>;", False),
        ("<p>hi ^</p>;", False),
        ("<p>^</p>;", False),
        ("<p><b/>^</p>;", False),
        ("<p>a<b>to^</b></p>;", False),
        ("<p>{to^}</p>;", True),
        ("<p>{^}</p>;", True),
        ("<p title={to^}>a</p>;", True),
        ("<p>a</p> + to^;", True),
        ("<p>a {total} to^</p>;", False),
        ("<a><b/>to^</a>;", False),
        ("<p>total.^</p>;", False),
        ("<p>hi to^", False),
        ("<p a={total}>to^</p>;", False),
        ("<p>{total > 1 && to^}</p>;", True),
        ("<p>{[1].map((x) => <b>{to^}</b>)}</p>;", True),
        ("<p>{[1].map((x) => <b>to^</b>)}</p>;", False),
        ("<p {...to^} />;", True),
        ("() => { return <p>a</p>; to^ };", True),
    ],
)
def test_text_of_an_element_is_no_code(marked: str, *, is_listed: bool) -> None:
    found = listed_at(FakeWorkspace({}), "tsx", TOTAL + marked)
    assert any(one.text == "total" for one in found.items) == is_listed


def test_a_late_answer_leaves_the_menu_incomplete_and_serves_the_next() -> None:
    workspace = FakeWorkspace({CursorKind.MEMBER: ("name", "next")}, late=True)
    lister = Lister()
    document, offset = place("js", "user.^")
    assert lister.at(Site(workspace, parse(document), offset), 0.01) == MenuCandidates(
        offset, (), complete=False, kind=CursorKind.MEMBER
    )
    workspace.answer()
    document, offset = place("js", "user.ne^")
    found = lister.at(Site(workspace, parse(document), offset), 0.01)
    assert ([one.text for one in found.items], found.complete, found.start) == (["next"], True, 5)
    assert len(workspace.asked) == 1


def test_another_text_around_the_word_is_another_question() -> None:
    workspace = FakeWorkspace({CursorKind.MEMBER: ("name",)}, late=True)
    lister = Lister()
    for marked in ("user.^", "users.^"):
        document, offset = place("js", marked)
        lister.at(Site(workspace, parse(document), offset), 0.0)
    assert [one.cancelled() for one in workspace.asked] == [True, False]


def test_a_menu_whose_question_was_replaced_is_incomplete() -> None:
    asked = Future[tuple[CheckerCompletion, ...]]()
    asked.cancel()
    assert _answer(asked, 0.0) is None


READ = """
-                 | js | totalOf^ | more
files             | js | totalOf^ | totalOf more
libraries         | js | totalOf^ | more
files libraries   | js | totalOf^ | totalOf
files libraries   | js | t^       | totalOf more
files libraries   | js | nothing^ |
files libraries   | js | // to^   |
-                 | py | totalOf^ | more
files libraries   | py | totalOf^ |
"""
"""What is read, a file, and what its menu lists of the workspace; `more` where the editor is to ask again."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "money.js").write_text("export function totalOf() {}\n")
    workspace = Workspace([tmp_path])
    yield workspace
    workspace.close()


@pytest.mark.slow
@pytest.mark.parametrize("case", READ.strip().splitlines())
def test_a_menu_is_incomplete_until_all_is_read(case: str, shop: Workspace) -> None:
    read, suffix, marked, wanted = (part.strip() for part in case.split("|"))
    document, offset = place(suffix, marked)
    document = replace(document, uri=(shop.roots[0] / f"a.{suffix}").as_uri())
    if "files" in read:
        shop.index()
    if "libraries" in read:
        shop.read_libraries(document, 60.0)
    found = Lister().at(Site(shop, parse(document), offset), 0.0)
    listed = [one.text for one in found.items if one.importable and one.text == "totalOf"]
    assert [*listed, *([] if found.complete else ["more"])] == wanted.split()


def test_names_do_not_wait_for_a_late_checker() -> None:
    found = listed_at(FakeWorkspace(late=True), "py", "tax = 1\ntotal(t^)", 0.01)
    assert "tax" in [one.text for one in found.items]
    assert not found.complete


@pytest.mark.parametrize(
    ("marked", "kind", "rest"),
    [
        ("user.na^me()", CursorKind.MEMBER, 2),
        ("na^me", None, 2),
        ("user['fo^nt-size']", CursorKind.STRING, 7),
        ("user['fo^nt-size", CursorKind.STRING, 0),
        ("user['fo^", CursorKind.STRING, 0),
    ],
)
def test_what_an_entry_may_replace_after_the_cursor(marked: str, kind: CursorKind | None, rest: int) -> None:
    assert replaced_length(marked.replace("^", ""), marked.index("^"), kind) == rest
