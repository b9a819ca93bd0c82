"""Exported names and imports of single files."""

from __future__ import annotations

from collections import Counter

import pytest

from context_index.exports import Export, Exports, ExportSource, ReExports, exports_of, imports_of
from context_index.symbols import Language, NameKind
from context_index.syntax import Syntax, parse
from context_index.text import Document

LANGUAGES = {
    "js": Language.JAVASCRIPT,
    "ts": Language.TYPESCRIPT,
    "tsx": Language.TSX,
    "py": Language.PYTHON,
}


def read(language: str, text: str) -> Syntax:
    return parse(Document("file:///x", LANGUAGES[language], text))


def described(export: Export) -> str:
    """`name kind`, with marks for what is special about it."""
    marks = "" if export.public else "private "
    marks += "type " if export.is_type and export.kind not in {"interface", "type"} else ""
    local = f" = {export.local}" if export.local else ""
    source = f" < {export.source.module}:{export.source.name}" if export.source else ""
    return f"{marks}{export.name}{local} {export.kind}{source}"


def check(case: str) -> Exports:
    """A case is source lines, then `->` lines that list the exports, in order."""
    language, _, body = case.strip().partition("\n")
    source, _, expected = body.partition("\n->")
    exports = exports_of(read(language, source))
    lines = [line.strip() for line in expected.replace("\n->", "\n").splitlines() if line.strip()]
    got = [described(export) for export in exports.own] + [f"* {module}" for module in exports.stars]
    got += [f"ambient {described(export)}" for export in exports.ambient]
    assert got + ([] if exports.complete else ["incomplete"]) == lines
    return exports


