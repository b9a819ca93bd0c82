"""What each identifier is for, as soon as a rule has consumed it; and both answers while a text leaves two."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from tests.decoder.grammar.roles_of import begin, readings

# text => name:role, in the order of the text's decisions; the roles by their first letters.
JAVASCRIPT = """
let a = b;                          => b:ref a:bin
const {a, b: c, ...d} = e;          => e:ref a:bin b:key c:bin d:bin
function f(a, {b}, [c], d = e) {}   => f:bin a:par b:par c:par d:par e:ref
x = (a, b) => c;                    => a:par b:par c:ref x:ref
x = (a, b) + c;                     => a:ref b:ref c:ref x:ref
x = a => a;                         => a:par a:ref x:ref
a.b.c;                              => a:ref b:mem c:mem
f(a)[b]?.c;                         => f:ref a:ref b:ref c:mem
x = {a, b: c, d() {}};              => a:sho b:key c:ref d:key x:ref
label: for (;;) break label;        => label:lab label:lab
for (const a of b) {}               => a:bin b:ref
for (a of b) {}                     => a:ref b:ref
class A extends B { c = d }         => A:bin B:ref c:key d:ref
try {} catch (e) {}                 => e:bin
import a, {b, c as d} from 'm';     => a:bin b:bin c:imp d:bin
import * as a from 'm';             => a:bin
export {a, b as c};                 => a:ref b:ref c:exp
export {a} from 'm';                => a:imp
x = <a.b c={d}/>;                   => a:ref b:mem c:key d:ref x:ref
get = set;                          => set:ref get:ref
`${a}`;                             => a:ref
"""
TYPESCRIPT = """
let a: B<C> = d;                    => B:typ C:typ d:ref a:bin
function f(a: B, c?: D): E {}       => f:bin a:par B:typ c:par D:typ E:typ
interface A<T> { b: C }             => A:bin T:bin b:key C:typ
type A = B.C;                       => A:bin B:ref C:mem
enum A { B = c, D }                 => A:bin B:key c:ref D:key
import type {A as B} from 'm';      => A:imp B:bin
"""
PYTHON = """
a = b                               => b:ref a:bin
a, (b, *c) = d                      => a:bin b:bin c:bin d:ref
a.b = c                             => a:ref b:mem c:ref
def f(a, b=c, *d, e: F = g): pass   => f:bin a:par b:par c:ref d:par e:par F:typ g:ref
x = lambda a, b: c                  => a:par b:par c:ref x:bin
f(a, b=c)                           => f:ref a:ref b:key c:ref
for a, b in c: d                    => a:bin b:bin c:ref d:ref
x = [a for b in c if d]             => a:ref b:bin c:ref d:ref x:bin
with a as b: c                      => a:ref b:bin c:ref
try: a⏎except B as c: d             => a:ref B:ref c:bin d:ref
import a.b as c, d                  => a:imp b:imp c:bin d:imp
from a import b, c as d             => a:imp b:imp c:imp d:bin
global a                            => a:bin
if (a := b): c                      => a:bin b:ref c:ref
class A(B, c=D): pass               => A:bin B:ref c:key D:ref
match = a                           => a:ref match:bin
f"{a}"                              => a:ref
a: B                                => B:typ a:bin
del a                               => a:ref
"""


def cases() -> list[tuple[Language, str, str]]:
    found: list[tuple[Language, str, str]] = []
    for languages, lines in (
        ((Language.JAVASCRIPT,), JAVASCRIPT),
        ((Language.TYPESCRIPT, Language.TSX), TYPESCRIPT),
        ((Language.PYTHON,), PYTHON),
    ):
        for line in lines.strip().splitlines():
            text, _, expected = line.partition(" => ") if line.count(" => ") == 1 else line.rpartition(" => ")
            found += [(language, text.rstrip(), expected.strip()) for language in languages]
    return found


def roles(language: Language, text: str) -> list[list[str]]:
    state = begin(language).advance(text.replace("⏎", "\n"))
    assert state is not None
    return [[f"{name}:{role.value[:3]}" for name, role in reading.decided] for reading in readings(state)]


@pytest.mark.parametrize(("language", "text", "expected"), cases())
def test_roles(language: Language, text: str, expected: str) -> None:
    end = "\n0\n" if language.is_python else "\n;0;"
    found = [sorted(reading) for reading in roles(language, text + end)]
    assert sorted(expected.split()) in found, found


def test_both_readings_of_an_undecided_parenthesis_are_kept() -> None:
    state = begin(Language.JAVASCRIPT).advance("x = (a, {b, c: d})")
    assert state is not None
    assert len(readings(state)) > 1
    arrow, operator = state.advance(" => b;0"), state.advance(" + b;0")
    assert arrow is not None
    assert operator is not None
    assert [dict(reading.decided)["a"].value for reading in readings(arrow)] == ["parameter"]
    assert [dict(reading.decided)["a"].value for reading in readings(operator)] == ["reference"]
