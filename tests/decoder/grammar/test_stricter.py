"""What tree-sitter takes and the compilers do not; each rule is confirmed by the real compiler."""

from __future__ import annotations

import pytest

from benchmarks.grammar_compilers import compiles
from benchmarks.grammar_corpus import Judge
from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.stricter import RULES, StricterRule

GOOD = {
    Language.PYTHON: r"""
print("x")
print = 1
if x:⏎    y⏎z⏎
if x:⏎    if y:⏎        z⏎    w⏎v⏎
if x:⏎	y⏎	z⏎
if x:⏎    y⏎# c⏎  # c⏎    z⏎
x = [⏎1,⏎      2]⏎y⏎
if x:⏎⏎⏎    y⏎
if x: y⏎z⏎
class A:⏎    def f(self):⏎        return 1⏎
def f():⏎    for x in y:⏎        if z: break⏎        continue⏎    yield x⏎
async def f():⏎    await x⏎    async with y: z⏎
while x:⏎    break⏎
x = lambda: (yield)
'''⏎   x⏎'''⏎
if x:⏎    y; z⏎    w⏎else:⏎    v⏎
f(a, b=1, *c, d=2, **e)
f(a=1, *b)
f(**a, b=1, **c)
f(a=1, match=2)
f(a=1, b=c(d=1, e=2), f=g)
def f(a, b=lambda a: a, *c, d, **e): pass
def f(a, /, b=a, *, c: a = a) -> a: pass
def f(a): return lambda a: a
lambda a, b=(a, a): a
(a) += 1
(a): int = 1
x[a, b] += 1
a, *b = c
*a, = b
for a, *b in c: pass
for (a, b) in c: pass
with a as b, c as d.e, f as g[0]: pass
with (a as b, c as (d, e)): pass
with a as f().b: pass
del a, b.c, d[0], (e, f)
del f().a
for x in y:⏎    for z in w: pass⏎    else: break
for x in y:⏎    try: z⏎    except: break⏎    else: continue⏎    finally: w
while x:⏎    if y: break⏎    else: continue
async def f(): [a async for a in b]
x = (a async for a in b)
async def f():⏎    async for a in b: yield a⏎    async with c: pass
async def f():⏎    def g(a=await b): pass
with (a as b, c as d): pass
with a, b as c: pass
with (a + b) as c, not d as e: pass
with lambda: a as b: pass
try: pass⏎except* (A, B) as c: pass
match x:⏎    case [a, 2 as b] if c: pass⏎    case (1 | 2) as z if z: pass
import a as b
from a import (b as c, d as e)
from a import (b,)
from a import (b, c⏎,)
with (a,): pass
with (a as b, c,): pass
with (a,), b: pass
with a, (b,): pass
def f():⏎    class A:⏎        x = [1 for y in z]⏎    return A
x: a[b:c]
x: a[b:c:d] = e
def f() -> a: b: c
def f(x: a[b:c], y: d = e) -> a[b:c]: return x
def f() -> a:⏎    b: c = d
""",
    Language.JAVASCRIPT: r"""
x = a => { { b } }
f(() => {⏎{ let a }⏎b()⏎})
for (const a of b) c
for (const a in b) c
for (const a = 1; a < 2;) c
let a
const [a] = b, {c} = d
for (const {a} of b) for await (const c of d) e
for (;;) { if (x) break }
switch (x) { case 1: break }
a: { break a }
try {} catch {}
try {} finally {}
x = 'a\⏎b'
x = `a⏎b`
x = <a b="c⏎d"/>
return
await x
while (x) continue
a: while (x) { switch (y) { case 1: continue a; default: break } }
for (;;) { switch (x) { case 1: continue } }
async () => { await x }
async function* f() { yield await x }
class A { async f() { await x } *g() { yield x; yield } async *h() { yield await x } }
class A { static { this.x = 1 } static async f() { await x } }
function f() { await (x) }
function f() { return yield_ * 2 }
function f() { yield * x }
for await (const x of y) {}
(a) = 1
((a.b)) = 1
(a) += 1
a = b = c
a ? b : c = d
a => b = c
a && (b = c)
[a, b] = [c, d]
({a, b: c} = d)
({a: b.c} = d)
a?.b.c(d = 1)
a?.[b++]
x[a?.b] = 1
(a)++
if (a && b(c)) ++d
while (a + 1) --b
(a.b)--
++a.b
-a++
a++ + ++b
f(a++)
class A { 1 = 2; this = 3; if = 4; x = a = b }
(a, b) => a
(a, b = a) => a
({a, b}, [c, d]) => a
function f(a, a) {}
({ f(a, b) {}, get: 1, if: 2, class() {} })
({if: a} = x)
x = {let: 1, async, get, of, static: 2}
a.if.class
function f(a = b.c, {d: e}, [g]) {}
for (a.b of c) d
- --x; typeof ++a; a++ + b
async (a.b)
async (...a.b)
(...[a, b]) => a
(...{length}) => length
[...a.b] = c
({a = 1, b: [...c.d]} = e)
f(...a.b, ...c => d)
/[/*]\//g
""",
    Language.TYPESCRIPT: r"""
type A<T = X> = T
let a: A<B> = c
x = {if: 1, class: 2}
a.if = b.class
class A<T = B> { if = 1; f<U = T>(a: U = b): void {} }
interface A { if: 1; new (): B; delete(): void }
enum A { if, else = 1 }
async function f<T>(a: T): Promise<T> { return await a }
class A { async f(a: B): Promise<C> { await a } }
const f = async (a: B): Promise<C> => await a
import { default as a } from "b"
export { a as default }
export default class {}
a! = b
declare const a
declare namespace A { const b; }
declare global { const a }
export const a: B
for (const a of b) {}
type A = { a: 1 } | {}
(a as B) = c
(<any>a).b = c
""",
}


