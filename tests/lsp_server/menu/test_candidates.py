"""What the menu lists, at cursor marks, with type checkers that know what the case says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from context_index import Document, Language, NameKind, NamePosition, Workspace, parse
from lsp_server.menu.candidates import Candidate, Candidates, Lister, rest_of_word
from lsp_server.menu.commit import characters
from tests.lsp_server.fake_types import FakeTypes, closed, listed

if TYPE_CHECKING:
    from context_index import Members

LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "tsx": Language.TSX, "py": Language.PYTHON}
CASES = """
js  user.^                            | member: name total           => only name total
js  user.to^                          | member: name total           => only total
js  user.TO^                          | member: name total           => only total
js  user?.^                           | member: name                 => only name
js  user.^name                        | member: name                 => only name
js  user.^                            | member: _own name __proto    => only name _own __proto
js  user.^                            | subscript: name              => only
js  user['^                           | subscript: font-size name    => only font-size name
js  user['font-s^']                   | subscript: font-size name    => only font-size
js  size === '^'                      | literal: big small           => only big small
ts  import { ^ } from './shop'        | imported name: Cart          => only Cart
ts  import { Cart, p^ } from './shop' | imported name: Cart place    => only place
js  import x from './^'               | module: shop                 => only shop
js  import x from './^'               | module: shop shop.js ui/ ../ => only shop ui/ ../
js  import x from '^'                 | module: ./ . .. lib lib/     => only ./ lib lib/
js  import x from './^'               | module: shop.js a.d.ts a     => only shop.js a
py  from cart import ^                | imported name: Cart          => only Cart
py  import os.^                       | module: path                 => only path
py  x = user.^                        | member: name                 => only name
py  user['^']                         | subscript: left right        => only left right
py  tax = 1<>total(^)                 | keyword argument: mode tax   => mode= tax= tax len not mode
py  total(a, m^)                      | keyword argument: mode tax   => mode= max not tax=
py  tax = 1<>total(mode=^)            | keyword argument: mode       => tax not mode=
py  tax = 1<>x = {^}                  |                              => tax
py  def f(^): pass                    |                              => only
js  let one = 1; const o = { ^ }      | object key: left right       => only left right
js  let one = 1; const o = { ^ }      |                              => one
js  const { ^ } = o                   | object key: left             => only left
js  function f(^) {}                  |                              => only
js  let one = 1; f(^)                 |                              => one
js  // user.^                         | member: name                 => only
js  'user.^'                          | member: name                 => only
js  let one = 1; { let on2 = 2; on^ } |                              => on2 one
tsx const a = <Cart ^ />              | prop: items                  => only items
tsx const a = <Cart it^ />            | prop: items other            => only items
"""


@dataclass
class FakeWorkspace(Workspace):
    """Real scopes; types by a table, or an answer that is late."""

    table: dict[NamePosition, Members] = field(default_factory=dict)
    late: bool = False
    fake: FakeTypes | None = None

    def __post_init__(self) -> None:
        super().__init__([])

    def types(self, _document: Document) -> FakeTypes:  # type: ignore[override]  # as far as candidates need it
        if self.fake is None:
            self.fake = FakeTypes(lambda _before, position: self.table.get(position, listed()), late=self.late)
        return self.fake


def place(suffix: str, marked: str) -> tuple[Document, int]:
    text = marked.replace("<>", "\n")
    return Document(f"file:///shop/a.{suffix}", LANGUAGES[suffix], text.replace("^", "", 1)), text.index("^")


def listed_at(workspace: Workspace, suffix: str, marked: str) -> Candidates:
    document, offset = place(suffix, marked)
    return Lister(workspace).at(parse(document), offset)


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_menu_lists_what_may_stand_there(case: str) -> None:
    left, _, expected = case.rpartition("=>")
    marked, _, known = left.partition("|")
    suffix, _, marked = marked.partition(" ")
    position, _, names = known.strip().partition(":")
    table: dict[NamePosition, Members] = {NamePosition(position): closed(*names.split())} if position else {}
    found = [one.text for one in listed_at(FakeWorkspace(table), suffix, marked.strip()).items]
    wanted, _, unwanted = expected.strip().partition("not")
    first, *rest = [*wanted.split(), ""]
    if first == "only":
        assert found == rest[:-1]
    else:
        order = [found.index(name) for name in wanted.split()]
        assert order == sorted(order)
        assert not {*unwanted.split()} & {*found}


@pytest.mark.parametrize(
    ("members", "detail", "proven"),
    [(closed("name"), "", True), (listed("name"), "listed by fake, perhaps not all", False)],
)
def test_a_list_that_may_not_be_complete_says_so(members: Members, detail: str, *, proven: bool) -> None:
    (one,) = listed_at(FakeWorkspace({NamePosition.MEMBER: members}), "js", "user.^").items
    assert (one.detail, one.is_proven) == (detail, proven)


def test_a_late_answer_leaves_the_menu_incomplete_and_serves_the_next() -> None:
    workspace = FakeWorkspace({NamePosition.MEMBER: closed("name", "next")}, late=True)
    lister = Lister(workspace)
    document, offset = place("js", "user.^")
    assert lister.at(parse(document), offset, 0.01) == Candidates(
        offset, (), complete=False, position=NamePosition.MEMBER
    )
    asked = cast("FakeTypes", workspace.fake).questions
    asked[0].late = False
    document, offset = place("js", "user.ne^")
    found = lister.at(parse(document), offset, 0.01)
    assert ([one.text for one in found.items], found.complete, found.start) == (["next"], True, 5)
    assert len(asked) == 1


def test_another_text_around_the_word_is_another_question() -> None:
    workspace = FakeWorkspace({NamePosition.MEMBER: closed("name")}, late=True)
    lister = Lister(workspace)
    for marked in ("user.^", "users.^"):
        document, offset = place("js", marked)
        lister.at(parse(document), offset, 0.0)
    first, second = cast("FakeTypes", workspace.fake).questions
    assert (first.dropped, second.dropped) == (True, False)


def test_names_do_not_wait_for_a_late_checker() -> None:
    found = listed_at(FakeWorkspace(late=True), "py", "tax = 1\ntotal(t^)")
    assert "tax" in [one.text for one in found.items]
    assert not found.complete


@pytest.mark.parametrize(
    ("marked", "position", "rest"),
    [
        ("user.na^me()", NamePosition.MEMBER, 2),
        ("na^me", None, 2),
        ("user['fo^nt-size']", NamePosition.SUBSCRIPT, 7),
        ("user['fo^nt-size", NamePosition.SUBSCRIPT, 0),
        ("user['fo^", NamePosition.LITERAL, 0),
    ],
)
def test_what_an_entry_may_replace_behind_the_cursor(marked: str, position: NamePosition | None, rest: int) -> None:
    assert rest_of_word(marked.replace("^", ""), marked.index("^"), position) == rest


FUNCTION, METHOD, TYPE, PROPERTY = NameKind.FUNCTION, NameKind.METHOD, NameKind.INTERFACE, NameKind.PROPERTY


@pytest.mark.parametrize(
    ("kind", "position", "proven", "suffix", "expected"),
    [
        (FUNCTION, None, True, "js", ""),
        (METHOD, NamePosition.MEMBER, True, "js", ".(;"),
        (METHOD, NamePosition.MEMBER, True, "py", ".("),
        (PROPERTY, NamePosition.MEMBER, True, "ts", ".;"),
        (TYPE, NamePosition.MEMBER, True, "ts", ""),
        (PROPERTY, NamePosition.MEMBER, True, "py", "."),
        (PROPERTY, NamePosition.MEMBER, False, "js", ""),
        (PROPERTY, NamePosition.OBJECT_KEY, True, "js", ":"),
        (PROPERTY, NamePosition.PROP, True, "tsx", "="),
        (PROPERTY, NamePosition.SUBSCRIPT, True, "js", ""),
        (PROPERTY, NamePosition.KEYWORD_ARGUMENT, True, "py", ""),
        (NameKind.CLASS, NamePosition.IMPORTED_NAME, True, "py", ","),
        (NameKind.MODULE, NamePosition.MODULE, False, "py", ""),
    ],
)
def test_characters_that_accept_an_entry(
    kind: NameKind, position: NamePosition | None, suffix: str, expected: str, *, proven: bool
) -> None:
    candidate = Candidate("name", kind, position=position, is_proven=proven)
    assert "".join(characters(candidate, LANGUAGES[suffix])) == expected
