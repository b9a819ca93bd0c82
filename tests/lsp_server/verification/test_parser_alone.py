"""Every language as if no more than its parser were known: what its syntax admits, in finished and unfinished texts.

Whoever adds a language begins here: a few lines below for the level `syntax`, whatever else is served later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from context_index import Language, Workspace, cursor_at, parse
from decoder.lexical import at_cursor
from lsp_server.engine.verification import Rejected, Unverified, Verifier
from tests.alone import parser_alone
from tests.files import document
from tests.lsp_server.verification.test_verification import placed

if TYPE_CHECKING:
    from pathlib import Path

# file | the text in its document => syntax or rejected
TEXTS = r"""
a.js | f(⟦a, b⟧); => syntax
a.js | f(⟦a b⟧); => rejected
a.js | if (a) ⟦{ b(`c${⟧ => syntax
a.js | ⟦function f(a) {⟧ => syntax
a.js | f(⟦a }⟧ => rejected
a.ts | let a: ⟦Map<string, number>⟧; => syntax
a.ts | let a: ⟦Map<string number>⟧; => rejected
a.ts | ⟦interface A {⟧ => syntax
a.ts | f(⟦`a\`⟧ => syntax
a.tsx | const a = ⟦<b c={d}>e</b>⟧; => syntax
a.tsx | const a = ⟦<b>⟧ => syntax
a.tsx | const a = ⟦<b c={d e}/>⟧; => rejected
a.py | f(⟦a, b⟧) => syntax
a.py | f(⟦a b⟧) => rejected
a.py | ⟦def f(a):⟧ => syntax
a.py | ⟦a = f'''{b⟧ => syntax
a.c | ⟦int f(int a) {⟧ => syntax
a.c | int f(int a) {\n    ⟦if (a > 0) {⟧\n} => syntax
a.c | int a[] = { 1, ⟦2, 3⟧ => syntax
a.c | int f(int a) {\n    ⟦return a }⟧\n => rejected
a.c | ⟦#define TWICE(x) ((x) * 2)⟧ => syntax
a.cpp | ⟦class A { public:⟧ => syntax
a.cpp | auto f = [&](⟦auto a) { return a; }⟧; => syntax
a.cpp | auto f = [&](⟦auto a { return a; }⟧; => rejected
""".strip().splitlines()

# file | a text up to the cursor => what is open: brackets, strings and comments; what is completed there
PLACES = r"""
a.js | f([`a${ g( => ( [ ` ${ (, argument
a.js | a = { b // c => object{ //, comment
a.ts | class A { b( => class{ (, name
a.tsx | f('a\' => ( ', string
a.py | f([f'''a{ g( => ( [ f''' f{ (, argument
a.py | a = 1 # b => #, comment
a.c | int f(void) { g("a\" => { ( ", string
a.c | int f(void) { /* a\n => { /*, comment
a.cpp | int f() { return a->b( => { (, argument
""".strip().splitlines()


def language_of_case(case: str) -> Language:
    suffix = case.partition(" | ")[0].removeprefix("a")
    return next(one for one in Language if suffix in one.record.suffixes)


@pytest.mark.parametrize("case", TEXTS)
def test_what_is_read_and_what_is_not(case: str, tmp_path: Path) -> None:
    language = language_of_case(case)
    name, _, rest = case.partition(" | ")
    marked, _, expected = rest.rpartition(" => ")
    with parser_alone(language):
        workspace = Workspace([tmp_path])
        shown, candidate = placed(tmp_path, name, marked.replace("\\n", "\n"))
        found = Verifier(workspace).verify(parse(shown), candidate)
        workspace.close()
    if expected == "rejected":
        assert isinstance(found, Rejected)
        assert {one.code for one in found.rejections} == {"syntax"}
    else:
        assert found == Unverified(f"no checker of {language.record.title} is known")


@pytest.mark.parametrize("case", PLACES)
def test_what_is_open_at_a_place(case: str, tmp_path: Path) -> None:
    name, _, rest = case.partition(" | ")
    written, _, expected = rest.rpartition(" => ")
    text = written.replace("\\n", "\n")
    frames, _, kind = expected.rpartition(", ")
    language = language_of_case(case)
    with parser_alone(language):
        found = cursor_at(parse(document(tmp_path, name, text)), len(text))
        place = at_cursor(text, language=language)
    assert (list(place.frames), found.kind.value) == (frames.split(), kind)


@pytest.mark.parametrize("cases", [TEXTS, PLACES], ids=["texts", "places"])
def test_each_language_has_cases(cases: list[str]) -> None:
    assert set(map(language_of_case, cases)) == set(Language)
