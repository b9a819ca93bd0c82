"""Names above their declaration. `zz` and `xx` are what the original declares; `¦` stands before what is refused.

Behind the last character it says that the text may not end there.
"""

from __future__ import annotations

import pytest

from context_index.symbols import Language, SymbolContext
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries
from tests.decoder.scope.test_scope import NAMES, at_mark, refused_at

JAVASCRIPT = """
f(zz()); function zz() {}
f(zz());¦
f(zz¦
{ f(zz()); function zz() {} }
{ f(zz()); } function zz() {}
f(zz()); { function zz() {} }¦
f(zz()); function g() { function zz() {} }¦
f(zz); async function zz() {}
f(zz); function* zz() {}
f(zz); var zz = 1;
f(zz); const zz = 1;¦
f(zz); let { zz } = f;¦
new zz(); class zz {}¦
function a() { return zz(); } const zz = 1;
function a() { return zz(); } const { zz } = f;
const a = () => zz; const zz = 1;
const a = () => { const b = zz; }; const zz = 1;
const a = () => { f(zz); const zz = 1; }¦
const a = () => { f(zz); function zz() {} }
const a = () => { f(zz); }¦
const a = function () { return zz; }; class zz {}
class A { b() { return zz; } } const zz = 1;
f(yy¦);
f(zz); f(yy¦);
f(zz, xx); function xx() {} function zz() {}
f(zz, xx); function xx() {}¦
f((zz) => zz);
function g1(zz) { return zz; } f(zz);¦
function g1(zz) { return zz; } f(zz); function zz() {}
for (const a of zz) { f(a); } function zz() {}
if (f(zz)) { f(1); } else { f(2); } function zz() {}
const zz = zz¦;
export { zz }; const zz = 1;
f(zz); try { function zz() {} } catch (e) {}¦
"""
TYPESCRIPT = """
let a: zz = 1; interface zz {}
let a: zz = 1; type zz = 1;
let a: zz = 1; class zz {}
let a: zz = 1; enum zz { b }
let a: zz = 1; const zz = 1;¦
let a: zz = 1;¦
let a: zz.b = 1; namespace zz { export type b = 1 }
function a(b: zz): xx { return b; } interface zz {} interface xx {}
function a(b: zz): xx { return b; } interface zz {}¦
function a() { let b: zz = 1; } type zz = 1;
"""


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (language, line)
        for language, lines in ((Language.JAVASCRIPT, JAVASCRIPT), (Language.TYPESCRIPT, TYPESCRIPT))
        for line in lines.strip().splitlines()
    ],
)
def test_a_name_stands_above_its_declaration_if_there_is_one(language: Language, line: str) -> None:
    text, mark = at_mark(line)
    entry = Entries(language).enter("", 0)
    symbols = SymbolContext(language, NAMES)
    rule = ScopeConstraint.of(entry, symbols, prefix="", promised=frozenset({"zz", "xx"}))
    refused = refused_at(rule, text)
    if refused is None:
        after = rule.feed(text)
        assert not isinstance(after, Refusal)
        refused = None if after.may_stop() is None else len(text)
    assert refused == mark


def test_nothing_is_promised_otherwise() -> None:
    rule = ScopeConstraint.of(
        Entries(Language.JAVASCRIPT).enter("", 0), SymbolContext(Language.JAVASCRIPT, NAMES), prefix=""
    )
    assert refused_at(rule, "f(zz()); function zz() {}") is not None
