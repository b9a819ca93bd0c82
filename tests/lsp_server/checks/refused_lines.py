"""Lines of TypeScript and of JavaScript that compilers refuse, and such that they take, for `test_refused`.

What is inserted stands between two `^`; where there are none, all of the line is. `⏎` is a line's end.
"""

REFUSED_TYPES = r"""
abstract class A { abstract *a(): void; }
abstract class A { abstract a = 1; }
abstract class A { abstract a: B = 1; }
abstract class A { abstract constructor(); }
abstract class A { private abstract a(): void; }
async () => { class A { [await a] = 1; } };
class A extends !a {}
class A extends () => {} {}
class A extends B & C {}
class A extends B as C {}
class A extends B | C {}
class A extends a + b {}
class A extends a = b {}
class A extends a ? b : c {}
class A extends await a {}
class A implements B & C {}
class A implements B | C {}
class A implements B[] {}
class A implements typeof B {}
class A { @a constructor() {} }
class A { @a declare b; }
class A { [(a)] = 1; }
class A { [-a] = 1; }
class A { [1n] = 1; }
class A { [`a${b}`] = 1; }
class A { [a = 1]: B; }
class A { [a as any]: B; }
class A { [a()](): void; [a()]() {} }
class A { [a: 'b']: B; }
class A { [a: boolean]: B; }
class A { [a['b']] = 1; }
class A { a: unique symbol; }
class A { accessor a?: B; }
class A { async get a() { return 1; } }
class A { constructor(private this) {} }
class A { constructor?() {} }
class A { declare #a: B; }
class A { declare [a()]: B; }
class A { declare accessor a: B; }
class A { get a?() { return 1; } }
class A { private #a: B; }
class A { public #a() {} }
class A { set a(b): void {} }
class A { static *constructor() {} }
class A { static a!: B }
class A { static a: unique symbol; }
class A { static async constructor() {} }
class A { static constructor() {} }
class A<T, T> {}
class A<T: B> {}
class B {} ^interface A { [a: B]: C }^
class await {}
class public {}
class static {}
const { a }: unique symbol = b;
declare enum A { a = b() }
declare function f(): unique symbol;
declare global { class A { a!: B } }
declare namespace N { class A { a = 1; } }
enum A { a = '1' | 2, b }
enum A { a = 'b' + 'c', d }
enum A { a = 'b'.length, c }
enum A { a = f(), b }
enum A { a, a }
enum B { c } ^interface A { [a: B]: C }^
function f(): import(a).B {}
function f(): unique symbol {}
function f(@a b) {}
function f(a: unique symbol) {}
function f(this = a) {}
function f(this?: A) {}
function f<T: B>() {}
function* f() { class A { [yield] = 1; } }
interface A { *a(): B; }
interface A { [a()](): B }
interface A { [a: 'b' | 'c']: B; }
interface A { [a: () => B]: C }
interface A { [a: Date]: C }
interface A { [a: Record<string, B>]: C }
interface A { [a: [string]]: B }
interface A { [a: any]: C }
interface A { [a: bigint]: C }
interface A { [a: object]: C }
interface A { [a: string | undefined]: C }
interface A { [a: string[]]: B }
interface A { [a: string]?: B; }
interface A { -readonly [a: string]: B }
type A = { +readonly [a: number]: B };
interface A { [a: typeof b]: C }
interface A { a: unique symbol }
interface A { f(): unique symbol }
interface A { get a?(): B }
interface A { set a(b): void; }
interface A<B extends string> { [a: B]: C }
interface A<B> { [a: B]: C }
interface A<const T> {}
interface B {} ^interface A { [a: B]: C }^
interface static {}
let a: readonly (unique symbol)[];
let a: typeof import(b);
let a: unique symbol;
type A = ?B;
type A = Array<unique symbol>;
type A = [,];
type A = [?a];
type A = A;
type A = (A | B);
type A = B & A;
type A = B | A;
type A<B> = A<B> | C;
type A = await;
type A = import('a', b);
type A = import(`a`);
type A = import(a);
type A = import.meta;
type A = public;
type A = static;
type A = typeof a?.b;
type A = unique symbol;
type A = yield;
type A = { [K in keyof B]: C, };
type A = { [`a${b}`]: C };
type A = { [a + b]: C };
type A = { [a()]: B };
type A = { [a['b']]: C };
type A = { a?: unique symbol };
type A<T: B> = C;
type A<const T> = B;
type await = a;
type public = a;
type static = a;
type yield = a;
x = (@a b) => c;
x = a as B!;
x = a as import(b).C;
x = a satisfies B!;
x = a<B>!;
x = { async get a() {} };
x = { async⏎a() {} };
x = { f(@a b) {} };
class A extends B { constructor() { super<C>(); } }
class A { private ^set^⏎b: C }
declare import a = b.c;
declare module A {}
export as namespace a;
export default namespace A {}
export module 'a' {}
export module A {}
for (;;) type B = c;
if (a) ; else ;
if (a) ; else b();
if (a) interface B {}
if (a) type B = c;
if (a) using b = c;
import type { A } from 'a'; ^x = () => A;^
interface A { readonly ^set^⏎b: C }
label: enum A {}
label: function f() {}
label: interface A {}
label: type A = B;
label: var a;
module 'a' {}
module A {}
module A.B {}
module a;
type A = [...A[], ...B[]];
type A = [...B[], ...C[]];
using { a } = b;
x = 'a\07';
x = 'a\8';
x = () => new.target;
x = 08.5;
x = 09.5;
x = <A, B>c;
x = a.b <C> <D>;
x = a.b<C> < d;
x = a.b<C> > d;
x = a.b<C><⏎d;
x = a<B><C>;
x = new .target;
x = new a<B>.c();
x = new import.meta.a();
x = new new.target();
x = new.target;
x = y as 'a'.b<C>();
x = y as unknown ();
x = y as unknown <number>;
x = y as⏎a.b("c");
x = { a: 1 }^ + { b: 2 }^ as const;
class A extends B ^+ c^ {}
x = [⏎a.b<C>⏎c.d()⏎];
x = y as any.B.c();
declare const a = b;
declare const a = b();
declare const a: B = c;
declare namespace A { let b = 1; }
declare namespace A { b(); }
declare namespace A { export default b; }
declare namespace A { import b = require('c'); }
declare namespace A { declare const b: C; }
declare namespace A { if (b) {} }
declare namespace A { for (;;) {} }
declare module 'a' { b(); }
declare module 'a' { declare const b: C; }
declare module 'a' { function b() {} }
declare global { a(); }
namespace A { export default b; }
namespace A { export = b; }
namespace A { export { b }; }
namespace A { export { b } from 'c'; }
namespace A { export * from 'c'; }
namespace A { export { b }; const b = 1; }
namespace A { await b; }
namespace 'a' {}
class A { set b(c?) {} }
class A { set b(c = 1) {} }
class A { set b(c?: D) {} }
interface A { set b(c?: D) }
interface A { set b(c = 1) }
x = { set b(c = 1) {} };
x = { set b(c?) {} };
class A { get b<C>() { return 1; } }
class A { set b<C>(d) {} }
interface A { get b<C>(): D }
x = { get b<C>() { return 1; } };
declare global { class A { b() {} } }
declare const a = null;
declare const a = [1];
const a = new ^=^⏎b.c();
import type { A } from 'a'; ^x = { ...A };^
x = <T>a => b;
x = a as B?.c;
class A {} ^class A {}^
a: { ^continue a;^ }
x = y⏎.b^<C>^⏎.d();
f(() => {⏎^let this;^⏎});
x = /\u{1}/;
x = /\p{L}/;
x = /\k<a>/;
x = /\1/;
"""

