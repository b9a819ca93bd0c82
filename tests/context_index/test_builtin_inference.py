"""Members without a checker: what trees tell, and what they must not claim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from context_index.oracles.builtin import BuiltIn, no_files
from context_index.symbols import Answer, Closed, Open, Position
from context_index.text import Document
from context_index.workspace import Workspace
from tests.context_index.checkers import PATIENCE, document, told

FILES = {
    "shop.ts": "export class Cart { items: string[] = []; private secret = 1; total(): number { return 1 } }\n"
    "export const RATE = 2;\nexport default class Shop { open() {} }\n",
    "shop.py": "class Cart:\n    def total(self): ...\ndef make() -> Cart: ...\n",
}
CASES = """
py  'a'.^                                                       => closed upper split ; append
py  b'a'.^                                                      => closed decode ; encode
py  f'{a}'.^                                                    => closed upper
py  [1].^                                                       => closed append ; upper
py  {'a': 1}.^                                                  => closed items ; append
py  {1}.^                                                       => closed add
py  (1).^                                                       => closed bit_length
py  s = 'a'; s.^                                                => closed upper
py  s = 'a'<>if x:<>    s = []<>s.^                             => listed upper append
py  s = 'a'<>s = []<>s.^                                        => closed append ; upper
py  s = []<>for i in x:<>    s.^<>    s = 'a'                   => listed append upper
py  for s in x:<>    s.^                                        => open
py  s = f(); s.^                                                => open
py  def f(s: str): s.^                                          => closed upper
py  def f(s: str | None): s.^                                   => listed upper
py  def f(s: list[int]): s.^                                    => closed append
py  def f(s='a'): s.^                                           => open
py  str = f<>def g(s: str): s.^                                 => open
py  s = str(1); s.^                                             => closed upper
py  class A:<>    x = 1<>    def m(self): self.y = 2<>A().^     => listed x m y
py  class A:<>    def m(self):<>        self.y = ''<>        self.y.^  => closed upper
py  class A:<>    def m(self): self.^                           => listed m
py  class B: b = 1<>class A(B): a = 1<>A().^                    => listed a b
py  class A(nowhere.B): a = 1<>A().^                            => listed a
py  class A:<>    def m(self): return 'a'<>A().m().^            => closed upper
py  class A: a = 1<>A.^                                         => listed a mro
py  def f(): return []<>f().^                                   => closed append
py  async def f(): return []<>f().^                             => open
py  def f() -> dict: ...<>f().^                                 => closed items
py  x = 'a' if b else []; x.^                                   => listed upper append
py  from shop import Cart; Cart().^                             => listed total
py  from shop import make; make().^                             => listed total
py  from shop import Cart as C; C().^                           => listed total
py  from nowhere import X; X().^                                => open
py  with open(f) as g: g.^                                      => open
py  s.^                                                         => open
ts  'a'.^                                                       => listed trim ; push
ts  [1].^                                                       => listed push ; trim
ts  (x => 1).^                                                  => listed call
ts  const o = { a: 1, b() {}, 'c': 2 }; o.^                     => closed a b c toString ; trim
ts  const o = { a: 1, ...rest }; o.^                            => listed a
ts  const o = { a: 'x' }; o.a.^                                 => listed trim
js  const o = { a: 1 }; o.^                                     => listed a
ts  let o = { a: 1 }; o = { b: 2 }; o.^                         => listed a b
ts  class A { x = 1; private y = 2; static s = 3; m() {} } new A().^  => closed x m ; y s
ts  class A { x = 1; private y = 2; m() { this.^ } }            => closed x m y
ts  class A { constructor(public q: number, private r: string) {} } new A(1, '').^  => closed q ; r
ts  class B { b = 1 } class A extends B { a = 1 } new A().^     => closed a b
ts  class A extends Nowhere { a = 1 } new A().^                 => listed a
js  class A { constructor() { this.w = 1 } m() {} } new A().^   => listed w m
ts  class A { static s = 1 } A.^                                => listed s
ts  interface I { a: string; b?(): void } let i: I; i.^         => closed a b
ts  interface I { a: string; [k: string]: string } let i: I; i.^  => listed a
ts  interface I { a: 1 } interface I { b: 1 } let i: I; i.^     => listed a b
ts  interface J { b: 1 } interface I extends J { a: 1 } let i: I; i.^  => closed a b
ts  type T = { a: 1 }; let t: T; t.^                            => closed a
ts  function f(p: string[]) { p.^ }                             => listed push
ts  function f(p: { a: 1 } | { b: 1 }) { p.^ }                  => listed a b
ts  enum E { A, B = 2 } E.^                                     => listed A B
ts  function f() { return { a: 1 } } f().^                      => closed a
ts  const f = () => 'a'; f().^                                  => listed trim
ts  function f(): string { } f().^                              => listed trim
ts  (x as string).^                                             => listed trim
js  /** @type {string} */ const s = f(); s.^                    => listed trim
js  /** @param {string[]} p */ function f(p) { p.^ }            => listed push
js  class A { m() {} } /** @returns {A} */ function f() { return g() } f().^  => listed m
ts  import { Cart } from './shop'; new Cart().^                 => closed items total ; secret
ts  import { Cart as C } from './shop'; let c: C; c.^           => closed total
ts  import { Cart } from './shop'; new Cart().items.^           => listed push
ts  import Shop from './shop'; new Shop().^                     => closed open
js  import Shop, { RATE } from './shop'; new Shop().^           => closed open
ts  import Map from './nowhere'; new Map().^                    => open
ts  import Map from './nowhere'; let m: Map; m.^                => open
js  const { Map } = require('./nowhere'); new Map().^           => open
js  const { Cart } = require('./shop'); new Cart().^            => open
ts  import * as s from './shop'; s.^                            => listed Cart RATE
ts  import { X } from './nowhere'; new X().^                    => open
ts  new Map().^                                                 => listed get
ts  x.^                                                         => open
js  console.^                                                   => listed log warn ; push
js  function f() { Math.^ }                                     => listed max PI ; push
ts  JSON.^                                                      => listed parse stringify ; push
js  process.^                                                   => listed env argv nextTick ; push
js  document.^                                                  => listed createElement body ; push
js  Array.^                                                     => listed isArray from prototype ; push
js  Promise.^                                                   => listed all resolve ; then
js  new Promise(f).^                                            => listed then ; all
js  require.^                                                   => listed resolve cache ; push
js  const console = f(); console.^                              => open
js  function f({ document }) { document.^ }                     => open
js  for (const process of all) { process.^ }                    => open
js  import process from 'nowhere'; process.^                    => open
js  try {} catch (performance) { performance.^ }                => open
js  const Math = 'a'; Math.^                                    => listed trim ; max
js  window.^                                                    => open
js  exports.^                                                   => open
js  process.env.^                                               => open
tsx const o = { a: <p/> }; <p>{o.^}</p>                         => closed a
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, BuiltIn, Path]]:
    root = tmp_path_factory.mktemp("bare")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    workspace = Workspace([root])
    workspace.index()
    yield workspace, BuiltIn(workspace._file), root
    workspace.close()


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_members_from_trees(case: str, workspace: tuple[Workspace, BuiltIn, Path]) -> None:
    left, _, expected = case.rpartition(" => ")
    suffix, marked = left[:4].strip(), left[4:].strip().replace("<>", "\n")
    _, source, root = workspace
    asked = document(root, f"cursor.{suffix}", marked.replace("^", "", 1))
    members = source.names(asked, marked.index("^"), Position.MEMBER)
    present, _, absent = expected.partition(";")
    answer = Answer(members, "", 1)
    assert told(answer, [*present.split(), *absent.split()]) == " ".join(present.split())


