"""What compilers refuse of trees that tree-sitter takes, in TypeScript and, where it is in both, in JavaScript.

What is inserted stands between two `^`; where there are none, all of the line is. Each line was shown to TypeScript,
and those of JavaScript are shown to node again.
"""

from __future__ import annotations

import shutil

import pytest

from benchmarks.validity_node import NodeParser
from context_index import Document, Language, parse
from lsp_server.checks.refused import is_refused
from tests.lsp_server.checks import refused_lines

REFUSED = r"""
x = a || () => {};
x = a ||⏎^b;^⏎function (c) {};
x = ^a;^ // c⏎class {}
x = () => {} || a;
x = ^async () => {}^ ? a : b;
x = () => {} ^?? a^;
x = a => {}.b;
x = (a) => { } (b);
x = (a)^⏎=> a^;
x = a ?? b || c;
x = a && b ?? c;
x = a || b ^?? c^;
x = -a ** b;
new a?.b();
x = import();
x = import(a, b, c);
x = /(/;
x = /a)/;
x = /[b-a]/;
x = /a{2,1}/;
x = /a**/;
x = /(?a)/;
x = /a/gg;
x = /a/z;
x = /{/u;
function f(...a, ^b^) {}
x = (^...a,^ b) => a;
x = ([a, ...b, c]) => a;
const { ...a, b } = c;
const { a: b.c } = d;
const [a, b.c] = d;
const { a: ^[b.c]^ } = d;
const { ...{ a } } = b;
for (const { a: b.c } of d) {}
[...a, b] = c;
let { a };
let [a], b;
x = { get a(b) {} };
x = { set a() {} };
x = { set a(...b) {} };
class A { get a(^b^) {} }
if (a) let b = 1;
if (a) {} else const b = 1;
while (a) class B {}
while (a) function b() {}
if (a) async function b() {}
for (;;) const b = 1;
a: class B {}
export default const a = 1;
export default let a;
export default a; ^export default b;^
export { a }; var a; ^export { a };^
export const a = 1; ^export { a };^
var a, b; export { b }; ^export { a as b };^
export * as a from 'a'; ^export { b as a } from 'b';^
export { a, ^a^ } from 'b';
export const { a, b: [c] } = d; ^export { c };^
export var a = 1; ^export var a^
export { a }; var a, b; ^export var a = b;^
export * as a from 'a'; ^export * as a from 'b';^
const { ^[a] = b^ } = c;
function f({ ^{ a } = b^ }) {}
var a; export { a }; ^export * as a from 'b';^
export var { a, b: [c] } = d; ^export var c;^
for await (const a in b) {}
for (var a = 1 of b) {}
class A { async constructor() {} }
class A { get constructor() {} }
class A { *constructor() {} }
class A { b() { return this.#c; } }
class A { #c; ^#c = 1;^ }
class A { #c; #c() {} }
this.#a;
class A { constructor() { super(); } }
function f({ a }, ^a^) {}
x = ({ a, b: [a] }) => a;
const a = require('a'); ^await a();^
exports.a = f(); ^await a();^
import a from 'a'; ^<!-- b^
import a from 'a'; ^const b = yield^
import a from 'a'; ^const b = await^
import a from 'a'; ^x = { await };^
import a from 'a'; ^static^
import a from 'a'; ^delete a;^
import a from 'a'; ^() => { await (a).b(); };^
import a from 'a'; ^const arguments = a;^
import a from 'a'; ^eval = a;^
import a from 'a'; ^x = 010;^
'use strict'; ^function f(static) {}^
class A { b() { return ^public^; } }
x = ^export^;
x = { ^export^ };
import a from 'a'; ^f(let);^
while (a) { ^b: 1,^ }
while (a) ^{ b: 1, }^
x = () => { ^a: 1, b: 2^ };
function f() {} ^instanceof a^
^function () {};^
^a--^ ();
^a++^.b;
--^'a'^;
a?.b = c;
a?.b++;
f(^, a^);
f(a, ^, b^);
x = { a, ^, b^ };
const { a, ^, b^ } = c;
if (a) { throw ^⏎b^ }
a: ^⏎let b^
a: ^break b;^
x = () => { ^continue;^ };
while (a) { b(() => { ^break;^ }); }
function f() { return ^await a;^ }
x = ^0in a^;
let a; { ^var a;^ }
const { a, ^a^ } = b;
const { a, b: ^a^ } = c;
for (const a of b) { ^var a;^ }
function f(a) { ^let a;^ }
import a from 'a'; ^const a = 1;^
{ function a() {} ^var a;^ }
import a from 'a'; ^export { b };^
exports.a = 1; ^await a;^
import a from 'a'; ^var b;^ function b() {}
x = import?.a;
x = ^a→b^;
x = a.^→b^;
a: { ^a: b();^ }
x = ^<a b="c" />^;
function* f() { x = ^a + yield b^; }
export function* f() { return () => ^yield^; }
"""

