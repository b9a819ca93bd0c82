"""What each identifier is for, as soon as a rule has consumed it; and both answers while a text leaves two."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.constraint.scope.languages.tables import Use
from tests.decoder.scope.uses_of import begin, readings

# text => name:use, in the order of the text's decisions; the uses by their first letters.
JAVASCRIPT = """
let a = b;                          => b:ref a:dec
const {a, b: c, ...d} = e;          => e:ref a:dec b:not c:dec d:dec
function f(a, {b}, [c], d = e) {}   => f:own a:par b:par c:par d:par e:ref
x = (a, b) => c;                    => a:par b:par c:ref x:ref
x = (a, b) + c;                     => a:ref b:ref c:ref x:ref
x = a => a;                         => a:par a:ref x:ref
a.b.c;                              => a:ref b:unk c:unk
f(a)[b]?.c;                         => f:ref a:ref b:ref c:unk
x = {a, b: c, d() {}};              => a:ref b:not c:ref d:not x:ref
label: for (;;) break label;        => label:not label:not
for (const a of b) {}               => a:dec b:ref
for (a of b) {}                     => a:ref b:ref
class A extends B { c = d }         => A:own B:ref c:not d:ref
try {} catch (e) {}                 => e:par
import a, {b, c as d} from 'm';     => a:loc b:loc c:unk d:loc
import * as a from 'm';             => a:loc
export {a, b as c};                 => a:ref b:ref c:not
export {a} from 'm';                => a:unk
x = <a.b c={d}/>;                   => a:ref b:unk c:not d:ref x:ref
get = set;                          => set:ref get:ref
`${a}`;                             => a:ref
typeof a;                           => a:ope
x = <a>{b}</a>;                     => a:ele b:ref a:not x:ref
"""
TYPESCRIPT = """
let a: B<C> = d;                    => B:ref C:ref d:ref a:dec
function f(a: B, c?: D): E {}       => f:own a:par B:ref c:par D:ref E:ref
interface A<T> { b: C }             => A:own T:loc b:not C:ref
type A = B.C;                       => A:own B:ref C:unk
enum A { B = c, D }                 => A:own B:not c:ref D:not
import type {A as B} from 'm';      => A:unk B:loc
import a = b.c;                     => a:loc b:ref c:unk
export as namespace a;              => a:not
export default a;                   => a:ref
"""
PYTHON = """
a = b                               => b:ref a:loc
a, (b, *c) = d                      => a:loc b:loc c:loc d:ref
a.b = c                             => a:ref b:unk c:ref
def f(a, b=c, *d, e: F = g): pass   => f:own a:par b:par c:ref d:par e:par F:ref g:ref
x = lambda a, b: c                  => a:par b:par c:ref x:loc
f(a, b=c)                           => f:ref a:ref b:not c:ref
for a, b in c: d                    => a:loc b:loc c:ref d:ref
x = [a for b in c if d]             => a:ref b:loc c:ref d:ref x:loc
with a as b: c                      => a:ref b:loc c:ref
try: a⏎except B as c: d             => a:ref B:ref c:loc d:ref
import a.b as c, d                  => a:unk b:unk c:loc d:loc
from a import b, c as d             => a:unk b:loc c:unk d:loc
global a                            => a:loc
if (a := b): c                      => a:hoi b:ref c:ref
class A(B, c=D): pass               => A:own B:ref c:not D:ref
match = a                           => a:ref match:loc
f"{a}"                              => a:ref
a: B                                => B:ref a:loc
del a                               => a:ref
match a:⏎ case B(c=d) as e: f       => a:ref B:ref c:not d:cap e:loc f:ref
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


def uses(language: Language, text: str) -> list[list[str]]:
    state = begin(language).advance(text.replace("⏎", "\n"))
    assert state is not None
    return [[f"{name}:{use.name[:3].lower()}" for name, use in reading.decided] for reading in readings(state)]


@pytest.mark.parametrize(("language", "text", "expected"), cases())
def test_the_use_of_each_identifier(language: Language, text: str, expected: str) -> None:
    end = "\n0\n" if language.family == "python" else "\n;0;"
    found = [sorted(reading) for reading in uses(language, text + end)]
    assert sorted(expected.split()) in found, found


def test_both_readings_of_an_undecided_parenthesis_are_kept() -> None:
    state = begin(Language.JAVASCRIPT).advance("x = (a, {b, c: d})")
    assert state is not None
    assert len(readings(state)) > 1
    arrow, operator = state.advance(" => b;0"), state.advance(" + b;0")
    assert arrow is not None
    assert operator is not None
    assert [dict(reading.decided)["a"] for reading in readings(arrow)] == [Use.PARAMETER]
    assert [dict(reading.decided)["a"] for reading in readings(operator)] == [Use.REFERENCE]