# `¦` stands before the character at which the text must be refused; tree-sitter takes the whole of it.
BAD = {
    Language.PYTHON: r"""
f(a=1, b¦)
f(a=1, ¦2)
f(**a, *¦b)
class A(b=1, c¦): pass
def f(a, a¦): pass
def f(a, b=1, a¦=2): pass
def f(a: int, a¦: str): pass
def f(a, **a¦): pass
lambda a, a¦: 1
def f(a, ¦(b)): pass
(a, b) +¦= 1
[a, b] +¦= 1
a, b +¦= 1
a, b:¦ int
[a]¦: int
*a =¦ 1
for *a ¦in x: pass
with a as f()¦: pass
with a as 1¦: pass
with a as b, c as d()¦: pass
try: pass⏎except A as f()¦: pass
del f()¦; x
del 1¦; x
del a if b else c¦; x
for x in y: pass⏎else: break¦
while x: pass⏎else: continue¦
def f():⏎    async ¦with a: pass
def f(): [a a¦sync for a in b]
async def f(): lambda: await¦ x
async def f(): yield from¦ x
class A: return¦
class A: yield¦
x = (a as¦ b)
f(a as¦ b)
a a¦s b
with a as b ¦+ c: pass
with a as ¦-b: pass
del ¦-x
x: a:¦ b
def f(x: a:¦ b): pass
def f() -> a: b: c:¦ d
""",
    Language.JAVASCRIPT: r"""
const a¦;
const {a}¦;
const a⏎¦b
for (const a¦; ; ) b
class A { static { return¦ } }
class A { f() { await ¦x } }
() => await ¦x
async () => { function g() { await ¦x } }
function f() { for ¦await (x of y); }
function* f() { () => yield ¦x }
({ f() { yield ¦x } })
for (;;) { () => { break¦ } }
for (;;) { class A { static { break¦ } } }
switch (x) { default: continue¦ }
(a, b) =¦ 1
([a]) +¦= 1
a + b =¦ c
!a =¦ 1
await a =¦ 1
a?.b =¦ 1
a?.[b] +¦= 1
a?.b+¦+
(a + b)+¦+
++1¦;
[a]+¦+
`x`+¦+
async (a, a) =¦> 1
class A { f(a, a) ¦{} }
({ f(a, a) ¦{} })
({class¦})
({if¦} = x)
function f(a¦.b) {}
function f(a¦?.b) {}
(a.b) =¦> 1
({ f(a, b¦[0]) {} })
function f(...a¦.b) {}
({ f(...a¦[0]) {} })
class A { f(a, ...b¦().c) {} }
(...a¦.b) => 1
async (...a.b) =¦> 1
++ ¦!x
({¦{a} = b} = c)
""",
    Language.TYPESCRIPT: r"""
x = if¦
f(else¦)
return else¦
class A { f(a¦.b: C) {} }
class A { f(...a¦.b: C) {} }
function f(...a¦!) {}
const a¦;
namespace A { export const b¦; }
function f() { const {a}¦; }
type A = {¦| a: 1 |}
type A = { ¦|}
""",
}