ALLOWED = r"""
x = a || (() => {});
x = a ||⏎^b ||^⏎function (c) {};
^x = a;^⏎// c⏎function b(c) {}
x = a ? () => {} : b;
x = a => b || c;
x = a => ({}).b;
x = f(a => {}, b).c;
x = async (a) => {};
x = (a ?? b) || c;
x = a || (b ?? c);
x = a || b && c;
x = (-a) ** b;
x = a ** -b;
new (a?.b)();
x = new a.b(c?.d);
x = import('a');
x = import('a', { with: { type: 'json' } });
x = /(a)[\]\w-z(]{2,}?(?:b|^c$)+(?<d>e)(?<=f)(?!g)\/\(/gi;
x = /{a}[^]]/;
x = /\p{L}\u{1f600}[\u0000-\uffff]/u;
x = /[[a]--[b]]/v;
function f(a, ...b) {}
x = ({ a, ...b }, [c, ...d]) => a;
const { a: b, c: [d = e.f], ...g } = h;
[a.b, ...c.d] = e;
({ a: b.c } = d);
for (const { a } of b) {}
for ({ a: b.c } of d) {}
for (const [a] in b) {}
let a, { b } = c;
x = { get a() {}, set a(b) {} };
x = { get(a) {}, set() {} };
if (a) { let b = 1; }
for (let a = 1; ;) {}
if (a) function b() {}
a: for (const b of c) {}
export default function a() {}
export default class {}
export default async () => {};
export const a = 1; ^export default a;^
export var { a, b: c } = d; ^export var b = a;^
export var a; ^var a;^
async () => { for await (const a of b) {} };
for (var a = 1 in b) {}
class A { constructor() {} static async constructor() {} }
class A { #c; b() { return this.#c; } d() { return a => #c in a; } }
class A { get #c() {} set #c(a) {} }
class A { #c; b() { class D { e(f) { f.#c; } } } }
class A extends B { constructor() { super(); } }
function f({ a, b: c }, [d] = a, ...e) {}
function* f() { const a = yield; }
x = { *f() { return [yield a]; } };
const a = require('a'); ^async () => { await a(); };^
import a from 'a'; ^await a();^
static = public;
delete a.b;
arguments = eval;
x = 010;
x = { finally: a, export() {} }.default.let;
import { default as a } from 'c';
export { default, a as b } from 'a';
export * as a from 'a'; ^export * as b from 'b';^
export { a }; var a; ^export { a as b };^
export * from 'a'; ^export { b } from 'b';^
while (a) { b: c(); }
x = () => ({ a: 1, b: 2 });
({ a: 1, b: 2 });
(function () {})();
export default function () {}
(a++).b;
a[b]++;
(await (a)).b;
import a from 'a'; ^async () => { await (a ?? b).c(); };^
f(a, );
x = [, a];
const [, a] = b;
throw a;
a: for (;;) { b: while (c) { continue a; } }
a: { ^break a;^ }
switch (a) { case b: break; }
async () => { for (const a of b) { await a; } };
var a; ^var a;^
let a; { ^let a;^ }
let a; function f() { ^var a;^ }
function f(a) { ^var a;^ }
try {} catch (a) { ^var a;^ }
for (let a of b) { ^let a;^ }
function f() {} ^function f() {}^
const a = b => { ^const a = b;^ };
import a from 'b'; ^export { a, a as b };^
import a from 'a'; ^export { a };^
x = ä$.ñ_1 + { \u0061: 名前 }.名前;
class A { #ä; b() { return this.#ä; } }
a: { () => { ^a: b();^ }; }
a: {} ^a: {}^
"""