ALLOWED_TYPES = r"""
type A = A[] | B;
type A = { a: A } | [A] | B<A>;
type A = () => A;
type A = { -readonly [K in B]: C };
type A = { readonly [a: string]: B };
abstract class A { protected abstract readonly a: B; abstract get c(): D; }
abstract class A { abstract b(): void; private c!: D; }
class A { *a() {} async *b() {} static async c() {} get d() { return 1; } set d(e) {} }
class A { async a(): Promise<B>; async a() {} }
class A { static #a: B; readonly #b = 1; static #c() {} }
class A { private constructor(); private constructor(a?: B) {} }
class A { @a() private b: C; @d readonly e = 1; @f g() {} }
class A { constructor(@a private b: C) {} d(@e() f: G) {} }
class A { declare readonly a = 1; }
declare class A { static readonly a = 1; b: C; readonly d = E.f }
class A { [a: string]: B; readonly [c: number]: D; }
class A { [a.b.c] = 1; static [Symbol.iterator] = 2; ['d'] = 3; [-1] = 4; [`e`] = 5; }
class A { [a()]() {} get [a + b]() { return 1; } }
class A { static readonly a: unique symbol = b; }
class A { accessor a: B; accessor #c = 1; }
interface A { get [a()](): B; [c.d](): E; readonly [f]: unique symbol }
interface A { [a: string | number | symbol]: B }
interface A { [a: string | 'b']: C }
interface A { [a: `b${string}`]: C }
interface A { [a: string & { b: C }]: D }
interface A { [a: B]: C }
interface A { [a: Uppercase<string>]: B, c: D }
type B = string; ^interface A { [a: B]: C }^
enum B { c } ^type A = { [a in B]: C };^
export declare const a: unique symbol;
type A = { readonly [a in B as `${a}`]-?: C; };
type A = { [a in B]: C⏎};
type A = typeof import('b')['c'];
type A = import('b').C | import('b', { with: { 'resolution-mode': 'import' } }).D;
x = a as typeof import('b');
x = [import(a), import.meta];
function f(a = import(b)) {}
x = await import(a) as B;
function f(/* b */ this: A, b) {}
x = { async⏎() {}, async b⏎() {} };
x = { async /* a */ b() {}, get c() { return 1; } };
enum A { a = 1 << 2, b, c = a | b, d, e = B.f, g = f(), h = 1 }
enum A { ['a'] = 1, [`b`] = 2 }
declare enum A { a = 1, b }
class A extends (a || b) {}
class A extends a.b<c> implements d.e<f>, (G) {}
class A extends f(a)<B> {}
class A extends a[b] {}
class A<T extends B<T>, U = T> {}
class A { f<const T>() {} }
type A = <const T>() => B;
type A = [a?: B, ...c: D[]];
x = <A>b!;
type A = B.default | B.C.if;
export * as default from 'a';
import type { A } from 'a'; ^f = async () => { const { A } = await import('a'); A.b(); };^
@a class B {}
class A extends B { f() { super.a`b`; super.a<C>(); } }
class A { ^@a b() {}^ }
class A { readonly ^set;^⏎b: C }
const a = require('a'); ^for await (const b of a) {}^
const a = require('a'); ^x = import.meta.url;^
declare global { export const a: B; }
declare module 'a' { export const b: C; export default b; }
declare module 'a' {}
declare module 'a';
export namespace A {}
if (a) { using b = c; }
import type { A } from 'a'; ^const A: B = c;^
import type { A } from 'a'; ^x = A => A;^
namespace A { import b = c.d; }
namespace A⏎{⏎export const b = 1;⏎^export const c = 2;^⏎}
namespace A⏎{⏎export const b = 1;⏎}
type A = [...B, ...C[]];
type A = [...B, ...C];
using a = b;
x = (y as A).b;
x = (y as a)("c");
x = <A<B, C>>d;
x = a!⏎.b;
x = a<B<C>>;
x = a<B>;
x = new a().b<c>();
x = new a<B>().c();
x = new a<B>;
x = y as A.b;
x = y as A[b];
x = y as A⏎(b);
x = y as a.b⏎("c");
x = y as⏎B;
x = y satisfies A.b.c;
x = [a < b > c];
class A extends f(a)^.b^ {}
x = [a, ^b ^] as const;
export { a as await };
export { static as a, b as static } from 'b';
import { await as a, static as c } from 'b';
export { b as private };
declare function f() : void
declare function f(a = 1): void;
declare function f({ a }): void;
declare const a;
declare const a = 'b';
declare const { a };
declare let a, b: C;
declare var a;
declare enum A { b }
declare type A = B;
declare interface A {}
declare abstract class A { abstract b(): void; c(); }
declare class A extends B { private c; static d: E; constructor(); get f(): G; }
declare namespace A { const b; function c(); }
declare module 'a' { export = b; }
declare module 'a' { import b from 'c'; const d: b; export { d }; }
namespace A { import b = c; }
namespace A { this.b; }
namespace A.B.C { }
namespace A { namespace B {} }
namespace A { declare const b; }
class A { get b(): void { } }
class A { declare; }
class A { declare declare; }
declare namespace A { export { b }; const b: C; }
declare namespace A { export { b as default }; const b: C; }
declare namespace A { namespace B { const c: D; } }
declare namespace A { const b = 1, c = 'd', e = -1; }
declare namespace A { export import b = c.d; }
declare module 'a' { export default function b(): C; }
declare module 'a' { import b = require('c'); export = b; }
declare module 'a' { export * from 'b'; export { c } from 'd'; }
declare module 'a' { class B { c(): D } interface E { f: G } }
declare const a = `b`;
declare const a = true;
declare const a = -1n;
namespace A { async function f() { await b; } }
namespace A { b(); if (c) { d(); } for (;;) {} }
namespace A { export const b = 1; export function c() {} export type D = E; }
declare class A { get b(): C; set b(c: D); }
x = { set b({ c }) {}, set d([e]) {} };
x = <T>(a) => b;
import { Time } from 'a'; ^export function Time() {}^
import { A } from 'a'; ^x = { ...A };^
export default function a(): void; ^export default function a(b?) {}^
class A {} ^namespace A {}^
class A {} ^interface A {}^
x = y⏎.b^<C>()^⏎.d();
"""

