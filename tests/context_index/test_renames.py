"""What a rename of a name, or of a member, comes to: the text | the old name => the text then."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse, uses

NAMES = """
py | def f(a): return a + b.a          | a => def f(z): return z + b.a
py | def f(a): pass<>f(a=1)            | a => def f(z): pass<>f(z=1)
py | def f(a): pass<>g(a=1)            | a => def f(z): pass<>g(a=1)
py | def f(b, a=a): pass<>f(1, a=2)    | a => def f(b, z=z): pass<>f(1, z=2)
py | class A:<>  def __init__(self, a: int = 1): self.a = a<>A(a=2) | a => \
class A:<>  def __init__(self, z: int = 1): self.a = z<>A(z=2)
py | from b import a<>a()              | a => from b import a as z<>z()
py | import a<>a.a()                   | a => import a as z<>z.a()
py | import b as a<>a()                | a => import b as z<>z()
py | f"{a} a" + 'a'  # a               | a => f"{z} a" + 'a'  # a
py | class A:<>  def a(self): a()<>a() | a => class A:<>  def a(self): z()<>z()
py | é = a                             | a => é = z
js | let a = b.a; f({ a, c: a, a: 1 }) | a => let z = b.a; f({ a: z, c: z, a: 1 })
js | const { a } = b; f(a)             | a => const { a: z } = b; f(z)
js | const { a = 1, ...c } = b; f(a)   | a => const { a: z = 1, ...c } = b; f(z)
js | import { a } from 'b'; a()        | a => import { a as z } from 'b'; z()
js | import { b as a } from 'b'; a()   | a => import { b as z } from 'b'; z()
js | function a() {} module.exports = { a }; | a => function z() {} module.exports = { z };
js | export { a }; function a() {}     | a => export { z }; function z() {}
js | class A { a() { a(); this.a(); } } | a => class A { a() { z(); this.a(); } }
ts | interface A { a: A } let b: A;    | A => interface Z { a: Z } let b: Z;
ts | function f(a: number, b = a) {}   | a => function f(z: number, b = z) {}
"""
MEMBERS = """
py | class A:<>  def a(self): self.a()<>a() | a => class A:<>  def z(self): self.z()<>a()
py | class A:<>  a = 1<>b.a            | a => class A:<>  z = 1<>b.a
py | class A:<>  a = 1<>b = A()<>b.a   | a => class A:<>  z = 1<>b = A()<>b.z
py | class A:<>  a: int<>A(a=1)<>f(a=1) | a => class A:<>  z: int<>A(z=1)<>f(a=1)
py | b.a + c.a                         | a => b.z + c.z
js | class A { a() { a(); this.a(); } } | a => class A { z() { a(); this.z(); } }
js | class A { a() { b.a(); } }        | a => class A { z() { b.a(); } }
js | class A { a() {} } const b = new A(); b.a(); c.a(); | a => class A { z() {} } const b = new A(); b.z(); c.a();
js | class A { #a = 1; f() { return this.#a + b.a; } } | a => class A { #z = 1; f() { return this.#z + b.a; } }
js | f(b.a, { a: 1 }, { a })           | a => f(b.z, { z: 1 }, { z: a })
js | const { a } = b; c.a              | a => const { z: a } = b; c.z
ts | interface A { a: number } function f(b: A, c: A[]) { b.a; c.a; } | a => \
interface A { z: number } function f(b: A, c: A[]) { b.z; c.a; }
"""
LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "py": Language.PYTHON}
CASES = [
    (line, members)
    for lines, members in ((NAMES, False), (MEMBERS, True))
    for line in lines.replace("\\\n", "").strip().splitlines()
]


@pytest.mark.parametrize(("case", "members"), CASES)
def test_renamed(case: str, members: bool) -> None:
    suffix, text, rest = (part.strip().replace("<>", "\n") for part in case.split(" | "))
    old, expected = rest.split(" => ")
    syntax = parse(Document(f"file:///a.{suffix}", LANGUAGES[suffix], text))
    for edit in reversed(uses(syntax, old).renamed("Z" if old.isupper() else "z", members=members)):
        text = text[: edit.start] + edit.text + text[edit.end :]
    assert text == expected.strip()
