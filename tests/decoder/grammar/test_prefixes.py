"""What the automaton lets through, character by character, and where it stops."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Grammar

# `¦` stands before the character that must be refused; a line without it must be accepted to its end. ⏎ is a line end.
JAVASCRIPT = r"""
let x = 1
let x = 1 ¦2
let x = 1⏎let y = 2
let x = 1⏎(y)
const ¦=
const {a, b: c} = d
if (x) { y } else z
if (x¦;
f(a, b)¦)
retur
return
return⏎x
x = function
x = functio
x = /[/]\/*/g.test(y)
x = a / b / c
x = 0x1F + 1e-3 + 1_000n
x = 1.
x = "a\"b
x = 'it' + `a ${b + `c ${d}`} e
`${¦}
/* open
// to the end⏎x
a ? b : c
a ?? b
a?.[0]?.(x)
a => b
async x => await x
({a, b = 1} = c)
for (const x of y) {}
for (;;)¦)
class A { #x = 1; static async *m() {} get y() { return 1 } }
class A { ¦)
do x; while (y) z
x++⏎y
i⏎++j
<div a={b}>{c}</div>
<div></div¦=
import {a as b} from 'm'
import a ¦b
export default class {}
label: for (;;) break label
try { } catch { }
switch (a) { case 1: b; default: c }
switch (a) { ¦b
x = {a, b() {}, get c() { return 1 }, [d]: e, ...f}
new.target
function* f() { yield* a.b = c }
var let_ = yield_
x = ¦;
if\u0061 = typeof\u{61}
x = 1.e¦x
x <!-- a
x = <!-- a⏎1
"""
TYPESCRIPT = r"""
let x: number = 1
let x: Array<Map<string, number>> = y
let x: ¦=
type A<T> = T extends string ? `a${T}` : never
interface A { (x: number): string; readonly b?: c }
interface A { b: ¦}
enum A { B = 1, C }
function f(this: void, x?: number): x is string {}
x as unknown as string
x!.y
abstract class A<T> extends B<T> implements C { private constructor(public x: number) {} }
declare module "a" { export const b: number }
type F = (a: string) => void
let x = <T>(y: T) => y
import type { A } from './a'
"""
PYTHON = r"""
def f(x: int = 1, *a, **k) -> str: pass
def f(¦]
def f():⏎    return 1⏎
def f()¦;
if x:⏎  y⏎elif z: w⏎else:⏎  v⏎
if x ¦y
x = [1,⏎2,⏎  3]
x = (1⏎¦;
x = 1 + \⏎  2
x = "a¦⏎
x = '''a⏎b
x = f"{a!r:>{b}} c"
for x in y: z
while x: break
class A(B, c=D):⏎    x = 1⏎    def f(self): return self.x⏎
lambda x, *y: x
[x for x in y if z]
{x: y for x, y in z}
x = y if z else w
import a.b as c, d
from . import (a, b,)
from ¦=
@d⏎class A: pass
match x:⏎    case [1, *y] if z: w⏎
async def f(): await x
try: x⏎except (A, B) as e: y⏎finally: z
x: int
not x
x not in y
x is not y
x not ¦=
	x
if x:⏎	y⏎	z⏎
print(x)
return
ret
x = 0x_f + 1_0j
x = y if\⏎z else w
# comment
"""


def check(grammar: Grammar, line: str) -> None:
    accepted, mark, refused = line.replace("⏎", "\n").partition("¦")
    state = grammar.start()
    for at, character in enumerate(accepted):
        following = state.advance(character)
        assert following is not None, f"{character!r} at {at} was refused"
        state = following
    if mark:
        assert state.advance(refused[0]) is None, f"{refused[0]!r} was let through"


def cases() -> list[tuple[Language, str]]:
    found: list[tuple[Language, str]] = []
    for languages, lines in (
        ((Language.JAVASCRIPT, Language.TSX), JAVASCRIPT),
        ((Language.TYPESCRIPT,), TYPESCRIPT),
        ((Language.PYTHON,), PYTHON),
    ):
        found += [(language, line) for language in languages for line in lines.strip("\n").splitlines()]
    return found


def test_a_long_comment_is_never_shortened_to_one_that_ends_elsewhere() -> None:
    lines = "\n   * one more line, that is long enough" * 9  # the text is shortened a few characters after
    for padding in range(40):
        comment = f"/** {'w' * padding}{lines}\n   * of calls (f) // and slashes\n   */"
        text = f"interface X {{\n  (a: number): number\n  {comment}\n  (c: string): string\n}}"
        check(Grammar.load(Language.TYPESCRIPT), text)


@pytest.mark.parametrize("portable", [False, True], ids=["native", "portable"])
@pytest.mark.parametrize(("language", "line"), cases())
def test_what_is_accepted_and_refused(language: Language, line: str, portable: bool) -> None:
    check(Grammar.load(language, portable=portable), line)
