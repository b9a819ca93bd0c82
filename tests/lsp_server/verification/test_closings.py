"""Documents that are closed at a text: `⟦text⟧` in code, and the same closed, bare or filled in."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Item, Language, Signatures, parse
from lsp_server.engine.verification.applied import Applied
from lsp_server.engine.verification.candidate import Candidate
from lsp_server.engine.verification.closer import DocumentCloser
from lsp_server.engine.verification.languages import record_of
from lsp_server.engine.verification.languages.fill import Fill
from lsp_server.engine.verification.languages.opened import Opened
from tests.examples import examples

LANGUAGES = {"ts": Language.TYPESCRIPT, "tsx": Language.TSX, "js": Language.JAVASCRIPT, "py": Language.PYTHON}
SYNTAX = """
ts  | try⟦ {⟧                                     ==> try {} finally {}
ts  | function f()⟦: number {⟧\\n\\nconst a = 1; ==> function f(): number {}\\n\\nconst a = 1;
ts  | function f()⟦: string;⟧ ==> function f(): string;\\nfunction f(...inscope_any: any): any { throw 0; }
ts  | const { ⟦a,⟧ ==> const { a,} = inscope_any
ts  | import { ⟦a⟧ ==> import { a}from"inscope_any"
ts  | const m = ⟦f(a,⟧\\nconst n = 1; ==> const m = f(a,)\\nconst n = 1;
ts  | f(() => {\\n  ⟦g(⟧\\n}\\nh(); ==> f(() => {\\n  g()\\n})\\nh();
tsx | const e = (\\n  <ul>\\n    ⟦<li>⟧\\n  </ul> ==> const e = (\\n  <ul>\\n    <li></li>\\n  </ul>)
tsx | const e = (\\n  <p>{a ⟦? (⟧}</p>\\n); ==> const e = (\\n  <p>{a ? (inscope_any):inscope_any}</p>\\n);
js  | const a = [\\n  1,\\n  ⟦2⟧\\n  3,\\n]; ==> const a = [\\n  1,\\n  2,\\n  3,\\n];
js  | ⟦/* note⟧\\n\\n\\n/** more */\\nf(); ==> /* note*/\\n\\n\\n/** more */\\nf();
py  | for x in ⟦y:⟧\\n\\na = 1 ==> for x in y:\\n    ...\\n\\na = 1
py  | for x in ⟦y:⟧\\n    pass\\n ==> for x in y:\\n    pass\\n
py  | match ⟦x:⟧ ==> match x:\\n    case _: ...
py  | def f(\\n    ⟦*,⟧\\n ==> def f(\\n    *, inscope_any):\\n    ...\\n
py  | x = [a.⟦⟧ for a in b]\\n ==> x = [a.inscope_any for a in b]\\n
py  | x = \"\"\"a⟦ b⟧\\ny = 1 ==> x = \"\"\"a b\"\"\"\\ny = 1
py  | print(⟦"a⟧)\\n ==> print("a)\\n
py  | x = isinstance(⟦a:⟧ ==> x = isinstance(a:
py  | x = f(⟦(a, b) *⟧ ==> x = f((a, b) *inscope_any)
"""
FILLED = """
ts  | bare     | function f(): number ⟦{⟧ ==> function f(): number {\\nthrow 0;}
ts  | filled   | function f(): number ⟦{⟧ ==> function f(): number {\\nreturn inscope_any;}
ts  | filled   | class T implements I {⟦⟧ ==> class T implements I {}\\ninterface T extends Record<keyof (I), any> {}
ts  | filled   | type A = {\\n  ⟦a: number;⟧\\n}; ==> type A = {\\n  a: number;\\n; [inscope_any: string]: any};
ts  | filled   | const { ⟦[k]: f = () => 0⟧ ==> const { [k]: f = () => 0} = inscope_any
ts  | bare     | const s = c ⟦? 1 :⟧ ==> const s = c ? 1 :inscope_any as never
js  | bare     | const s = c ⟦||⟧ ==> const s = c ||(/** @type {never} */ (inscope_any))
py  | bare     | def f() -> int:\\n    ⟦x = 1⟧ ==> def f() -> int:\\n    x = 1\\n    raise inscope_any
py  | filled   | def f() -> int:\\n    ⟦x = 1⟧ ==> def f() -> int:\\n    x = 1\\n    return inscope_any
py  | yielding | def f() -> int:\\n    ⟦x = 1⟧ ==> def f() -> int:\\n    x = 1\\n    yield inscope_any
py  | filled   | ⟦g(1,⟧ ==> g(1, *inscope_any, **inscope_any)
py  | filled   | g(⟦a=1⟧) ==> g(a=1, **inscope_any)
py  | filled   | t = ⟦1,⟧ ==> t = 1, *inscope_any
py  | bare     | match x:\\n    case ⟦A.b |⟧ ==> match x:\\n    case A.b |inscope_any.inscope_any:\\n        ...
py  | bare     | try:\\n    ⟦g()⟧               ==> try:\\n    g()\\nfinally:\\n    ...
py  | bare     | def f():\\n    ⟦x = 1⟧\\n    return x\\n ==> def f():\\n    x = 1\\n    return x\\n
"""


class Nobody:
    """A checker that knows nothing."""

    def signatures(self, place: int, text: str) -> Signatures | None:
        del place, text
        return None

    def completions(self, place: int, text: str) -> tuple[Item, ...]:
        del place, text
        return ()


def rows(table: str) -> list[str]:
    return [line for line in table.strip().splitlines() if line]


def applied(suffix: str, marked: str) -> Applied:
    before, _, rest = marked.replace("\\n", "\n").partition("⟦")
    text, _, after = rest.partition("⟧")
    syntax = parse(Document("file:///a", LANGUAGES[suffix], before + after))
    return Applied(syntax, Candidate(len(before), text))


@pytest.mark.parametrize("row", rows(SYNTAX))
def test_a_document_is_closed_with_the_fewest_faults(row: str) -> None:
    (suffix, marked), expected = row.partition(" ==> ")[0].split(" | ", 1), row.partition(" ==> ")[2]
    closed = DocumentCloser(LANGUAGES[suffix.strip()]).closed(applied(suffix.strip(), marked.strip()))
    assert closed.document.text.rstrip() == expected.replace("\\n", "\n").rstrip()


@pytest.mark.parametrize("row", rows(FILLED))
def test_what_is_still_to_come_is_filled_in(row: str) -> None:
    (suffix, fill, marked), expected = row.partition(" ==> ")[0].split(" | ", 2), row.partition(" ==> ")[2]
    language = LANGUAGES[suffix.strip()]
    closed = DocumentCloser(language).closed(applied(suffix.strip(), marked.strip()))
    edits = record_of(language).filled(Opened(closed), Fill[fill.strip().upper()], (), Nobody())
    assert closed.closed(edits).document.text.rstrip() == expected.replace("\\n", "\n").rstrip()


@examples(60)
@given(st.integers())
def test_a_closing_leaves_the_text_and_all_places_where_they_are(seed: int) -> None:
    """Places in a closed document lead back to the document that nothing closes."""
    source = Path(__file__).read_text("utf-8")
    chance = random.Random(seed)
    cut = chance.randrange(len(source))
    text, after = source[cut : cut + chance.randrange(30)], chance.choice(["", "\n\n\nlater = 1\n"])
    unclosed = Applied(parse(Document("file:///a", Language.PYTHON, source[:cut] + after)), Candidate(cut, text))
    closed = DocumentCloser(Language.PYTHON).closed(unclosed)
    whole = closed.document.text
    assert whole[slice(*closed.inserted)] == text
    for start, end in reversed(closed.closings):
        whole = whole[:start] + whole[end:]
    assert whole == unclosed.document.text
    for offset in (cut, cut + len(text), len(whole)):
        assert closed.without_edits(closed.place(offset)) == offset
    assert closed.syntax.errors <= unclosed.syntax.errors
