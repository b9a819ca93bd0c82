"""What may follow by the names in scope, after a lexical look. `|` stands before the first character refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, Name, NameKind, Origin, SymbolContext
from decoder.constraint.names import NamesInScope
from decoder.constraint.protocol import Refusal, Rule

VISIBLE = ("total", "f", "print", "Array")

JAVASCRIPT = """
let x = total
let x = |zz
let x = tot|x
const fresh = total; fresh + 1
const {q, r} = total; q
const {q: r} = total; r
const [q, r] = total; r
total.zz
total?.zz
function g(p, q) { return p + q }
function g(p = |zz
function g(p) { return |zz
function* g(p) { yield p }
(zz, yy) => zz
(zz |+ 1
async (q) => q
f(zz|)
f(zz|.a
f(zz => zz.a)
f({zz: total})
f({zz|})
f({total})
f({zz() { return total }})
class K { m(p) { return p } }
class K { q = total; static r = |zz
class K extends |Zz
for (const i of total) i
for (let i = 0; i < total; i++) i
import {x as y} from 'm'; y
`a${total}`
`a${|zz
/re/gi.test(total)
"zz" + total // zz
if (total) { |zz() }
return total
return |zz
try { } catch (e) { e }
new |Zz
typeof total
total ? total : |zz
[total, |zz
"""

PYTHON = """
y = total
y = |zz
return total
return |zz
total.zz
f(zz=total)
f(total=|zz
f(zz|)
f(zz|, total)
f(zz for zz in total)
[q for q in total]
[q.a for q in total if q]
[q|]
{q: r for q, r in total}
for i in total: i
for i, j in total: j
for i in |zz
def g(p, *q, r=total, **s): return p
def g(p=|zz
lambda q: q
with total as t: t
import os, sys
from os import path
zz = total
zz: total = total
zz|.a
zz|(1)
zz|, yy = total
f"{total:>{total}}"
f"{total!r:d}"
f"{|zz
rb"zz"
x = total if total else |zz
@f
class A(f): pass
print(total)
not |zz
total[|zz]
"""


def _cases() -> list[tuple[Language, str]]:
    texts = {Language.JAVASCRIPT: JAVASCRIPT, Language.PYTHON: PYTHON}
    return [(language, line) for language, block in texts.items() for line in block.strip().splitlines()]


def start(language: Language, prefix: str = "\n") -> NamesInScope:
    names = {text: Name(text, NameKind.VARIABLE, Origin.LOCAL, 0) for text in VISIBLE}
    return NamesInScope.at(prefix, SymbolContext(language, names))


def refused_at(state: NamesInScope, text: str) -> int | None:
    """Index of the first character that cannot follow; the length of the text where it cannot end."""
    for place, character in enumerate(text):
        after = state.feed(character)
        if isinstance(after, Refusal):
            return place
        state = after
    return len(text) if state.may_stop() else None


@pytest.mark.parametrize(("language", "case"), _cases())
def test_refused_as_soon_as_it_is_certain(language: Language, case: str) -> None:
    expected = case.find("|") if "||" not in case and "|" in case else None
    assert refused_at(start(language), case.replace("|", "", 1)) == expected


@given(st.sampled_from(_cases()), st.data())
def test_portions_do_not_matter(case: tuple[Language, str], data: st.DataObject) -> None:
    language, text = case[0], case[1].replace("|", "", 1)
    cut = data.draw(st.integers(0, len(text)))
    whole = start(language).feed(text)
    first = start(language).feed(text[:cut])
    parts = first if isinstance(first, Refusal) else first.feed(text[cut:])
    assert isinstance(whole, Refusal) == isinstance(parts, Refusal)
    if not isinstance(whole, Refusal):
        assert parts == whole


@pytest.mark.parametrize(
    ("language", "prefix", "text", "expected"),
    [
        (Language.JAVASCRIPT, "import { a, ", "zz }", None),
        (Language.JAVASCRIPT, "const {\n  a,\n  ", "zz|", None),
        (Language.JAVASCRIPT, "for (const x of ", "zz", 0),
        (Language.PYTHON, "from m import ", "zz", None),
        (Language.PYTHON, "def g(", "zz", None),
        (Language.PYTHON, "x = total.", "zz", None),
        (Language.PYTHON, "x = '", "zz", None),
        (Language.PYTHON, "# ", "zz", None),
        (Language.PYTHON, "    return ", "zz", 0),
    ],
)
def test_the_line_before_the_cursor_counts(language: Language, prefix: str, text: str, expected: int | None) -> None:
    assert refused_at(start(language, prefix), text.replace("|", "")) == expected


def test_a_word_must_not_run_into_the_one_after_the_cursor() -> None:
    context = SymbolContext(Language.PYTHON, {"total": Name("total", NameKind.VARIABLE, Origin.LOCAL, 0)})
    joined = NamesInScope.at("return ", context, "items").feed("total")
    assert not isinstance(joined, Refusal)
    assert joined.may_stop() == Refusal(Rule.SCOPE, "totali")
    apart = NamesInScope.at("return ", context, " + items").feed("total")
    assert not isinstance(apart, Refusal)
    assert apart.may_stop() is None


def test_a_name_of_the_same_scope_is_not_used_before_it_is_declared() -> None:
    later = Name("total", NameKind.CONSTANT, Origin.LOCAL, 0, before_declaration=True)
    assert refused_at(NamesInScope.at("\n", SymbolContext(Language.JAVASCRIPT, {"total": later})), "x = total") == 0


def test_imported_names_are_not_proven() -> None:
    state = start(Language.PYTHON).feed("from os import zz\n")
    assert not isinstance(state, Refusal)
    assert "zz" in state.report().open


def test_members_and_unproven_names_are_reported_as_open() -> None:
    state = start(Language.JAVASCRIPT).feed("total.zz + f(yy => 1) ")
    assert not isinstance(state, Refusal)
    assert state.report().open == ("zz", "yy")


def test_where_names_may_be_missing_an_unknown_one_is_reported_as_outside() -> None:
    names = {"total": Name("total", NameKind.VARIABLE, Origin.LOCAL, 0)}
    state = NamesInScope.at("\n", SymbolContext(Language.PYTHON, names, complete=False)).feed("x = zebra + total\n")
    assert not isinstance(state, Refusal)
    assert state.report().outside == ("zebra",)