CASES = r"""
js
export function total(items, tax = 0.2) { return items; }
export async function* each() {}
export class Cart extends Base {}
-> total function
-> each function
-> Cart class
==
js
export const RATE = 0.2, add = (a, b) => a + b, Box = class extends Base {};
export let { a, b: [c, ...d], ...e } = f();
export var later;
-> RATE constant
-> add function
-> Box class
-> a variable
-> c variable
-> d variable
-> e variable
-> later variable
==
js
const rate = 3;
function f(x) {}
import g, { h as i } from './g';
export { rate, f as run, i, missing, rate as default };
-> rate constant
-> run = f function
-> i variable < ./g:h
-> missing variable
-> default = rate constant
==
js
export { a, default as b, c as default } from './x';
export * from "./y";
export * as z from './z';
-> a variable < ./x:a
-> b variable < ./x:default
-> default variable < ./x:c
-> z namespace < ./z:*
-> * ./y
==
js
export default function (a) {}
-> default function
==
js
export default class Shop extends Base {}
-> default = Shop class
==
js
const api = (x) => x;
export default api;
-> default = api function
==
js
export default { name: 'x' };
-> default constant
==
js
module.exports = { a, b: 1, c(x) {}, d: (y) => y, 'e': f, 'not-a-name': 1, ...require('./more') };
function a(q) {}
-> a function
-> b constant
-> c function
-> d function
-> e constant
-> * ./more
==
js
exports = module.exports = createApp;
function createApp() {}
exports.Router = Router;
exports.json = function (options) {};
module.exports.version = '1.0';
-> default = createApp function
-> Router constant
-> json function
-> version constant
==
js
const app = { get(path) {}, use: 1 };
module.exports = app;
-> default = app constant
-> get function
-> use constant
==
js
module.exports = require('./lib/express');
-> * ./lib/express
==
js
module.exports = make(1);
-> default constant
-> incomplete
==
js
module.exports = { ...defaults };
-> incomplete
==
js
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.b = exports.a = void 0;
const x = 1;
exports.a = x;
__exportStar(require("./other"), exports);
-> b constant
-> a = x constant
-> * ./other
==
js
const { inner } = require('./inner');
exports.outer = inner;
-> outer = inner variable < ./inner:inner
==
js
function local() { exports.hidden = 1; }
if (x) { module.exports = 2; }
==
ts
export interface Item<T> extends Base { id: T }
export type Id = string | number;
export enum Size { S, M }
export const enum Deep { A }
export namespace Geo { export const x = 1; }
export abstract class Model<T> extends Base<T> implements Item {}
-> Item interface
-> Id type
-> Size enum
-> Deep enum
-> Geo namespace
-> Model class
==
ts
export function find(id: string): Item;
export function find(id: number): Item;
export function find(id: any) { return id; }
export const list: readonly Item[] = [];
export const make = <T>(x: T): T => x;
-> find function
-> list constant
-> make function
==
ts
interface Shape { x: number }
const Shape = { x: 1 };
export { Shape };
export type { Other } from './other';
export { type Third, fourth } from './third';
export * from './all';
-> Shape interface
-> type Other variable < ./other:Other
-> type Third variable < ./third:Third
-> fourth variable < ./third:fourth
-> * ./all
==
ts
class Foo {}
export = Foo;
-> default = Foo class
==
ts
export default interface Props { a: string }
-> default = Props interface
==
ts
declare const VERSION: string;
declare function load(id: string): void;
interface Shared { a: 1 }
declare module 'x' { export const hidden: 1; }
-> ambient VERSION constant
-> ambient load function
-> ambient Shared interface
==
ts
export {};
declare global { interface Window { shop: 1 } var shop: number; }
declare const own: 1;
-> ambient Window interface
-> ambient shop variable
==
ts
export declare const one: 1;
export declare function two(): void;
export import three = Two.Three;
-> one constant
-> two function
-> three namespace
==
tsx
export const Button = ({ label }: Props) => <button>{label}</button>;
export default memo(Button);
-> Button function
-> default constant
==
py
RATE = 0.2
_secret = 1
total: int = 0
def add(a, b: int = 1) -> int: ...
class Cart(Base, metaclass=M):
    x = 1
@decorated
async def run(*, fast=False): ...
-> RATE constant
-> private _secret variable
-> total variable
-> add function
-> Cart class
-> run function
==
py
__all__ = ["add", "_inner", "made"]
__all__ += ["more"]
__all__.append("last")
def add(): ...
def other(): ...
def _inner(): ...
-> private __all__ variable
-> add function
-> private other function
-> _inner function
-> made variable
-> more variable
-> last variable
==
py
import os, numpy as np, a.b.c
from .models import Item as Item, Cart
from . import views
from shop import *
-> private os module < os:*
-> private Item variable < .models:Item
-> private Cart variable < .models:Cart
-> private views variable < .:views
-> * shop
==
py
from .a import one
from .b import two
__all__ = ["one", "two"]
-> one variable < .a:one
-> two variable < .b:two
-> private __all__ variable
==
py
from . import a
__all__ = a.__all__ + ["x"]
def x(): ...
-> private a variable < .:a
-> private __all__ variable
-> x function
-> incomplete
==
py
__all__ = made()
__all__ = [  # what others use
    "add",  # of numbers
]
__all__.append(  # and more
    "more"
)
def add(): ...
-> private __all__ variable
-> add function
-> more variable
==
py
__all__ = ["add", "\\x61dd2"]
def add(): ...
-> private __all__ variable
-> add function
-> incomplete
==
py
try:
    import json5 as json
except ImportError:
    json = None
if x:
    def a(): ...
else:
    b = c = 1
for i, (j, *k) in y: pass
with open(p) as f, g() as (h, [l, *m]), n() as (o.p): pass
d, e = 1, 2
-> json variable
-> a function
-> b variable
-> c variable
-> i variable
-> j variable
-> k variable
-> f variable
-> h variable
-> l variable
-> m variable
-> d variable
-> e variable
==
py
type Pair[T] = tuple[T, T]
def broken(a, :
    pass
class Fine: ...
-> Pair type
-> broken function
-> Fine class
"""


@pytest.mark.parametrize("case", CASES.split("\n==\n"))
def test_exports(case: str) -> None:
    check(case)


