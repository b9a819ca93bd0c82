"""What a rewrite would lose: the file before | after | the instruction => the names."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse
from lsp_server.rewriting.losses import lost, repeated

CASES = """
js | function f() {} function g() {}   | function f() {}               | fix the bug              => g
js | function f() {} function g() {}   | function f() {}               | remove g                 =>
js | function f() {} function g() {}   | function f() {}               | delete unused functions  =>
js | function f() {}                   | const f = () => {};           | use arrow functions      =>
js | export const a = 1, b = 2;        | export const a = 1;           | sort                     => b
js | const a = 1, b = () => 1;         | const c = 1;                  | sort                     => b
js | class A { f() {} g() {} }         | class A { f() {} }            | add comments             => g
js | class A { f() {} }                | class B { f() {} }            | rename A to B            =>
js | class A { f() {} }                | class B { f() {} }            | add comments             => A
js | function oneTwo() {}              | function one_two() {}         | use snake_case           =>
js | function oneTwo() {} let a = () => 1 | function one_two() {}      | use snake_case           => a oneTwo
js | function f() { function g() {} }  | function f() {}               | make it faster           =>
js | if (a) { f(); }                   | f();                          | make it faster           =>
ts | interface A {} type B = A; enum C {} | interface A {}             | add types                => B C
ts | export function f(): void {}      | export const f = (): void => {}; | use arrow functions   =>
js | class A { f() {} }                | class A { f = () => {} }      | use arrow functions      =>
js | class A { #f() {} 'g'() {} }       | class A { #f() {} 'g'() {} b; } | add b                  =>
js | const f = () => 1;                | const f = memo(() => 1);      | cache results            =>
js | const a = 1;<>Object.assign(exports, { a }); | exports.b = 1;     | sort                     => a
js | const a = 1;<>f(a); // no exports | f(1); // no exports           | sort                     =>
js | const a = 1;<>f(exports);         | f(exports);                   | sort                     =>
js | function f() {}                   | exports.f = function () {};   | give it to others        =>
js | function f() {}                   | import { f } from './f';      | use our library          =>
js | export const a = 1;               | const a = 1;<>export { a };   | sort                     =>
js | export const a = 1;               | const a = 1;                  | sort                     => a
js | export const a = 1;               | const a = 1;                  | make all private         =>
js | const a = 1;<>export { a };       | const a = 1;                  | sort                     => a
js | export const a = 1;               | const a = 1;<>module.exports = { a }; | use CommonJS     =>
js | export const { a, b } = c;        | export const a = c.a, b = c.b; | take nothing apart      =>
js | export const { a, b } = c;        | export const { a } = c;       | sort                     => b
js | export const a = c.a, b = c.b;    | export const { a, b } = c;    | take it apart            =>
js | export default function f() {}    | export function f() {}        | sort                     =>
js | function f() {} function g() {}   | function f() {}               | add the stripe dropdown  => g
ts | enum A { b }                      | const A = { b: 0 } as const;  | use an object            =>
py | def f(a): return a                | f = lambda a: a               | make it shorter          =>
py | def f(a): return a                | from b import f               | use our library          =>
py | class A:<>  def f(self): pass     | class A:<>  f = None          | make it shorter          =>
py | def f(): pass<>class A:<>  def g(self): pass | def f(): pass       | add docstrings           => A g
py | @a<>def f(): pass                 | def f(): pass                 | add docstrings           =>
py | if a:<>  def f(): pass            | b = 1                         | add docstrings           => f
py | x = 1                             | y = 1                         | add docstrings           =>
py | PORT = 1<>def f(): pass           | def f(): pass                 | add docstrings           => PORT
py | PORT: int = 1                     | PORT = 1                      | drop types               =>
js | const PORT = 1; f();              | f();                          | sort                     => PORT
py | "a"<>from __future__ import b<>c() | c()                          | sort                     => __doc__ b
py | # d<>'a'<>c()                     | 'b'<>c()                      | sort                     =>
py | "a"                               | b                             | drop the documentation   =>
js | const PORT = 1; f();              | f();                          | inline PORT              =>
"""
LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "py": Language.PYTHON}


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_lost(case: str) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, before, after, instruction = (part.strip().replace("<>", "\n") for part in left.split(" | "))
    one, other = (parse(Document(f"file:///a.{suffix}", LANGUAGES[suffix], text)) for text in (before, after))
    assert lost(one, other, instruction) == expected.split()


TWICE = """
js | function f() {}                   | function f() {}<>function f() {}                      => f
js | function f() {}                   | export function f() {}<>function f() {}               => f
js | function f() {}<>function f() {}  | function f() {}<>function f() {}                      =>
js | class A { f() {} }                | class A { f() {} f() {} }                             => f
js | class A { get f() {} }            | class A { get f() {} set f(a) {} static f() {} }      =>
js | class A { f() {} }                | class A { f() {} } class B { f() {} }                 =>
js | let a;                            | let a; let a;                                         => a
js | f(() => { let a; });              | let a; f(() => { let a; });                           =>
ts | function f(a: A): B {}            | function f(a: A): B; function f(a: C): D; function f(a: any) {} =>
js | var a;                            | var a; var a;                                         => a
ts | interface A {}                    | interface A {} interface A {}                         =>
py | def f(): pass                     | def f(): pass<>def f(): pass                          => f
py | if a:<>  def f(): pass            | if a:<>  def f(): pass<>else:<>  def f(): pass        =>
py | class A:<>  a = 1                 | class A:<>  @b<>  def f(s): pass<>  @c<>  def f(s): pass =>
"""


@pytest.mark.parametrize("case", TWICE.strip().splitlines())
def test_repeated(case: str) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, before, after = (part.strip().replace("<>", "\n") for part in left.split(" | "))
    one, other = (parse(Document(f"file:///a.{suffix}", LANGUAGES[suffix], text)) for text in (before, after))
    assert repeated(one, other) == expected.split()