def test_other_questions_are_left_open(tmp_path: Path) -> None:
    source = BuiltIn(no_files)
    asked = document(tmp_path, "a.ts", "f({ a.")
    assert isinstance(source.names(asked, 4, Position.OBJECT_KEY), Open)
    assert isinstance(source.names(asked, 0, Position.MEMBER), Open)
    assert isinstance(source.signature(asked, 2), Open)
    assert isinstance(source.remarks(asked), Open)
    found = source.globals(asked)
    assert not isinstance(found, Open)
    assert "Array" in found


CIRCLES = ["let a = b, b = a; a.^", "class A extends B {} class B extends A {} new A().^", "type T = T; let t: T; t.^"]


@pytest.mark.parametrize("marked", CIRCLES)
def test_circles_end(marked: str, tmp_path: Path) -> None:
    asked = document(tmp_path, "a.ts", marked.replace("^", ""))
    assert not isinstance(BuiltIn(no_files).names(asked, marked.index("^"), Position.MEMBER), Closed)


def test_without_node_and_typescript_members_come_from_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("INSCOPE_DATA", str(tmp_path / "nothing"))
    workspace = Workspace([tmp_path])
    asked: Document = document(tmp_path, "a.ts", "const o = { a: 1 }; o.")
    answer = workspace.members(asked, len(asked.text)).answer(PATIENCE)
    assert (told(answer, ["a"]), answer.by) == ("closed a", "built-in inference")
    assert workspace.checkers()["JavaScript and TypeScript"] == ("built-in inference",)
    workspace.close()