IMPORTS = r"""
js  import a, { b as c, default as d } from './x'       => ./x default:a b:c default:d
js  import * as m from 'm'                              => m *:m
js  import './side'                                     => ./side
js  const { a, b: c } = require('./x')                  => ./x a:a b:c require
js  const m = require('m'), n = require("n").n          => m *:m require ; n n:n require
js  require('./side')                                   => ./side require
js  const m = require(name)                             =>
js  function f() { const a = require('a') }             =>
ts  import type { T } from './t'                        => ./t T:T type
ts  import fs = require('fs')                           => fs *:fs require
py  import a.b, c as d                                  => a.b *:a ; c *:d
py  from . import x                                     => . x:x
py  from ..a . b import (c, d as e,)                    => ..a.b c:c d:e
py  from x import *                                     => x star
py  import a. \⏎ b as c                                 => a.b *:c
py  from . \⏎ a. \⏎ b import c                          => .a.b c:c
js  const a = require(/* the one */ 'a')                => a *:a require
py  if T: from x import y                               => x y:y
py  def f(): import x                                   =>
py  from __future__ import annotations                  =>
"""


@pytest.mark.parametrize("case", IMPORTS.strip().splitlines())
def test_imports(case: str) -> None:
    source, _, expected = case.partition("=>")
    language, _, text = source.strip().replace("⏎", "\n").partition("  ")
    got = []
    for found in imports_of(read(language, text)):
        marks = {"star": found.star, "type": found.is_type, "require": found.is_require}
        names = [f"{name.name}:{name.local}" for name in found.names]
        got.append(" ".join([found.module, *names, *(mark for mark, is_set in marks.items() if is_set)]))
    assert got == [part.strip() for part in expected.split(";") if part.strip()]


def test_what_another_language_imports_with_the_same_text_is_not_taken_for_it() -> None:
    statement = 'import { type A } from "./flow";'
    for language, name in [("js", "type"), ("ts", "A"), ("tsx", "A"), ("js", "type")]:
        (found,) = imports_of(read(language, statement))
        assert [one.name for one in found.names] == [name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_are_those_of_the_names(language: str) -> None:
    text = "\n\ndef täglich(): ...\n" if language == "py" else "\n\n/** ä */ export const täglich = 1;\n"
    (export,) = exports_of(read(language, text)).own
    assert (export.name, export.line) == ("täglich", 2)


@pytest.mark.parametrize("above", ["", "\n\n", "x = 1\n"])
def test_a_definition_read_before_is_reported_at_its_new_line(above: str) -> None:
    text = "@cached\ndef first(a: int) -> str:\n    pass\n\nclass Second(Base):\n    pass\n"
    exports = [one for one in exports_of(read("py", above + text)).own if one.name != "x"]
    shift = above.count("\n")
    assert [(one.name, one.line - shift) for one in exports] == [
        ("first", 1),
        ("Second", 4),
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        *(
            ("javascript", text)
            for text in ("const a = require();", "__exportStar();", "module.exports = {...require()}")
        ),
        *(("python", text) for text in ("__all__.extend()", "__all__.append()", "def f():\n    \n\nx = 1\n")),
    ],
)
def test_what_is_half_typed_is_read(language: str, text: str) -> None:
    exports_of(parse(Document("file:///a", Language(language), text)))


def test_a_module_that_many_names_come_from_is_read_once() -> None:
    parts = {f"part{at}": Exports((Export(f"name{at}", NameKind.FUNCTION, 0),)) for at in range(9)}
    passed = tuple(
        Export(f"name{at}", NameKind.VARIABLE, 0, source=ExportSource("all", f"name{at}")) for at in range(9)
    )
    modules = {"package": Exports(passed), "all": Exports(stars=tuple(parts)), **parts}
    asked: Counter[str] = Counter()

    def exports(module: str) -> Exports | None:
        asked[module] += 1
        return modules.get(module)

    package = ReExports(exports, lambda _, module: module, lambda *_: True, lambda *_: False, deepest=6)
    found = package.exported_by("package")
    assert {one.kind for one in found.values()} == {NameKind.FUNCTION}
    assert len(found) == len(parts)
    assert max(asked.values()) <= 2
