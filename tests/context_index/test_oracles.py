"""What real type checkers are asked, and how their answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from context_index.oracles import Answer, Limits, Oracle, Server
from context_index.symbols import Closed, NameKind, Open, Position, Signature
from tests.context_index.checkers import PATIENCE, ask, checker_for, document, project, told

# ruff: noqa: E501 -- cases stay on one line each

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def oracles(root: Path) -> Iterator[Callable[[str], Oracle]]:
    started: dict[str, Oracle] = {}

    def oracle(suffix: str) -> Oracle:
        language = "py" if suffix.startswith("py") else "ts"
        if language not in started:
            started[language] = Oracle([Server(checker_for(suffix), root, Limits(answer=PATIENCE, proof=PATIENCE))])
        return started[language]

    yield oracle
    for one in started.values():
        one.close()


CASES = """
ts   const s = 'a'; s.^                                        => closed trim slice ; push
ts   const s = 'ä€😀'; s.^                                     => closed trim ; push
ts   import { Cart } from './shop'; new Cart().^               => closed items total ; secret trim
ts   import { Cart } from './shop'; new Cart().items.^push(1)  => closed push length ; total
ts   interface A { b: number; c?: string } let a!: A; a.^      => closed b c ; d
ts   interface A { b: number } let a: A | undefined; a?.^      => closed b
ts   let u: unknown; u.^                                       => open
ts   let u: any; u.^                                           => open
ts   import { X } from './nowhere'; X.^                        => open
ts   enum Size { Small, Large } Size.^                         => closed Small Large ; valueOf
ts   const enum Size { Small, Large } Size.^                   => closed Small Large ; valueOf toString constructor
ts   const enum Size { Small, Large } Size.Small.^             => closed valueOf toString ; Small
ts   enum Size { Small } namespace Size { export const a = 1 } Size.^ => closed Small a valueOf
ts   class A { #own = 1; f() { this.^ } }                      => closed #own f
ts   const o = { 'a-b': 1, c: 2 }; o.^                         => closed c ; a-b
js   const o = { b: 1, c() {} }; o.^                           => listed b c
js   function f(x) { x.^ }                                     => open
js   'text'.^                                                  => closed trim
js   Math.^                                                    => closed floor ; trim
js   const Math = { own: 1 }; Math.^                           => listed own ; floor
js   /** @type {string[]} */ const m = x; m.^                  => listed push
jsx  const o = { b: <p>{x}</p> }; o.^                          => listed b
tsx  const o = { b: 1 }; <p>{o.^}</p>                          => closed b
js   import fs from 'node:fs'; fs.^                            => closed readFileSync
js   import * as p from "path"; p.^                            => closed join
js   const os = require('os'); os.^                            => closed cpus
js   import { Cart } from './shop'; Cart.^                     => listed prototype
py   s = 'a'; s.^                                              => closed upper split ; append
py   s = 'ä€😀'; s.^                                           => closed upper
py   from cart import Cart; Cart().^                           => closed items total ; upper
py   from cart import Cart; Cart().items.^append(1)            => closed append ; total
py   s = 'a'; s.^upper().strip()                               => closed upper
py   s = 'a'; s.^ and s                                        => closed upper
py   s = 'a'; print(s.^                                        => closed upper
py   s = 'a'; print(s.^<>t = 1                                 => closed upper
py   s = 'a'<>if s.^:<>    pass                                => closed upper
py   s = 'a'; f'{s.^}'                                         => closed upper
py   s = 'a'; [s.^ for s in ('b',)]                            => closed upper
py   foo(s.^                                                   => open
py   import os; os.^path                                       => closed path getcwd ; trim
py   def f(x): x.^                                             => open
py   from partial import Partial; Partial().^                  => listed own
py   from loose import Loose; Loose().^                        => listed known
ts   const o = { b: 1 }; o.^; o.unknown;                        => listed b
ts   const o = { b: 1 }; o.^ = 2                                => listed b
ts   const o = { b: 1 }; o.^ == 2                               => closed b toString
py   class A: b = 1<>A().^ = 2                                  => listed b
py   class A: b = 1<>a = A()<>a.^: int = 2                       => listed b
py   class A: b = 1<>a = A()<>a.^, a.c = 1, 2                   => listed b
py   class A: b = 1<>a = A()<>del a.^                           => listed b
py   class A: b = 1<>a = A()<>print(a.^, end=1)                 => closed b
py   class A:<>    b = 1<>    def f(self): self.^<>    def g(self): self.unknown  => listed b
py   import pickle<>class Unpickler(pickle.^): pass             => listed Pickler
py   from nowhere import x; x.^                                => open
py   import re; re.match('a', 'b').^                           => open
ts   let a: { b: 1; [k: string]: number }; a.^                 => listed b
ts   let a: { b: 1; [k: string]: any }; a.^                    => listed b
ts   import { X } from './nowhere'; class A extends X { b = 1 } new A().^  => closed b
ts   import * as s from './shop'; s.^                          => closed Cart place
ts   import * as s from './shop'; let c: s.^                   => closed Cart Options
ts   'a'.^<>const x = 1                                        => closed trim
js   process.env.^                                             => open
py   class A: b = 1<>def f(x: A | None): x.^                   => open
py   class A: b = c = 1<>class B: b = 2<>def f(x: A | B): x.^  => listed b ; c
"""

OTHERS = """
ts  subscript         const o = { ab: 1, 'c-d': 2 }; o['^']                    => closed ab c-d ; trim
ts  subscript         const o = { ab: 1 }; o["^                                => closed ab
ts  subscript         let o: Record<string, number>; o['^']                    => open
ts  subscript         let o: { ab: 1; [k: string]: number }; o['^']            => listed ab
js  subscript         const o = { ab: 1 }; o['^']                              => listed ab
ts  imported name     import { ^ } from './shop'                               => closed Cart Options place ; items type
ts  imported name     import a, { ^ } from './shop'                            => closed Cart Options place ; items type
ts  imported name     import { Cart, ^ } from './shop'                         => closed Options place ; Cart
ts  imported name     import { Cart, ^place } from './shop'                    => closed Options place ; Cart
ts  imported name     import { ^ } from './nowhere'                            => open
js  imported name     import { ^ } from 'node:fs'                              => listed readFileSync
ts  module            import x from './^'                                      => listed shop ; typescript
ts  module            import x from '^'                                        => listed undici-types ; .bin shop
ts  module            import x from '^                                         => listed undici-types
ts  object key        import { Options } from './shop'; const o: Options = { ^ }                => closed left right mode
ts  object key        import { Options } from './shop'; const o: Options = { left: 1, ^ }       => closed right mode ; left
ts  object key        import { Options } from './shop'; const o: Options = { ^: 1 }             => closed left
ts  object key        import { place } from './shop'; place({ ^                                 => closed left right mode
ts  object key        import { Options } from './shop'; const { ^ } = {} as Options             => closed left right mode
ts  object key        const o = { ^ }                                          => open
ts  object key        const m: Record<string, number> = { ^ }                  => open
ts  object key        const m: { a?: 1, [k: string]: unknown } = { ^ }         => listed a
ts  literal           import { place } from './shop'; place({} as any, '^')    => closed fast slow
ts  literal           import { place } from './shop'; place({} as any, "^      => closed fast slow
ts  literal           import { place } from './shop'; place({} as any, '^fast')  => closed fast slow
ts  literal           import { place } from './shop'; place({ mode: '^' }      => closed a b
ts  literal           function f(k: 'a' | 'b') { if (k === '^') {} }           => closed a b
ts  literal           function f(k: 'a' | 'b') { switch (k) { case '^' } }     => closed a b
ts  literal           let m: 'a' | (string & {}) = '^'                         => listed a
ts  literal           let m: string = '^'                                      => open
tsx prop              const C = (p: { left: number; right?: string }) => <p/>; <C ^ />              => closed left right
tsx prop              const C = (p: { left: number; right?: string }) => <p/>; <C left={1} ^></C>   => closed right ; left
tsx prop              const C = (p: { left: number; [k: string]: unknown }) => <p/>; <C ^ />        => listed left
tsx prop              const C = (p: any) => <p/>; <C ^ />                      => open
ts  keyword argument  place(^                                                  => open
py  subscript         from cart import Options<>def f(o: Options): o['^']      => closed left right
py  subscript         d = {'a': 1, 'b': 2}<>d['^']                             => listed a b
py  subscript         d: dict[str, int] = {}<>d['^']                           => open
py  imported name     from cart import ^                                       => closed Cart Options ; items
py  imported name     from cart import Cart, ^                                 => closed Cart Options
py  imported name     from os import ^                                         => closed getcwd path
py  imported name     from xml import ^                                        => closed etree
py  imported name     from nowhere import ^                                    => open
py  module            import ^                                                 => listed os cart ; Cart
py  module            from ^ import x                                          => listed os cart
py  module            import os.^                                              => listed path
py  module            from xml.^ import x                                      => listed etree
py  keyword argument  from cart import Cart<>Cart().total(^)                   => closed tax mode
py  keyword argument  from cart import Cart<>Cart().total(1, ^                 => closed tax mode
py  keyword argument  def f(*, aa, **kw): ...<>f(^)                            => listed aa
py  keyword argument  nowhere(^)                                               => open
py  literal           from cart import Cart<>Cart().total(mode='^')            => closed fast slow
py  literal           from cart import Cart<>Cart().total(mode="^              => closed fast slow
py  literal           from typing import Literal<>x: Literal['aa', 'bb'] = '^' => closed aa bb
py  literal           s: str = '^'                                             => open
py  object key        from cart import Options<>o: Options = {'^': 1}          => closed left right
py  object key        o = {^}                                                  => open
py  prop              print(^                                                  => open
"""


def as_module(suffix: str, marked: str) -> str:
    """Scripts share their names; a module does not."""
    return marked.replace("<>", "\n") if suffix == "py" else "export {};\n" + marked.replace("<>", "\n")


def check(answer: Answer, expected: str) -> None:
    """The grade first, then names that are listed, then names that are not."""
    present, _, absent = expected.partition(";")
    assert told(answer, [*present.split(), *absent.split()]) == " ".join(present.split())
    assert answer.seconds > 0


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_members(case: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    left, _, expected = case.partition(" => ")
    suffix, _, marked = left.partition(" ")
    check(ask(oracles(suffix), root, f"cursor.{suffix}", as_module(suffix, marked.strip())), expected)


@pytest.mark.parametrize("case", OTHERS.strip().splitlines())
def test_other_positions(case: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    left, _, expected = case.rpartition(" => ")
    suffix, position, marked = left[:4].strip(), Position(left[4:22].strip()), left[22:].strip()
    answer = ask(oracles(suffix), root, f"other.{suffix}", as_module(suffix, marked), position)
    check(answer, expected)


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
def test_signatures(case: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    left, _, expected = case.rpartition(" => ")
    suffix, marked = left[:4].strip(), as_module(left[:4].strip(), left[4:].strip())
    asked = document(root, f"call.{suffix}", marked.replace("^", "", 1))
    found = oracles(suffix).signature(asked, marked.index("^")).wait(PATIENCE)
    assert (found.value.parameter if isinstance(found.value, Signature) else "-") == expected.strip()


REMARKS = {
    "ts": ("const x: string = 1;\n'a'.nothing;\n", [(0, "2322"), (1, "2339")]),
    "js": ("const x = 1;\nx.nothing();\nnowhere;\n", [(1, "2339"), (2, "2304")]),
    "py": ("x: str = 1\n''.nothing\n", [(0, "invalid-assignment"), (1, "missing-attribute")]),
}


@pytest.mark.parametrize("suffix", REMARKS)
def test_remarks_say_what_is_wrong_and_where(suffix: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    text, expected = REMARKS[suffix]
    found = oracles(suffix).remarks(document(root, f"wrong.{suffix}", text)).wait(PATIENCE).value
    assert not isinstance(found, Open)
    assert [(remark.line, remark.code) for remark in found if remark.is_error] == expected


@pytest.mark.parametrize(
    ("suffix", "some"), [("ts", {"Array", "Promise"}), ("js", {"console"}), ("py", {"len", "dict"})]
)
def test_globals_are_told(suffix: str, some: set[str], root: Path, oracles: Callable[[str], Oracle]) -> None:
    found = oracles(suffix).globals(document(root, f"globals.{suffix}", "own = 1")).wait(PATIENCE).value
    assert not isinstance(found, Open)
    assert some <= set(found)
    assert not {"own", "return", "import"} & set(found)


@pytest.mark.parametrize("suffix", ["ts", "py"])
def test_every_question_is_answered_for_its_own_text(suffix: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    oracle = oracles(suffix)
    texts = [
        f"class C:\n    name{n} = 1\nC().^" if suffix == "py" else f"export {{}}; const c = {{ name{n}: 1 }}; c.^"
        for n in range(30)
    ]
    pending = []
    for text in texts:
        offset = text.index("^")
        pending.append(oracle.names(document(root, f"many.{suffix}", text.replace("^", "")), offset, Position.MEMBER))
    for n, one in enumerate(pending):
        assert told(one.answer(PATIENCE), [f"name{m}" for m in range(30)]) == f"closed name{n}"


@pytest.mark.parametrize("suffix", ["ts", "py"])
def test_a_long_document_may_be_edited_and_asked(suffix: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    lines = [f"x{n} = {n}" if suffix == "py" else f"export const x{n} = {n};" for n in range(5_000)]
    for n in (10, 2_500, 4_999):
        middle = "'a'.^" if suffix == "py" else "'a'.^;"
        text = "\n".join([*lines[:n], middle, *lines[n:]])
        assert told(ask(oracles(suffix), root, f"long.{suffix}", text), ["upper", "trim"]).startswith("closed ")


KINDS = {
    "ts": ("class A { b = 1; c() {} static D = class {} } new A().^", {"b": NameKind.PROPERTY, "c": NameKind.METHOD}),
    "py": (
        "class A:\n    b: str\n    class C: ...\n    def d(self): ...\n    def __init__(self): self.e = 1.0\nA().^\n",
        {"b": NameKind.PROPERTY, "C": NameKind.CLASS, "d": NameKind.METHOD, "e": NameKind.PROPERTY},
    ),
}


@pytest.mark.parametrize("suffix", KINDS)
def test_members_are_of_a_kind(suffix: str, oracles: Callable[[str], Oracle], root: Path) -> None:
    """Of a value, ty says that it is a structure; that is no class."""
    marked, expected = KINDS[suffix]
    members = ask(oracles(suffix), root, f"kinds.{suffix}", marked).members
    assert isinstance(members, Closed)
    assert {name: members.names[name] for name in expected} == expected
