"""What the real checkers list at a place, of what kind and type, and the calls and names that they describe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index import (
    CheckerCompletion,
    CompletionQuestion,
    Document,
    Misfits,
    Workspace,
    cursor_at,
    parse,
    question_at,
)
from context_index.checkers.answers import Description
from context_index.symbols import NameKind
from tests import needs
from tests.context_index.checkers import PATIENCE, project
from tests.files import document

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    opened = Workspace([project(tmp_path_factory.mktemp("project"))])
    yield opened
    opened.close()


HEADS = {
    "BASE": "class A:<>    def base(self): ...<>",
    "MAPPING": "from typing import TypedDict<>class M(TypedDict):<>    left: int<>    right: str<>",
    "ELEMENTS": "declare global { namespace JSX { interface IntrinsicElements { div: { id: string }; span: {} } } }<>"
    "const Card = (p: any) => <div/>;",
}
"""What some cases begin with."""
CASES = """
ts   const s = 'a'; s.^                                        => trim slice ; push
ts   const s = 'ä€😀'; s.^                                     => trim ; push
ts   const s = 'a'; s.tr^im()                                  => trim slice
ts   import { Cart } from './shop'; new Cart().^               => items total ; secret trim
ts   import { Cart } from './shop'; new Cart().items.^push(1)  => push length ; total
ts   interface A { b: number; c?: string } let a!: A; a.^      => b c ; d
ts   interface A { b: number } let a!: A | undefined; a?.^     => b
ts   interface A { b: number } let a!: A | undefined; a.^      => b
ts   let m!: { __typename: string }; m.^                        => __typename
py   class A: __slots__ = ("__x",)<>A().^                       => __x
ts   let u: unknown; u.^                                       =>
ts   let u: any; u.^                                           =>
ts   import { X } from './nowhere'; X.^                        =>
ts   enum Size { Small, Large } Size.^                         => Small Large
ts   class A { #own = 1; f() { this.^ } }                      => #own f
ts   import * as s from './shop'; s.^                          => Cart place
ts   import * as s from './shop'; let c: s.^                   => Cart Options
ts   'a'.^<>const x = 1                                        => trim
js   const o = { b: 1, c() {} }; o.^                           => b c ; o
js   function f(x) { x.^ }                                     => ; f x
js   Math.^                                                    => floor ; trim
js   /** @type {string[]} */ const m = x; m.^                  => push
jsx  const o = { b: <p>{x}</p> }; o.^                          => b
tsx  const o = { b: 1 }; <p>{o.^}</p>                          => b
py   s = 'a'; s.^                                              => upper split ; append
py   s = 'ä€😀'; s.^                                           => upper
py   from cart import Cart; Cart().^                           => items total ; upper
py   from cart import Cart; Cart().items.^append(1)            => append ; total
py   s = 'a'; s.^upper().strip()                               => upper
py   s = 'a'; s.^ and s                                        => upper
py   s = 'a'; print(s.^                                        => upper
py   s = 'a'; print(s.^<>t = 1                                 => upper
py   s = 'a'<>if s.^:<>    pass                                => upper
py   s = 'a'; f'{s.^}'                                         => upper
py   s = 'a'; [s.^ for s in ('b',)]                            => upper
py   foo(s.^                                                   =>
py   import os; os.^path                                       => path getcwd ; trim
py   def f(x): x.^                                             =>
py   from partial import Partial; Partial().^                  => own
py   from loose import Loose; Loose().^                        => known
py   from nowhere import x; x.^                                =>
py   class A: b = c = 1<>class B: b = 2<>def f(x: A | B): x.^  => b ; c
ts   const o = { ab: 1, 'c-d': 2 }; o['^']                     => ab c-d ; trim
ts   const o = { ab: 1 }; o["^                                 => ab
ts   let o: Record<string, number>; o['^']                     =>
ts   import { ^ } from './shop'                                => Cart Options place ; items type
ts   import a, { ^ } from './shop'                             => Cart Options place ; items type
ts   import { Cart, ^ } from './shop'                          => Options place ; Cart
ts   import { Cart, ^place } from './shop'                     => Options place ; Cart
ts   import { ^ } from './nowhere'                             =>
ts   import x from './^'                                       => shop ; typescript
ts   import { Options } from './shop'; const o: Options = { ^ }           => left right mode
ts   import { Options } from './shop'; const o: Options = { left: 1, ^ }  => right mode ; left
ts   import { Options } from './shop'; const o: Options = { ^: 1 }        => left
ts   import { place } from './shop'; place({ ^                 => left right mode
ts   const { ^ } = {} as { left: 1, right: 2 }                 => left right
ts   const o = { ^ }                                           =>
ts   class A { own = 1; f() { return { ^ } } }                 =>
ts   const o: { ab: 1; 'c-d'?: 2 } = { ^ }                     => ab "c-d"
ts   const m: Record<string, number> = { ^ }                   =>
ts   import { place } from './shop'; place({} as any, '^')     => fast slow
ts   import { place } from './shop'; place({} as any, "^       => fast slow
ts   import { place } from './shop'; place({} as any, '^fast')  => fast slow
ts   import { place } from './shop'; place({} as any, 'fa^st')  => fast slow
ts   import { place } from './shop'; place({ mode: '^' }       => a b
ts   function f(k: 'a' | 'b') { if (k === '^') {} }            => a b
ts   function f(k: 'a' | 'b') { switch (k) { case '^' } }      => a b
ts   let m: 'a' | (string & {}) = '^'                          => a
ts   let m: string = '^'                                       =>
ts   declare function f<T extends string>(x: T): T; f('^')     =>
tsx  const C = (p: { left: number; right?: string }) => <p/>; <C ^ />            => left right
tsx  const C = (p: { left: number; right?: string }) => <p/>; <C left={1} ^></C> => right ; left
tsx  const C = (p: any) => <p/>; <C ^ />                       =>
py   from cart import Options<>def f(o: Options): o['^']       => left right
py   from cart import ^                                        => Cart Options ; items
py   from cart import Cart, ^                                  => Cart Options
py   from cart import ^<>import os                             => Cart Options
py   from os import ^                                          => getcwd path
py   from xml import ^                                         => etree
py   from nowhere import ^                                     =>
py   import ^                                                  => os cart ; Cart
py   from ^ import x                                           => os cart
py   import os.^                                               => path
py   from xml.^ import x                                       => etree
py   from cart import Cart<>Cart().total(^)                    => tax= mode= ; Cart
py   from cart import Cart<>Cart().total(1, ^                  => tax= mode=
py   from cart import Cart<>Cart().total(1, mo^                => tax= mode=
py   nowhere(^)                                                =>
py   from cart import Cart<>Cart().total(mode='^')             => fast slow
py   from cart import Cart<>Cart().total(mode="^               => fast slow
py   from typing import Literal<>x: Literal['aa', 'bb'] = '^'  => aa bb
py   s: str = '^'                                              =>
py   rows = ['a']<>print([row.^ for row in rows])              => upper split
py   rows = ['a']<>print({row.up^ for row in rows if row})     => upper
py   rows = ['a']<>x = [<>    row.^<>    for row in rows<>]    => upper
py   rows = ['a']<>print(max(len(row.^) for row in rows))      => upper
py   rows = ['a']<>print([row for row in rows[0].^ if row])    => upper
py   rows = ['a']<>if rows[0].^ and rows:<>    pass            => upper
py   rows = ['a']<>x = rows[0].^<>for y in rows:<>    pass     => upper
py   from cart import Options<>o: Options = {'^': 1}           => left right
py   rows = ['a']<>print({row: row.^ for row in rows})         => upper
py   rows = ['a']<>print(list(row.^ for row in rows))          => upper
py   rows = ['a']<>print([row.^ if row else 1 for row in rows])  => upper
py   rows = ['a']<>print([1 if row.^ else 1 for row in rows])  => upper
py   rows = ['a']<>print([row for row in rows if row.^ if row])  => upper
py   rows = [['a']]<>print([cell for row in rows.^ for cell in row])  => append
py   rows = [['a']]<>print([[cell.^ for cell in row] for row in rows])  => upper
py   rows = [['a']]<>x = [<>    cell<>    for row in rows<>    for cell in row<>    if cell.^<>]  => upper
py   rows = ['a']<>async def f(): return [row.^ async for row in g()] + [r.upper() for r in rows]  => ; append
py   rows = ['a']<>print([row.^ for row in rows                => upper
py   rows = ['a']<>x = rows[0].^ if rows else 1                => upper
py   rows = ['a']<>match rows[0].^:<>    case 1: pass          => upper
py   BASE class B(A):<>    def f(self):<>        super().^  => base
py   BASE class B(A):<>    def f(self):<>        return super().ba^() + 1  => base
py   class A:<>    def __init__(self): self.own = 1<>class B(A):<>    def f(self): super().^  => __init__ ; own mro
py   BASE class C:<>    def other(self): ...<>class B(A, C):<>    def f(self): super().^  => base other
py   BASE class B(A):<>    def f(self):<>        super(B, self).^  => base
py   BASE class B(A):<>    def f(self):<>        super(  # of the base<>            B, self).^  => base
py   BASE class B(A):<>    def mid(self): ...<>class C(B):<>    def f(self): super(B, self).^  => base ; mid
py   class A:<> @classmethod<> def make(cls): ...<>class B(A):<>    @classmethod<>    def f(cls): super().^ => make
py   import json<>@print<>class B(json.JSONEncoder):<>    def default(self, o): return super().^  => default encode
py   BASE def f():<>    class B(A, metaclass=type):<>        def g(self): super().^  => base
py   class B(ValueError):<>    def f(self): super(TypeError, self).^  => with_traceback __init__
py   class B:<>    def f(self): super().^                       => __init__ ; f
py   MAPPING def f(m: M): m[^]                                       => left right ; m
py   MAPPING def f(m: M): m[le^]                                     => left
py   MAPPING def f(m: M):<>    m[^                                   => left
py   MAPPING def f(m: M):<>    m[^ = 1<>    return 1                 => left
py   MAPPING class N(TypedDict, total=False):<>    inner: M<>def f(n: N): n["inner"][^]  => left ; inner
py   MAPPING class N(TypedDict, total=False):<>    inner: M<>def f(n: N): n[^]["left"]  => inner ; left
py   MAPPING def f(m: list[M]): m[0][^]                              => left
py   MAPPING def f(m: M): print(f"{m[^]}")                           => left
py   MAPPING m: M = {^}                                              => left right
py   MAPPING m: M = {"left": 1, ^}                                   => right
py   x = [1][^]                                                =>
py   x = {^}                                                   =>
ts   interface O { a: number; b: string }<>const o: O = {<>  a: 1<>  ^<>}                => b ; a
ts   interface O { a: number; b: string }<>const o: O = {<>  a: 1<>  b^<>}               => b ; a
ts   interface O { a: number; b: string }<>const o: O = { a: 1 ^ }                       => b ; a
ts   interface O { a: string; b: string }<>function f(o: O) {}<>f({<>  a: "x"<>  ^<>})   => b ; a f
ts   interface O { a: number[]; b: string }<>const o: O = {<>  a: [1]<>  ^<>}            => b ; a
ts   interface O { a: number; b: string }<>const a = 1; const o: O = {<>  a<>  ^<>}      => b ; a
ts   interface O { a: number; b: string }<>const o: O[] = [{<>  a: Math.max(1)<>  ^<>}]  => b ; a
ts   interface O { a: { c: 1; d: 2 }; b: string }<>const o: O = {<>  a: { c: 1<>    ^ }<>}  => d ; a
tsx  ELEMENTS const e = <^                                                => div span ; id
tsx  ELEMENTS const e = <Card><^</Card>                                   => div span
tsx  ELEMENTS const e = <di^                                              => div
tsx  ELEMENTS const e = ok && <^ />                                       => div
tsx  ELEMENTS const e = [1].map((x) => <^)                                => div
tsx  ELEMENTS const e = <div>a</^                                         => div ; span
tsx  ELEMENTS const e = <div>a</^>                                        => div ; span
tsx  ELEMENTS const e = <Card><div>a</^</Card>                            => div ; Card
tsx  ELEMENTS const e = <div>a</d^iv>                                     => div
tsx  const ui = { Card: (p: any) => 1 }; const e = <ui.Card>a</ui.^>     => ui.Card
tsx  const C = (p: { left: number; right?: string }) => 1; const e = <p><C ^</p>         => left right
tsx  const C = (p: { left: number; right?: string }) => 1; <C left={1}<>  ^<>/>          => right ; left
tsx  const C = (p: { left: number; right?: string }) => 1; <C<>  ^<>/>                   => left right
tsx  const C = (p: { mode: "x" | "y" }) => 1; <C mode="^" />                             => x y
tsx  const C = (p: { mode: "x" | "y" }) => 1; <C mode={"^"} />                           => x y
"""


def as_module(suffix: str, marked: str) -> str:
    """Scripts share their names; a module does not. `#!` stays the first line."""
    return (
        marked.replace("<>", "\n")
        if suffix == "py" or marked.startswith("#!")
        else "export {};\n" + marked.replace("<>", "\n")
    )


def asked_at(shown: Document, offset: int) -> CompletionQuestion | None:
    syntax = parse(shown)
    return question_at(syntax, cursor_at(syntax, offset))


def listed(workspace: Workspace, suffix: str, marked: str, *, typed: bool = False) -> tuple[CheckerCompletion, ...]:
    """What the checker lists at the mark."""
    needs.checker(suffix)
    marked = as_module(suffix, marked)
    shown = document(workspace.roots[0], f"cursor.{suffix}", marked.replace("^", "", 1))
    question = asked_at(shown, marked.index("^"))
    assert question is not None
    return workspace.completions(question, typed=typed).result(PATIENCE)


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_what_may_stand_at_a_place(case: str, workspace: Workspace) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, _, marked = left.partition(" ")
    head, _, rest = marked.strip().partition(" ")
    marked = HEADS[head] + rest if head in HEADS else marked
    present, _, absent = expected.partition(";")
    found = {one.text for one in listed(workspace, suffix, marked.strip())}
    assert set(present.split()) <= found
    assert not set(absent.split()) & found
    assert present.split() or absent.split() or not found


PLAIN = """
js   import fs from 'node:fs'; fs.^                            => readFileSync
js   #!/usr/bin/env node<>const os = require('os'); os.^       => cpus
js   import { ^ } from 'node:fs'                               => readFileSync
js   process.^                                                 => env
"""


@pytest.mark.parametrize("case", PLAIN.strip().splitlines())
def test_scripts_without_a_configuration_know_what_node_brings(case: str, tmp_path: Path) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, _, marked = left.partition(" ")
    root = project(tmp_path)
    if not (root / "node_modules").is_dir():
        pytest.skip("no types of Node are installed; see CONTRIBUTING.md")
    (root / "tsconfig.json").unlink()
    opened = Workspace([root])
    try:
        assert expected.strip() in {one.text for one in listed(opened, suffix, marked.strip())}
    finally:
        opened.close()


NOTHING = """
ts  const x = ^
tsx const e = <p>hi ^</p>
tsx const e = <p>hi o.^</p>
tsx const e = <p>it's ^</p>
tsx const e = <p className="a">"^</p>
ts  place(^)
js  // a.^
py  total(mode=^)
py  def f(^): pass
"""


@pytest.mark.parametrize("case", NOTHING.strip().splitlines())
def test_where_a_checker_is_not_asked(case: str, workspace: Workspace) -> None:
    suffix, _, marked = case.partition(" ")
    shown = document(workspace.roots[0], f"cursor.{suffix}", marked.replace("^", ""))
    assert asked_at(shown, marked.index("^")) is None


QUOTED = """
m[^]        => "left"
m[le^]      => "left"
f'{m[^]}'   => "left"
f"{m[^]}"   => 'left'
{^}         => "left"
'a', m[^]   => 'left'
"""


@pytest.mark.parametrize("case", QUOTED.strip().splitlines())
def test_a_key_is_written_in_the_files_quotes(case: str, workspace: Workspace) -> None:
    typed, _, written = (part.strip() for part in case.partition("=>"))
    marked = f"from typing import TypedDict<>class M(TypedDict):<>    left: int<>def f(m: M):<>    x: M = {typed}"
    (one,) = listed(workspace, "py", marked)
    assert (one.text, one.written) == ("left", written)


def test_what_is_written_after_an_object_that_may_be_missing(workspace: Workspace) -> None:
    (one,) = listed(workspace, "ts", "let a!: { b: number } | undefined; a.^")
    assert (one.text, one.written, one.reach) == ("b", "?.b", 1)
    (one,) = listed(workspace, "ts", "let a!: { 'b-c': number }; a.^")
    assert (one.text, one.written, one.reach) == ("b-c", '["b-c"]', 1)


TYPED = {
    "ts": (
        "class A { b = 1; c() {} static D = class {} } new A().^",
        {"b": (NameKind.PROPERTY, "(property) A.b: number"), "c": (NameKind.METHOD, "(method) A.c(): void")},
    ),
    "py": (
        "class A:\n    b: str\n    class C: ...\n    def d(self): ...\n    def __init__(self): self.e = 1.0\nA().^\n",
        {
            "b": (NameKind.PROPERTY, "str"),
            "C": (NameKind.CLASS, "type[C]"),
            "d": (NameKind.METHOD, "bound method A.d() -> Unknown"),
            "e": (NameKind.PROPERTY, "float"),
        },
    ),
}


@pytest.mark.parametrize("suffix", TYPED)
def test_members_are_of_a_kind_and_have_types(suffix: str, workspace: Workspace) -> None:
    marked, expected = TYPED[suffix]
    found = {one.text: (one.kind, one.type) for one in listed(workspace, suffix, marked, typed=True)}
    assert {name: found[name] for name in expected} == expected


def test_what_accepts_an_item_is_the_checkers_word(workspace: Workspace) -> None:
    found = listed(workspace, "ts", "'a'.^")
    assert {"."} <= set(found[0].commit)


@pytest.mark.parametrize("suffix", ["ts", "py"])
def test_every_question_is_answered_for_its_own_text(suffix: str, workspace: Workspace) -> None:
    needs.checker(suffix)
    asked = []
    for n in range(30):
        marked = f"class C:\n    name{n} = 1\nC().^" if suffix == "py" else f"const c = {{ name{n}: 1 }}; c.^"
        shown = document(workspace.roots[0], f"many.{suffix}", marked.replace("^", ""))
        question = asked_at(shown, marked.index("^"))
        assert question is not None
        asked.append(workspace.completions(question))
    for n, one in enumerate(asked):
        assert [each.text for each in one.result(PATIENCE) if each.text.startswith("name")] == [f"name{n}"]


FITTING = """
ts  const a = 1, b = 'b', c = { d: 1 }; function f(x: number, y: string) {} f(^)           => b c
ts  const a = 1, b = 'b', c = { d: 1 }; function f(x: number, y: string) {} f(1, ^)        => a c
ts  const a = 1, b = 'b', c = { d: 1 }; function f(x: number, y: string) {} f(^            => b c
ts  const a = 1, b = 'b', c = { d: 1 }; function f(x: number, y: string) {} f(a^b, 'c')    => b c
ts  const a = 1, b = 'b', c = { d: 1 }; class K { constructor(x: string) {} } new K(^);    => a c
ts  const a = 1, b = 'b', c = { d: 1 }; function f(x: any) {} f(^)                         =>
ts  const a = 1, b = 'b', c = { d: 1 }; if (^) {}                                          =>
py  a, b, c = 1, 'b', {'d': 1}<>def f(x: int, y: str): ...<>f(^)                           => b c
py  a, b, c = 1, 'b', {'d': 1}<>def f(x: int, y: str): ...<>f(1, y=^)                      => a c
py  a, b, c = 1, 'b', {'d': 1}<>def f(x: int, y: str): ...<>f(1, ^<>print(a)               => a c
py  a, b, c = 1, 'b', {'d': 1}<>def f(x): ...<>f(^)                                        =>
"""


@pytest.mark.parametrize("case", FITTING.strip().splitlines())
def test_names_that_do_not_fit_an_argument(case: str, workspace: Workspace) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, marked = left[:3].strip(), as_module(left[:3].strip(), left[3:].strip())
    needs.checker(suffix)
    syntax = parse(document(workspace.roots[0], f"fits.{suffix}", marked.replace("^", "", 1)))
    found = workspace.misfits(syntax, marked.index("^"), ["a", "b", "c"], PATIENCE)
    assert found == Misfits(frozenset(expected.split()))


ARGUMENTS_LEFT = """
ts  function f(x: number, y: string) {} f(1, ^)                      => takes a value
ts  function f(x: number, y: string) {} f(1, 'a', ^)                 =>
py  def f(x: int, *, y: str = '', z: int = 0): ...<>f(^)             => takes a value
py  def f(x: int, *, y: str = '', z: int = 0): ...<>f(1, ^)          => x=
py  def f(x: int, *, y: str = '', z: int = 0): ...<>f(y='', ^)       => y=
py  def f(x: int, *, y: str = '', z: int = 0): ...<>f(1, ^, y='')    => x= y=
py  def f(x: int, *, y: str = '', z: int = 0): ...<>f(^, y='', z=1)  => y= z= takes a value
py  def f(x: int, z: int, y: str = ''): ...<>f(1, ^, z=2)            => x= z=
py  def f(x: int, y: str = '', z: int = 0): ...<>f(1, ^<>print(1)    => x= takes a value
"""


@pytest.mark.parametrize("case", ARGUMENTS_LEFT.strip().splitlines())
def test_what_cannot_be_an_argument_any_more(case: str, workspace: Workspace) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, marked = left[:3].strip(), as_module(left[:3].strip(), left[3:].strip())
    needs.checker(suffix)
    syntax = parse(document(workspace.roots[0], f"given.{suffix}", marked.replace("^", "", 1)))
    texts = ["x=", "y=", "z=", "f"] if suffix == "py" else ["f"]
    found = workspace.misfits(syntax, marked.index("^"), texts, PATIENCE)
    assert found.takes_value == ("takes a value" in expected)
    assert found.given == frozenset(expected.replace("takes a value", "").split())


SIGNATURES = """
ts  import { place } from './shop'; place({} as any, ^)      => how: "fast" | "slow"
ts  import { place } from './shop'; place(^                  => options: Options
ts  Math.max(1, ^)                                           => ...values: number[]
ts  const x = ^                                              => -
js  'a'.indexOf(^)                                           => searchString: string
py  from cart import Cart<>Cart().total(^)                   => tax: float = 0
py  from cart import Cart<>Cart().total(1, mode=^            => mode: Literal["fast", "slow"] = "fast"
py  x = ^                                                    => -
"""


@pytest.mark.parametrize("case", SIGNATURES.strip().splitlines())
def test_signatures(case: str, workspace: Workspace) -> None:
    left, _, expected = case.rpartition(" => ")
    suffix, marked = left[:4].strip(), as_module(left[:4].strip(), left[4:].strip())
    needs.checker(suffix)
    shown, offset = document(workspace.roots[0], f"call.{suffix}", marked.replace("^", "", 1)), marked.index("^")
    found = workspace.checker_of(shown).ask(shown, lambda asked: asked.signatures(offset)).result(PATIENCE)
    assert ("-" if found is None else found.of[found.active].parameter) == expected.strip()


DESCRIBED = """
ts   /** Sums up. */ function f(x: number): string { return '' } ^f(1)  => function f(x: number): string | Sums up.
ts   import { Cart } from './shop'; new Cart().^total()                 => (method) Cart.total(): number |
ts   import { Cart } from './shop'; new Cart().^zebra                   => any |
js   /** Sums up. */ function f(x = 1) {} ^f()                          => function f(x?: number): void | Sums up.
py   def f(x: int) -> str:<>    '''Sums up.'''<><>^f(1)                 => def f(x: int) -> str | Sums up.
"""


@pytest.mark.parametrize("case", DESCRIBED.strip().splitlines())
def test_checkers_describe_the_name_at_a_place(case: str, workspace: Workspace) -> None:
    left, _, right = case.rpartition(" => ")
    suffix, _, marked = left.partition(" ")
    needs.checker(suffix)
    marked = marked.strip().replace("<>", "\n")
    shown, offset = document(workspace.roots[0], f"named.{suffix}", marked.replace("^", "", 1)), marked.index("^")
    asked = workspace.checker_of(shown).ask(shown, lambda one: one.descriptions([offset]))
    (found,) = asked.result(PATIENCE)
    signature, _, about = (part.strip() for part in right.partition(" | "))
    assert found == Description(signature.removesuffix(" |"), about)


@pytest.mark.usefixtures("nothing_installed")
def test_without_a_checker_one_sentence_says_so(tmp_path: Path) -> None:
    opened = Workspace([tmp_path])
    typescript, python = document(tmp_path, "a.ts", "").language, document(tmp_path, "a.py", "").language
    assert opened.missing_checker(typescript) == "TypeScript is not installed. Run 'inscope setup' to install it."
    assert not opened.missing_checker(python)
    opened.close()