REFUSED_TYPES = r"""
export interface A {} ^export { A };^
interface A {} export { A }; ^export interface A {}^
export type A = 1; ^export type { A };^
export enum A {} ^export { A };^
export namespace A { export const a = 1; } ^export { A };^
export declare const a: number; ^export { a };^
export abstract class A {} ^export { A };^
export function f(): void; ^export { f };^
type A = [a?: B, ^c: D^];
type A = [B?, C];
type A = [...B[], C?];
type A = [B?, ...C[], D];
function f(...a: A[], b: B) {}
function f(...a?: A[]) {}
function f(a?: A = b) {}
x = a as const;
x = f() as const;
x = <const>a;
x = a<B>.c;
x = 010;
let { a }: A;
for (var a = 1 in b) {}
import type a, { b } from 'c';
try {} catch (a: Error) {}
declare function f() {}
declare async function f();
declare let a = 1;
declare class A { b() {} }
export default enum A {}
export default type A = B;
function f() { namespace A {} }
namespace A { ^export namespace B^ export const a = 1; }
class A { ^get a(): B;^ get b() {} }
class A { ^static set a(b)^ }
if (a) { ^namespace A {}^ }
class A { abstract b(): void; }
class A { abstract b: C; }
class A { readonly b() {} }
class A { b!: C = d; }
class A { b!; }
class A extends B, C {}
class A { b: 1, c: 2 }
class A { constructor(): void {} }
class A { constructor(a: B): C; constructor(a: B, d?: D) {} }
class A { constructor<B>() {} }
class A { constructor(private { b }) {} }
class A { constructor(private ...b: B) {} }
x = { a?() {} };
enum A { b = 'b', c }
enum A { [b] = 1 }
type A = B | () => C;
type A = B & new () => C;
type A = readonly B;
type A = B extends C<⏎readonly⏎infer D, E> ? D : E;
type A = readonly keyof B;
type A = readonly typeof b | C;
type A = readonly (B[]);
type A = readonly B['c'];
let a: B⏎<C>;
let a: | B.c⏎^<D>^, b;
let a: typeof b⏎<C>;
x = a as B⏎<C>;
type A = +1;
type A = typeof b();
type A = infer B;
interface A { ^export^⏎b: C }
class A { declare b = 1; }
function f() { ^declare const a: B;^ }
function f() { ^import a = b.c;^ }
namespace A { ^import a from 'b';^ }
x = a ?? ^namespace b {}^;
import type { A } from 'a'; ^x = A;^
import { type A } from 'a'; ^A.b();^
import type { A } from 'a'; ^x = { A };^
interface A { readonly ^b(): C^ }
interface A { ^set^⏎b: C }
interface A { ^static^⏎b: C }
let a: A<^B,^>;
a(b); ^import type { b } from 'b';^
import a from 'a'; ^const public = 1;^
"""

