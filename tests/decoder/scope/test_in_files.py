"""What may be written into a file whose other names the index finds: between two `^`, ⏎ being a line end.

`¦` stands before the first character that is refused; after the last one, before what follows the cursor.
"""

from __future__ import annotations

import pytest

from context_index.globals import global_names
from context_index.scopes import names_at
from context_index.symbols import Language, SymbolContext
from context_index.syntax import parse
from context_index.text import Document
from decoder.constraint.protocol import Refusal
from decoder.constraint.scope import ScopeConstraint
from decoder.grammar import Entries

TYPESCRIPT = """
^let x: A;^⏎class A {}
^let x: A[] = [];^⏎class A {}
^let x: A.B;^⏎class A {}⏎namespace A { export type B = 1 }
type A = {⏎  ^[a in string]?: Map<B, C>^⏎}⏎class B {}⏎class C {}
^declare class A extends B {}^⏎declare class B {}
^let x: typeof a;^⏎const a = 1;
^let x = typeof a;^⏎const a = 1;
^let x: typeof a.b;^⏎const a = 1;
^class A implements B {}^⏎class B {}
^export declare const A: B<A>;^⏎export interface A {}⏎export interface B<T> {}
declare class B {⏎  a: ^A;^⏎}⏎declare class A {}
declare class B {⏎  ^c(d?: Partial<A.C>): this;^⏎}⏎declare class A {}⏎namespace A { export type C = 1 }
^export default A;^⏎declare class A {}
^const a = b;^⏎declare const b: number;
^declare namespace m {⏎  export { F };⏎}^⏎type F = 1;
^export import A = B.C;^⏎namespace B { export type C = 1 }
^export as namespace a;^⏎
import type { A } from 'a';⏎^let b: A^⏎f();
import type { A } from 'a';⏎^let b: typeof A^⏎f();
import type { A } from 'a';⏎^export { A^ }⏎f();
import type { A } from 'a';⏎f((^A^) => A);
^export = a;^⏎declare const a: number;
^export = a¦;^⏎
^import A = b.C; let x: A;^⏎import b from 'b';
^import A = c¦.C;^⏎import b from 'b';
^type U<V> = V extends (b: infer I) => void ? I & V : never;^⏎
^type U<V> = V extends { a(b: infer I): infer J } ? [I, J] : never;^⏎
^type U<V> = V extends new (b: infer I) => any ? I : never; let x: I¦;^⏎
declare class A extends B {⏎  a: number;⏎  ^b: number;⏎}⏎export declare class C {^⏎ d: number;⏎}⏎declare class B {}
class A extends f<A>()('a', {⏎  ^b: 1,⏎}) {}⏎let y = 1;^⏎function f<A>(): any {}
"""

JAVASCRIPT = """
class A {⏎  a = 1;⏎  ^b = 2;⏎}^⏎
class A {⏎  a = 1;⏎  ^b = 2;⏎}⏎class B {}^⏎
function f() {⏎  ^return 1;⏎}⏎f();^⏎
function f(e, g) {⏎  g(function (e) {⏎    ^e();⏎  }(e));⏎}^⏎
^class B {}⏎class B {}^⏎⏎x = 1;⏎
^class B {}⏎class C {}^⏎⏎x = 1;⏎
class B {}⏎^class B {}^⏎⏎x = 1;⏎
function f(a) {⏎  return a.some((b) => b && ^b) ? a : 1;^⏎}⏎
function f(a) {⏎  const b = 1;⏎  return a.some((b) => b && ^b) ? b : a;^⏎}⏎
function f(a) {⏎  return a.map((b) => b.map((c) => ^c).map((d) => d + b));^⏎}⏎
const g = ({ a, b }, [c]) => a + ^b + c;⏎g(g);^⏎
function f(a) {⏎  return a.map(() => ^a).map((c) => c + a);^⏎}⏎
"""

