"""Names that nothing declares: and none is found that is visible where it stands."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from context_index import identifiers, language_of, names_at, parse, undefined_names
from tests.files import document

WORKSPACE = Path(__file__).parents[2] / "examples" / "workspace"
FILES = sorted(path for path in WORKSPACE.rglob("*") if language_of(path.name) is not None)
CASES = """
a.js | class A {} ⟦export { A, B as C }⟧      => B
a.js | ⟦export { A, B as C } from "./a.js"⟧   =>
a.js | import { a as b } from "./a.js"; ⟦export { b as default, a }⟧ => a
a.ts | type A = 1; ⟦export type { A, B }⟧     => B
a.js | const a = b + c; ⟦a + b⟧               => b
a.js | function f(x) { return ⟦x + y⟧ } y     => y
a.js | ⟦o.p + { q: r }⟧                       => o r
a.ts | ⟦type T = U<V>⟧                        => U V
a.js | class A { #a = 1; static #b() {} f(o) { ⟦#a in o && o.#b + o.#c⟧ } }  => #c
a.ts | class A { #a = 1; f() { return class { #b; g() { ⟦this.#a + this.#b + this.#c⟧ } } } } => #c
a.js | class A { #a = 1 } f(⟦this.#a⟧)         => #a
a.js | class A { #a = 1; f() { if (⟦this.#a + b⟧  => b
a.jsx | ⟦<p id={q}><R /></p>⟧                 => q R
a.py | import os|⟦os.path(here)⟧              => here
a.py | ⟦[x for x in xs if x < y]⟧             => xs y
a.py | from m import ﬁx|⟦fix + ﬁx + fi⟧      => fi
a.py | import ﬁx|⟦fix + ﬁxed⟧                => ﬁxed
a.py | ﬁx = 1|⟦fix + ﬁx + fi⟧                => fi
a.js | const ﬁx = 1;⟦fix + ﬁx⟧               => fix
a.py | zork|⟦work⟧zork                        => workzork
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_names_that_a_part_refers_to_and_nothing_declares(case: str) -> None:
    name, marked, expected = re.split(r" \| | =>", case)
    before, part, after = re.split("[⟦⟧]", marked.strip().replace("|", "\n"))
    syntax = parse(document(Path("/"), name, before + part + after))
    found = undefined_names(syntax, (), (len(before), len(before) + len(part)))
    assert set(found) == set(expected.split())
    assert all(syntax.document.text[start:end] == missing for missing, (start, end) in found.items())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_name_is_found_that_is_visible_there(path: Path) -> None:
    text, draw = path.read_text("utf-8"), random.Random(path.name)
    for _ in range(5):
        place = draw.randrange(len(text))
        broken = text[:place] + draw.choice(["", "zork ", "("]) + text[place:]
        syntax = parse(document(path.parent, path.name, broken))
        found = undefined_names(syntax, ())
        assert [name for name, (start, _) in found.items() if name in names_at(syntax, start)] == []
        nodes = [(syntax.text(node), syntax.start(node)) for node in identifiers(syntax)]
        assert {(name, start) for name, (start, _) in found.items()} <= set(nodes)