REFUSED = r"""
'use strict'; x = '\07';
'use strict'; x = '\8';
(async function await() {});
(function* yield() {});
({ ...[a] } = b);
({ ...{ a } } = b);
({ a: b?.c } = d);
@a class B {}
@a export class B {}
@a export default class B {}
@a() class D {}
@a.b.c class D {}
[a.b, c?.d.e] = f;
[a?.b] = c;
async () => await;
async () => { await; };
async () => { class A { a = await b; } };
async () => { class A { static { await a; } } };
async () => { for await (let a of b, c) {} };
async (a = await b) => a;
async (await) => a;
async await => a;
async function f(a = await b) {}
async function f(await) {}
class A extends B { constructor() { super?.(); } }
class A extends B { constructor() { super`a`; } }
class A extends B { constructor() { x = { constructor() { super(); } }; } }
class A extends B { f() { super?.a(); super.a?.(); super[a]?.b; } }
class A extends B { f() { super?.a(); } }
class A { #b; f() { !#b in this; } }
class A { #b; f() { ({ #b: x } = this); } }
class A { #b; f() { a + #b in this; } }
class A { #b; f() { c + #b in this; } }
class A { #b; f() { const { #b: c } = this; } }
class A { #b; f() { delete (this.#b); } }
class A { #b; f() { delete this.#b; } }
class A { #b; f() { x = { #b() {} }; } }
class A { #b; f() { x = { #b: 1 }; } }
class A { #constructor() {} }
class A { #constructor; }
class A { 'constructor' = 1; }
class A { 'constructor'() {} constructor() {} }
class A { @a #b; }
class A { @a @b c() {} }
class A { @a b; @c() d() {} @e.f g }
class A { @a constructor() {} }
class A { @a get b() { return 1; } @a set b(c) {} }
class A { ^@a b() {}^ }
class A { a = () => arguments; }
class A { a = arguments; }
class A { a = await b; }
class A { get 'constructor'() { return 1; } }
class A { static a = arguments; }
class A { static prototype() {} }
class A { static prototype; }
class A { static { arguments; } }
class A { static { await a; } }
class A { static { await; } }
class A { static { var await; } }
const a = require('a'); ^for await (const b of a) {}^
const a = require('a'); ^x = import.meta.url;^
export @a class B {}
export default @a class {}
for ((a, b) of c) {}
for (a?.b of c) {}
for (a?.b.c of c) {}
for (async of b) {}
for (const a of b, c) {}
function* f() { class A { a = yield; } }
function* f() { var yield; }
function* f() { x = { yield }; }
function* f() { yield⏎*a; }
function* f(a = yield) {}
import a from 'a'; ^x = '\07';^
import a from 'a'; ^x = new.target;^
import a from 'b' with { ...type };
import a from 'b' with { [type]: 'json' };
import a from 'b' with { type };
import a from 'b' with { type: `json` };
import a from 'b' with { type: json };
try {}
try {} catch ([a, a]) {}
try {} catch (^[a, a]^) {}
try {} catch (a) { ^let a;^ }
try {} catch (a) { let a; }
try {} catch ({ a }) { ^var a;^ }
try {} catch ({ a }) { var a; }
var \u{1d7d8} = 1;
x = 'a\u{110000}';
x = 01n;
x = 0_1;
x = @a class {};
x = \u0030;
x = `\07`;
x = a?.(b)`c`;
x = a?.b.c`d`;
x = a?.b`c`;
x = a\u{7d};
x = async () => await;
x = async () => { await; };
x = async (a = await b) => a;
x = async (await) => a;
x = async await => a;
x = async⏎() => {};
x = import(...a);
x = import(a, ...b);
x = new a?.();
x = new import('a');
x = { @a b() {} };
x = { async f(a = await b) {} };
x = { constructor() { super(); } };
{ export const a = 1; }
{ import a from 'b'; }const a = require('a'); ^import 'b';^
export function a() {} ^export { a };^
export default class A {} ^export { A as default };^
export { a as default }; var a; ^export default b;^
a: for (;;) { b: { ^continue b;^ } }
function f(a = 1) { 'use strict'; }
x = /[^\onerror-\onpage]/;
x = /(?<a>b)(?<a>c)/;
x = /\k<b>(?<a>b)/;
x = /\1/u;
x = /\-/u;
x = /\_/u;
x = /\p/u;
x = /\u{110000}/u;
x = /\x1/u;
x = /[\w-a]/u;
x = /[a-\w]/u;
x = /\b*/;
x = /\00/u;
import a from 'a'; function f() { ^} {^ return a; }
for (;;) { ^} {^ break; }
x = { f() { a[super]; } };
"""