ALLOWED_TYPES = r"""
type A = [a: B, c?: D, ...e: F[]];
type A = [B, C?, ...D[]];
type A = [...B[], C];
type A = [...B, C?];
x = (a: A) => b<B>`c`;
function f(this: A, a: B, b?: C, c = d, ...e: F[]) {}
x = [a] as const;
x = ('a') as const;
x = -1 as const;
enum A { b } ^x = A.b as const;^
x = <const>['a'];
x = a<B>();
x = a as B;
declare const { a }: A;
import type { a, b } from 'c';
import type a from 'c';
try {} catch (a: unknown) {}
declare function f(): void;
declare const a = 1;
declare class A { b(): void; c: D }
export default interface A {}
export default abstract class A {}
export default function a(): void; ^export default function a(b?: C) {}^
export interface A {} ^export class A {}^
export function a(): void; ^export function a(b?: C) {}^
export type A = B; ^export const A = b;^
declare module 'a' { namespace B {} }
namespace A { namespace B {} }
declare global⏎{⏎namespace A⏎{ var b: C; }⏎}
declare class A { get a(): B; set a(b); }
interface A { get a(): B; set a(b); }
abstract class A { abstract get a(): B; }
class A { a(): B; a(b?) {} get(): C; get() {} }
declare global { namespace B {} }
abstract class A { abstract b(): void; abstract c: D; }
class A { readonly b = 1; c!: D; private readonly e: F; }
class A extends B implements C, D {}
interface A extends B, C {}
class A { constructor(private b: B, readonly c?: C) {} }
class A { constructor(a: B); constructor(a: B, d?: D) {} }
declare class A { constructor(a: B); b(): C }
class A { #b(): void; ^#b() {}^ }
class A { get b(): C { return d; } set b(c: C) {} }
interface A { get b(): C; set b(c: C); }
interface A { b?(): C; get(a: B): C; set(a: B, c: D): void }
enum A { b = 'b', c = 'c' }
enum A { b, c = 2, d }
type A = B | (() => C);
type A = new () => B & C;
type A = readonly B[] | undefined;
type A = readonly [B];
type A = readonly B[] extends C ? D : E;
type A = readonly B.c<D>[][] & E;
interface A extends B⏎<C> {}
class A extends B⏎<C> implements D⏎<E> {}
x = a⏎<B>(c);
x = new A⏎<B>();
type A = -1;
type A = typeof b.c;
type A = typeof import('a');
type A = B extends (infer C)[] ? C : never;
type A = B extends C<infer D extends string> ? D : never;
interface A { get: B; set(c: D): E; readonly⏎c: D }
class A { declare b: C; static⏎d: E }
type A = (...arguments: B) => C;
namespace A { import b = c.d; }
declare module 'a' { import b from 'c'; }
import type { A } from 'a'; ^type B = typeof A.b | A;^
import type { A } from 'a'; ^x = (A: B) => A;^
import { type A, b } from 'a'; ^b();^
let b: A; ^import type { A } from 'b';^
x = (a as A).b;
x = !a<A>(b);
import type { default as B } from 'a';
import { type default as B } from 'a';
export { type default as B } from 'a';
export { a as if };
async () => { x = await a<B<C>>(b); };
import a from 'a'; ^declare namespace b { var a: B; }^
x = a as A.b;
"""


def _cases(typed: str, plain: str, *, refused: bool) -> list[tuple[Language, str, bool]]:
    """`⏎` is a line's end."""
    typed_lines, plain_lines = typed.strip().splitlines(), plain.strip().splitlines()
    return [(Language.TYPESCRIPT, line, refused) for line in typed_lines] + [
        (Language.JAVASCRIPT, line, refused) for line in plain_lines
    ]


CASES = [
    *_cases(REFUSED_TYPES, REFUSED, refused=True),
    *_cases(ALLOWED_TYPES, ALLOWED, refused=False),
    *_cases(refused_lines.REFUSED_TYPES, refused_lines.REFUSED, refused=True),
    *_cases(refused_lines.ALLOWED_TYPES, refused_lines.ALLOWED, refused=False),
]


def _inserted(line: str) -> tuple[str, int, int]:
    cut = line.count("^") == 2 and not line.startswith("x = /")
    before, text, after = line.split("^") if cut else ("", line, "")
    before, text, after = (part.replace("⏎", "\n") for part in (before, text, after))
    return before + text + after + "\n", len(before), len(before + text)