# defaults of parameters that are closed already
DEFAULTS = """
function f(a, b = ^zz¦^) {}⏎
function f(a, b = ^a^) {}⏎
function f(a, b = ^f(a)^) {}⏎
function f(a, b = ^() => b + c^, c) {}⏎
function f(a, { b = ^a^ }) {}⏎
const g = (a, b = ^a^) => a;⏎
const g = (a, b = ^zz¦^) => a;⏎
class A {⏎  f(a, b = ^zz¦^) {}⏎}⏎
class A {⏎  f(a, b = ^A.c(a)^) {}⏎}⏎
class A {⏎  f(a, b = ^zz¦^) {}⏎
f(a, b = ^zz¦^) {}⏎
f(a, b = ^1^) {}⏎
function f(a) {⏎  const b = ^() => c^; const c = 1;⏎}⏎
const b = () => { return ^c^ }; const c = 1;⏎
"""
TYPED_DEFAULTS = """
function f(a: A, b: B = ^a^) {} interface A {} interface B {}⏎
class C { constructor(private a: 1, b = ^a^) {} }⏎
function f(a = 1, b: ^typeof b^) {}⏎
^function f(a: 1, b = () => b) {}^⏎
^const g = (a: 1, { b, c = b }: 2) => c + b;^⏎
"""
PYTHON_DEFAULTS = """
def f(a, b=^a¦^):⏎    pass⏎
def f(a, b=^zz¦^):⏎    pass⏎
c = 1⏎def f(a, b=^c^):⏎    pass⏎
c = 1⏎def f(a, b=^[c, a¦]^):⏎    pass⏎
class A:⏎    k = 1⏎    def f(self, b=^k^):⏎        pass⏎
class A:⏎    k = 1⏎    def f(self, b=^self¦^):⏎        pass⏎
def f(a, b=^lambda: a¦^):⏎    pass⏎
def f(a, b=^lambda a: a^):⏎    pass⏎
"""

CASES = [
    (language, line)
    for language, lines in (
        (Language.TYPESCRIPT, TYPESCRIPT + DEFAULTS + TYPED_DEFAULTS),
        (Language.JAVASCRIPT, JAVASCRIPT + DEFAULTS),
        (Language.PYTHON, PYTHON_DEFAULTS),
    )
    for line in lines.strip().splitlines()
    if line
]


@pytest.mark.parametrize(("language", "line"), CASES)
def test_what_may_be_written(language: Language, line: str) -> None:
    before, written, after = (part.replace("⏎", "\n") for part in line.split("^"))
    text, mark = written.replace("¦", ""), written.find("¦")
    syntax = parse(Document("file:///a", language, before + after))
    names = {**global_names(language), **names_at(syntax, len(before))}
    symbols = SymbolContext(language, names)
    entry = Entries(language).enter(before + after, len(before))
    rule = ScopeConstraint.of(entry, symbols)
    refused = -1
    for place, character in enumerate(text if mark < len(text) else text + after):
        following = rule.advance(character)
        if isinstance(following, Refusal):
            refused = min(place, len(text))
            break
        rule = following
    assert refused == mark


ENDS = """
let x: ^string^⏎
interface A {⏎  m(a^: number^)⏎}
type A = {⏎  ^a: boolean^⏎}
type A = B extends infer C extends⏎  {⏎   ^a: string^⏎
type A<B> = Map<^any^>⏎
f<^string^>()⏎
let x = y as ^unknown^⏎
class A {⏎  m(): ^symbol^⏎}
let x = y + ^number¦^⏎
let x = y || ^any¦^⏎
"""


@pytest.mark.parametrize("line", ENDS.strip().splitlines())
def test_a_text_ends_after_a_type_that_is_a_keyword_and_not_after_an_unknown_name(line: str) -> None:
    before, written, after = (part.replace("⏎", "\n") for part in line.split("^"))
    language, text = Language.TYPESCRIPT, written.replace("¦", "")
    syntax = parse(Document("file:///a", language, before + after))
    symbols = SymbolContext(language, {**global_names(language), **names_at(syntax, len(before))})
    rule = ScopeConstraint.of(Entries(language).enter(before + after, len(before)), symbols).advance(text)
    assert isinstance(rule, ScopeConstraint)
    assert (rule.may_stop() is not None) == ("¦" in written)