ALLOWED = r"""
({ ...a.b } = c);
({ [a?.b]: c } = d);
({ a: b.c = d?.e } = f);
[...[a]] = b;
[...{ a }] = [b];
[a = b?.c] = d;
[a[b?.c]] = d;
async () => { class A extends (await a) {} };
async () => { class A { [await a]() {} } };
async () => { for await (async of b) {} };
async () => { x = { await: 1 }; x.await(); };
async function await() {}
class A extends B { constructor() { super(); } }
class A { #b; f() { !(#b in this); } }
class A { #b; f() { #b in this && a; } }
class A { #b; f() { a && #b in this; } }
class A { #b; f() { a === #b in this; } }
class A { #b; f() { delete this.#b.c; } }
class A { [arguments] = 1; }
class A { a = async () => await b; }
class A { a = function () { return arguments; }; }
class A { a() { return arguments; } }
class A { prototype() {} }
class A { static { async () => { await a; }; } }
class A { static { function f() { arguments; } } }
const a = require('a'); ^async () => { for await (const b of a) {} };^
export default namespace;
for ((a) of c) {}
for ((async) of b) {}
for (;;) ;
for (a().b of c) {}
for (a[0] of c) {}
for (const a in b, c) {}
for (const a of (b, c)) {}
for (const async of b) {}
function await() {}
function f(a) { try {} catch (^a^) {} }
function* f() { class A { [yield]() {} } }
function* f() { x = { yield: 1 }; }
function* f() { yield *⏎a; }
function* f() { yield⏎a * b; }
function* yield() {}
if (a) ; else b();
if (a) b(); else ;
import a from 'a'; ^class A { b = new.target; }^
import a from 'a'; ^function f() { x = () => new.target; }^
import a from 'a'; ^x = '\0';^
import a from 'a'; ^x = import.meta.url;^
label: for (;;) {}
label: function f() {}
label: var a;
label: { const a = 1; }
let a; try {} catch (^a^) {}
module
module.exports = a;
try { ^let a;^ } catch (a) {}
try {} catch (a) { ^() => { let a; };^ }
try {} catch (a) { ^for (const a of b) {}^ }
try {} catch (a) { ^var a;^ }
try {} catch (a) { ^{ let a; }^ }
try {} catch (a) { function f() { ^let a;^ } }
try {} catch (a) { } try {} catch (^a^) { }
try {} catch ({ a, b: c }) { ^let b;^ }
try {} catch { ^let a;^ }
while (a) ;
x = 'a\0';
x = 'a\07';
x = 'a\0a';
x = 'a\8';
x = 'a\u{10FFFF}\x00';
x = (a?.b)`c`;
x = 0.5e10;
x = 00;
x = 09.5;
x = 0;
x = 0b1_0;
x = \u0061b;
x = `\0`;
x = a.\u0062;
x = a.b<C> + d;
x = a\u{62};
x = a`\07`;
x = a`b`?.c;
x = async () => {};
x = async⏎(a);
x = a⏎!b;
x = new (a())();
x = new (import('a'))();
x = new a`b`();
x = new new a()();
x = { *yield() {}, async await() {} };
const a = require("a");⏎import ^b from 'b';^
import 'a'; const b = require('b'); ^import 'c';^
export { a as default } from 'b'; ^export * from 'c';^
export default a; var b; ^export { b };^
a: b: for (;;) ^continue a;^
function f(a, b) { 'use strict'; }
x = /[\a-\z\w-\d\n-\r]/;
x = /\k<a>(?<a>b)\1/u;
x = /[\w\-][\-\]]\/\.\$\u{1F600}\p{Script=Greek}\P{L}/u;
x = /\a\-\_\1\k<a>/;
x = /(?<名>b)(?<$a>c)(?!d)(?<=e)/;
x = /[\w-]+[-\d][a-z\d]/u;
x = /\0\cA\n\x00\u0000/u;
import a from 'a'; function f() { if (a) { ^} else {^ return a; } }
function f() { ^} function g() {^ return a; }
x = { f() { super.a[super.b]; } };
let b; { ^var a,^⏎  c = b; }
"""
