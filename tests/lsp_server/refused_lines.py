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
"""

ALLOWED_TYPES = r"""
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
"""

REFUSED = r"""

"""

ALLOWED = r"""

"""