@pytest.mark.parametrize(("language", "line", "refused"), CASES)
def test_what_compilers_refuse(language: Language, line: str, *, refused: bool) -> None:
    text, start, end = _inserted(line)
    name = "a.ts" if language is Language.TYPESCRIPT else "a.js"
    syntax = parse(Document(f"file:///{name}", language, text))
    assert not syntax.root.has_error  # else it would be refused without these rules
    assert is_refused(syntax, start, end) is refused


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_says_the_same_of_javascript() -> None:
    node = NodeParser()
    try:
        plain = [(line, refused) for language, line, refused in CASES if language is Language.JAVASCRIPT]
        said = {line: node.parses(_inserted(line)[0]) for line, _ in plain}
    finally:
        node.close()
    assert [line for line, refused in plain if said[line] is refused] == []


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("const a = 1; ^a = 2;^", True),
        ("const a = 1; f(() => { ^a += 2;^ });", True),
        ("^const a = 1; a++;^", True),
        ("const a = 1; ^for (a of b) {}^", True),
        ("let a = 1; ^a = 2;^", False),
        ("const a = {}; ^a.b = 2;^", False),
        ("const a = 1; ^b = a;^ a = 2;", False),
        ("const a = 1; f((a) => { ^a = 2;^ });", False),
    ],
)
@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.TYPESCRIPT])
def test_constants_are_not_assigned(language: Language, line: str, *, refused: bool) -> None:
    """To parsers it is no matter; it fails where it runs, and compilers of TypeScript say so before."""
    text, start, end = _inserted(line)
    assert is_refused(parse(Document("file:///a", language, text)), start, end) is refused


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("type A = [if: {}: B]; ^f(g^", True),
        ("type A = [if: {}: B]; { ^} {^ }", False),
        ("type A = [if: {}: B]; ^f({ g: '(' })^", False),
        ("type A = [if: { B]; ^f({ g })^ }", False),
        ("type A = [if: { B]; ^f() }^", False),
        ("type A = [if: B; ^f(g^", False),
    ],
)
def test_brackets_in_a_text_that_is_broken_anyway(line: str, *, refused: bool) -> None:
    text, start, end = _inserted(line)
    syntax = parse(Document("file:///a.ts", Language.TYPESCRIPT, text))
    assert syntax.root.has_error
    assert is_refused(syntax, start, end) is refused


_TAGS = r"""
x = <a ^{b}^ />; -> refused
x = <a ^{b}^></a>; -> refused
x = <a ^{/* b */}^ />; -> refused
x = <a ^{...b}^ />; -> taken
x = <a b=^{c}^ />; -> taken
x = <a b=^{...c}^ />; -> refused
x = <a>^{...b}^</a>; -> taken
x = <a>^{b}^</a>; -> taken
x = <a>b^</c>^; -> refused
x = <a>b^</a>^; -> taken
x = ^<a>^b</c>; -> refused
x = ^<a>^b</a>; -> taken
x = <a.b>c^</a.b>^; -> taken
x = <a.b>c^</a.c>^; -> refused
x = <>b^</>^; -> taken
x = <>b^</a>^; -> refused
x = <a><b>c^</b></a>^; -> taken
x = <a><b>c^</a></b>^; -> refused
x = <a>^<b />^</a>; -> taken
"""


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.TSX])
@pytest.mark.parametrize("line", _TAGS.strip().splitlines())
def test_tags_that_are_not_each_others(line: str, language: Language) -> None:
    said, expected = line.split(" -> ")
    before, written, behind = said.split("^")
    document = Document("untitled:x", language, "import React from 'react';\n" + before + written + behind + "\n")
    start = document.text.index("\n") + 1 + len(before)
    assert is_refused(parse(document), start, start + len(written)) is (expected == "refused")
