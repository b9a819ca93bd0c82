"""What a suggestion refers to, what it imports, and which calls cannot be right. `⟦…⟧` is the suggestion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from context_index import (
    Document,
    Edit,
    Importable,
    Language,
    ModuleKind,
    NameKind,
    SymbolContext,
    Syntax,
    names_at,
    parse,
)
from decoder import SamplingOptions
from lsp_server.checks.aftercare import examine
from lsp_server.checks.arity import misfit
from lsp_server.checks.imports import brought, needed, offered
from lsp_server.checks.references import Reference, unresolved
from lsp_server.suggestion import CompletionRequest

LANGUAGES = {"js": Language.JAVASCRIPT, "ts": Language.TYPESCRIPT, "tsx": Language.TSX, "py": Language.PYTHON}


def placed(suffix: str, marked: str) -> tuple[Syntax, int, int]:
    """The finished text, and where the suggestion stands in it."""
    text = marked.replace("<>", "\n")
    start, end = text.index("⟦"), text.index("⟧") - 1
    return parse(Document(f"file:///a.{suffix}", LANGUAGES[suffix], text.replace("⟦", "").replace("⟧", ""))), start, end


UNRESOLVED = """
js   x = ⟦zz + yy⟧                          => zz yy
js   const q = 1; ⟦f(q, zz)⟧                => f zz
js   ⟦const q = 1; q⟧                       =>
js   ⟦function f(p) { return p + zz }⟧      => zz
js   ⟦a.zz⟧                                 => a
js   a.⟦zz⟧                                 =>
js   ⟦({zz: 1})⟧                            =>
js   ⟦({zz})⟧                               => zz
js   ⟦(q) => q⟧                             =>
js   ⟦q => q + zz⟧                          => zz
js   const e = ⟦q => {⟧ q }                 =>
js   f(⟦async q => q, zz => 1, q⟧)          => q
ts   const e = ⟦q => (a: A) => q + a⟧       => A
js   f(⟦function q () { q }, zz⟧)          => zz
js   x(⟦class q {}, function* r() {}⟧)      =>
ts   interface A { ⟦[key: string]: Zz⟧ }    => Zz
ts   let x: ⟦[a: Zz, b?: Zz, ...c: A[]]⟧    => Zz Zz A
ts   let x: ⟦{ [K in keyof Zz]: K }⟧        => Zz
ts   let x: ⟦bigint⟧                        =>
ts   x = ⟦[q, ...zz]⟧                       => q zz
ts   ⟦let x = (a: Zz) => a, y: Zz = zz⟧     => Zz Zz zz
js   ⟦"zz" + `zz${yy}`⟧                     => yy
js   ⟦// zz⟧                                =>
js   ⟦arguments[0]⟧                         =>
js   x = ⟦() => (_)⟧                        => _
js   x(⟦_ => 1, (_, q) => q⟧)               =>
js   x((q, ⟦r⟧))                            =>
js   x(1, (q, r, ⟦s⟧));                     =>
js   x(async (q, ⟦r⟧))                      =>
js   x((q, ⟦r.s⟧))                          => r
js   x(q, ⟦r⟧)                              => r
js   x = (q, ⟦r⟧)                           =>
js   x = (q, r, ⟦s.t⟧)                      => s
js   var q; x = (q, ⟦r⟧)                    => r
js   x = (⟦q, r⟧)                           => q r
js   async(q, ⟦r⟧)                          => r
py   ⟦match q:<>  case _: pass⟧             => q
js   to⟦tal⟧                                =>
js   ⟦import { zz } from 'm'⟧               =>
js   ⟦zz: for (;;) { break zz }⟧            =>
tsx  x = ⟦<div><Zz /></div>⟧                => Zz
ts   let x: ⟦Zz<string>⟧                    => Zz
ts   ⟦let x: number⟧                        =>
py   ⟦zz = 1⟧                               =>
py   ⟦x = zz⟧                               => zz
py   ⟦f(zz=1)⟧                              => f
py   ⟦f(zz == 1)⟧                           => f zz
py   ⟦[q for q in zz]⟧                      => zz
py   ⟦def f(q): return q⟧                   =>
py   ⟦lambda q: q⟧                          =>
py   x(⟦key=lambda q: q[zz]⟧)               => zz
py   x(⟦lambda q, *r, s=zz, **t: t⟧)        => zz
py   x(⟦lambda *, q: q, q⟧)                 => q
py   x(⟦lambda: zz⟧)                        => zz
py   x(⟦*zz, **yy⟧)                         => zz yy
py   ⟦with zz as q: q⟧                      => zz
py   ⟦import zz⟧                            =>
py   a.⟦zz⟧                                 =>
py   ⟦@zz<>def f(): pass⟧                   => zz
"""


@pytest.mark.parametrize("case", UNRESOLVED.strip().splitlines())
def test_references_to_nothing(case: str) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, _, marked = left.partition(" ")
    syntax, start, end = placed(suffix, marked.strip())
    assert [one.name for one in unresolved(syntax, start, end, frozenset())] == expected.split()


def test_names_that_are_known_are_not_looked_up() -> None:
    syntax, start, end = placed("js", "⟦zz + yy⟧")
    assert [one.name for one in unresolved(syntax, start, end, {"zz"})] == ["yy"]


CANDIDATES = (
    Importable("Cart", NameKind.FUNCTION, "./near"),
    Importable("Cart", NameKind.CLASS, "./cart"),
    Importable("Cart", NameKind.INTERFACE, "./types"),
    Importable("Cart", NameKind.CONSTANT, "../far"),
)
USES = """
x = ⟦Cart()⟧             => ./near
x = ⟦new Cart()⟧         => ./cart
class A extends ⟦Cart⟧ {} => ./cart
x = ⟦Cart.of()⟧          => ./cart
let x: ⟦Cart⟧            => ./cart
x = ⟦Cart⟧               => ./near
"""


@pytest.mark.parametrize("case", USES.strip().splitlines())
def test_which_of_two_modules_is_told_by_the_use_of_the_name(case: str) -> None:
    marked, expected = (part.strip() for part in case.split("=>"))
    syntax, start, end = placed("ts", marked)
    names = needed(syntax, unresolved(syntax, start, end, {"A"}), offered(CANDIDATES))
    assert [one.module for one in names] == [expected]


def test_without_a_fitting_kind_the_nearest_module_is_taken() -> None:
    syntax, _, _ = placed("ts", "⟦x⟧")
    (name,) = needed(syntax, [Reference("Cart", 0)], offered(CANDIDATES[3:]))
    assert name.module == "../far"


def after(syntax: Syntax, edits: Sequence[Edit]) -> str:
    return syntax.document.edited(edits, 1).text


def test_imports_join_what_is_imported_already() -> None:
    syntax = parse(Document("file:///a.ts", Language.TYPESCRIPT, "import { a } from './cart';\n\nx\n"))
    found = brought(syntax, [CANDIDATES[1], Importable("other", NameKind.FUNCTION, "./other")])
    assert len(found.edits) == 1
    assert after(syntax, found.edits) == "import { a, Cart } from './cart';\nimport { other } from './other';\n\nx\n"


def test_two_names_of_one_module_share_an_import() -> None:
    syntax = parse(Document("file:///a.py", Language.PYTHON, '"""Doc."""\n\nx\n'))
    names = [Importable(text, NameKind.CLASS, "shop.cart") for text in ("Cart", "Item")]
    assert "from shop.cart import Cart, Item\n" in after(syntax, brought(syntax, names).edits)


def test_names_are_required_where_all_around_is() -> None:
    syntax = parse(Document("file:///a.js", Language.JAVASCRIPT, "x\n"))
    found = brought(syntax, [CANDIDATES[1], Importable("other", NameKind.FUNCTION, "./other")], ModuleKind.COMMON_JS)
    assert (
        after(syntax, found.edits) == "const { Cart } = require('./cart')\nconst { other } = require('./other')\n\nx\n"
    )


def test_nothing_is_brought_where_nothing_is_missing() -> None:
    assert brought(parse(Document("file:///a.py", Language.PYTHON, "")), []).edits == ()


GLUED = """
ts   const size = 1;<>class A { ⟦constsize = 2;⟧ }                => constsize
ts   const size = 1;<>interface A { ⟦letsize: number⟧ }           => letsize
js   const size = 1;<>class A { ⟦constsize = 2;⟧ }                => constsize
js   const size = 1;<>class A { constsize; f() { this.⟦constsize = 2;⟧ } } =>
js   const size = 1;<>class A { ⟦constructor() {}⟧ }              =>
js   const size = 1;<>⟦const constsize = 2;⟧                      =>
js   ⟦x = { returnvalue: 1 };⟧                                     =>
py   size = 1<>⟦x.letsize = 2⟧                                     =>
"""


@pytest.mark.parametrize("case", GLUED.strip().splitlines())
def test_a_keyword_and_a_name_in_one(case: str) -> None:
    suffix, _, rest = case.partition(" ")
    marked, expected = (part.strip() for part in rest.split("=>"))
    syntax, start, end = placed(suffix, marked)
    edit = Edit(start, end, "")
    around = syntax.edited(syntax.document.edited([edit], 1), [edit])
    symbols = SymbolContext(syntax.language, names_at(around, start))
    request = CompletionRequest(around, start, SamplingOptions())
    judged = examine(request, symbols, syntax.document.text[start:end])
    assert (f"{expected!r}, a keyword" in judged.reason) is bool(expected)


MISFITS = """
py   def f(a, b=1): pass<>⟦f()⟧                          => f() takes 1 to 2 arguments and would be given 0.
py   def f(a, b=1): pass<>⟦f(1, 2, 3)⟧                   => f() takes 1 to 2 arguments and would be given 3.
py   def f(a, b=1): pass<>⟦f(1, b=2)⟧                    =>
py   def f(a, *, b): pass<>⟦f(1)⟧                        => f() takes 2 arguments and would be given 1.
py   def f(a, *b): pass<>⟦f()⟧                           => f() takes at least 1 arguments and would be given 0.
py   def f(a, *b): pass<>⟦f(1, 2, 3)⟧                    =>
py   def f(a: int, b: int = 1, **c): pass<>⟦f(1, q=2)⟧   =>
py   def f(a): pass<>⟦f(*x)⟧                             =>
py   @g<>def f(a): pass<>⟦f()⟧                           =>
py   def f(a): pass<>def g(f): ⟦f()⟧                     =>
py   class f:<>    def f(self): pass<>⟦f()⟧              =>
py   ⟦print()⟧                                           =>
ts   function f(a: number, b?: number) {}<>⟦f()⟧         => f() takes 1 to 2 arguments and would be given 0.
ts   export function f(a = 1) {}<>⟦f(1, 2)⟧              => f() takes 0 to 1 arguments and would be given 2.
ts   function f(this: Q, a: number) {}<>⟦f(1)⟧           =>
ts   function f(...a: number[]) {}<>⟦f(1, 2)⟧            =>
ts   function f(a: number): void;<>function f(a: number, b: number): void;<>function f(...a: any) {}<>⟦f()⟧ =>
js   function f(a) {}<>⟦f()⟧                             =>
"""


@pytest.mark.parametrize("case", MISFITS.strip().splitlines())
def test_calls_that_cannot_be_right(case: str) -> None:
    left, _, expected = case.rpartition("=>")
    suffix, _, marked = left.partition(" ")
    assert misfit(*placed(suffix, marked.strip())) == (expected.strip() or None)