# Neither tree-sitter nor a compiler takes these: a keyword that a rule refuses must not be read as a name instead.
REFUSED_ANYWAY = {
    Language.JAVASCRIPT: r"""
function f(super) {}
class A { f(a, this) {} }
(a, super) => 1
""",
    Language.TYPESCRIPT: r"""
class A { f(a, super) {} }
(super, a) => 1
""",
}


def accepts(grammar: Grammar, text: str) -> bool:
    state = grammar.start().feed(text)
    return state is not None and state.complete()


PAIRS = [(rule, language) for rule in RULES for language in sorted(rule.languages)]


@pytest.mark.parametrize(("rule", "language"), PAIRS, ids=[f"{language}: {rule.name}" for rule, language in PAIRS])
def test_the_rule_refuses_what_tree_sitter_takes(rule: StricterRule, language: Language) -> None:
    text = rule.refused if rule.refused != "x = 'a\n" else "x = 'a\n'"
    assert Judge.of(language).accepts(text)
    assert accepts(Grammar.load(language, strict=False), text)
    assert not accepts(Grammar.load(language), text)


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "language"), PAIRS, ids=[f"{language}: {rule.name}" for rule, language in PAIRS])
def test_the_real_compiler_agrees(rule: StricterRule, language: Language) -> None:
    verdict = compiles(language, rule.refused)
    if verdict is None:
        pytest.skip("no compiler of this language is installed")
    assert not verdict


def lines(cases: dict[Language, str]) -> list[tuple[Language, str]]:
    return [(language, line) for language, text in cases.items() for line in text.strip("\n").splitlines()]


def refused_at(grammar: Grammar, text: str) -> int | None:
    """The offset of the first character that is not accepted."""
    state = grammar.start()
    for at, character in enumerate(text):
        following = state.feed(character)
        if following is None:
            return at
        state = following
    return None


@pytest.mark.parametrize(("language", "line"), lines(BAD))
def test_bad_texts_are_refused_as_soon_as_it_is_certain(language: Language, line: str) -> None:
    marked = line.replace("⏎", "\n") + "\n"
    text = marked.replace("¦", "")
    assert Judge.of(language).accepts(text)
    assert refused_at(Grammar.load(language), text) == marked.index("¦")


@pytest.mark.parametrize(("language", "line"), lines(REFUSED_ANYWAY))
def test_no_rule_makes_more_of_a_text_than_tree_sitter(language: Language, line: str) -> None:
    assert not Judge.of(language).accepts(line)
    assert not accepts(Grammar.load(language), line)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "line"), [case for case in lines(BAD) + lines(GOOD) if "<a" not in case[1]])
def test_the_real_compiler_agrees_on_each_text(language: Language, line: str) -> None:
    verdict = compiles(language, line.replace("⏎", "\n").replace("¦", "") + "\n")
    if verdict is None:
        pytest.skip("no compiler of this language is installed")
    assert verdict is ("¦" not in line)


TYPESCRIPT = [
    (language, line)
    for language in (Language.TYPESCRIPT, Language.TSX)
    for _, line in lines({spoken: BAD[spoken] for spoken in (Language.JAVASCRIPT, Language.TYPESCRIPT)})
]
# TypeScript says of these that their types do not fit, which is no matter of syntax; node refuses their syntax.
REFUSED_FOR_THEIR_TYPES = ("([a]) +¦= 1", "[a]+¦+", "`x`+¦+")


@pytest.mark.parametrize(("language", "line"), TYPESCRIPT)
def test_typescript_and_tsx_refuse_what_javascript_does(language: Language, line: str) -> None:
    text = line.replace("⏎", "\n").replace("¦", "") + "\n"
    assert Judge.of(language).accepts(text)
    assert refused_at(Grammar.load(language), text) is not None


@pytest.mark.slow
@pytest.mark.parametrize(("language", "line"), [case for case in TYPESCRIPT if case[1] not in REFUSED_FOR_THEIR_TYPES])
def test_typescript_itself_refuses_them(language: Language, line: str) -> None:
    verdict = compiles(language, line.replace("⏎", "\n").replace("¦", "") + "\n")
    if verdict is None:
        pytest.skip("TypeScript 7 is not installed")
    assert not verdict


@pytest.mark.parametrize(("language", "line"), lines(GOOD))
def test_good_texts_are_not_refused(language: Language, line: str) -> None:
    text = line.replace("⏎", "\n")
    state = Grammar.load(language).start()
    for at, character in enumerate(text):
        following = state.feed(character)
        assert following is not None, f"{character!r} at {at} was refused"
        state = following
    assert state.complete()
