"""Names that a suggestion uses above its own declaration of them; `out` is declared around. Compilers say the same."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse
from lsp_server.checks.used_early import used_early

# the body of a function within a module that declares `out` -> the names that are used early
JAVASCRIPT = """
const a = b; const b = 1;                    -> b
const a = out; const out = 2;                -> out
const out = out;                             -> out
{ const out = out + 1; }                     -> out
out; let out = 1;                            -> out
out.x(out);  const out = 2;                  -> out out
if (out) { out(out); const out = 3; }        -> out out
for (const out of out) {}                    -> out
for (const i = i; ;) {}                      -> i
const { a = b, b } = out;                    -> b
const [a = b, b] = out;                      -> b
new C(); class C {}                          -> C
class out extends out {}                     -> out
switch (out) { case 1: out; let out = 1; }   -> out
let x = 1; { const y = x; let x = 2; }       -> x
out++; let out = 1;                          -> out
const a = { out }; const out = 1;            -> out
const a = () => { const b = c; const c = b; }; -> c
const g = () => out; const out = 1;          ->
const a = c(); function c() { return c }     ->
const a = { out }; var out = 2;              ->
var out = out || {};                         ->
const a = 1, b = a;                          ->
const a = { b: 1 }; const b = a.b;           ->
const { a, b = a } = out;                    ->
const g = ({ a = 1, b = a } = {}) => b;      ->
const g = ([a, { c, d = c }] = []) => d;     ->
for (const { a, b = a } of out) {}           ->
const [a, b = a] = out;                      ->
for (let i = 0, n = i; i < n; i++) {}        ->
for (const a of out) { const b = a; }        ->
a: for (;;) { break a; } let a = 1;          ->
const out = function out() { return out; };  ->
const a = class { b = c; }; const c = 1;     ->
let a = out; { let out = a; }                ->
"""
TYPESCRIPT = """
let a: A; type A = 1; let b: A = 1;          ->
let c: C; class C {}                         ->
let a: typeof out; let out = 1;              ->
const a = out as number; const out = a;      -> out
enum A { b = 1, c = A.b }                    ->
"""
PYTHON = """
a = out; out = 2                             -> out
print(out); out = 2                          -> out
for out in out: pass                         -> out
with open(out) as out: pass                  -> out
a = b; b = 1                                 -> b
x = 1; x = x + 1                             ->
def g(): return out¶out = g                  ->
x = [out for out in out]                     ->
if x: x = 1                                  -> x
x = y = 1; z = x + y                         ->
(x, y), z = out; x = y                       ->
try: x = 1¶finally: x                        ->
for x in out: y = x                          ->
with open(out) as x: x.y                     ->
x = lambda y: x                              ->
x = out if (out := 1) else 2                 ->
x = [out for y in g() if (out := y)]         ->
x = {a: out for a in g() if (out := a)}      ->
print(out); x = (out := 1)                   -> out
class A: out = out                           ->
try:¶    import x¶except x.E:¶    pass       -> x
try:¶    import x¶except (x.E, out):¶    x = 1 -> x
try:¶    from x import E¶except E:¶    x = 1 -> E
try:¶    import x, y¶except x.E:¶    pass    ->
try:¶    import x¶    x.f()¶except x.E:¶    pass ->
try:¶    import x¶except out:¶    x = 1      ->
try:¶    import x¶except out as e:¶    x = e ->
class A: f = lambda: g; g = f                ->
"""
CASES = [
    (language, line)
    for language, lines in (
        (Language.JAVASCRIPT, JAVASCRIPT),
        (Language.TYPESCRIPT, JAVASCRIPT + TYPESCRIPT),
        (Language.PYTHON, PYTHON),
    )
    for line in lines.strip().splitlines()
    if line
]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("if out:¶    x = 1¶    return x¶g(^x)", ["x"]),
        ("if out:¶    x = 1¶else:¶    g(^x)", ["x"]),
        ("if out:¶    x = 1¶g(^x)", []),
        ("for x in out:¶    y = x¶g(^y)", []),
        ("g(^out)", []),
        ("g(^lambda: x)¶x = 1", []),
        ("g(^[x for x in out])", []),
        ("g(^x := out)", []),
    ],
)
def test_in_a_torn_file_all_names_are_looked_at(line: str, expected: list[str]) -> None:
    before, _, behind = ("out = 1\ndef f():\n    " + line.replace("¶", "\n    ") + "\n").partition("^")
    syntax = parse(Document("file:///a", Language.PYTHON, before + behind))
    end = len(before) + behind.index(")" if ")" in behind else "\n")
    assert [one.name for one in used_early(syntax, len(before), end, torn=True)] == expected
    assert not list(used_early(syntax, len(before), end))


@pytest.mark.parametrize(("language", "line"), CASES)
def test_names_that_are_used_early(language: Language, line: str) -> None:
    body, expected = line.split("->") if not line.strip().endswith("->") else (line.strip().removesuffix("->"), "")
    if language.is_python:
        before, body, after = (
            "out = 1\ndef f():\n    ",
            body.strip().replace("; ", "\n    ").replace("¶", "\n    "),
            "\n",
        )
    else:
        before, body, after = "const out = 1;\nfunction f() {\n  ", body.strip(), "\n}\n"
    syntax = parse(Document("file:///a", language, before + body + after))
    assert not syntax.root.has_error
    found = used_early(syntax, len(before), len(before + body))
    assert [one.name for one in found] == expected.split()


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.TYPESCRIPT])
@pytest.mark.parametrize("parameters", ["a", "a = 1", "{ a }", "{ b: [a] } = {}", "...a"])
def test_a_parameter_far_below_the_head_of_its_class_is_none(language: Language, parameters: str) -> None:
    head = "class A {\n" + "  b() {}\n" * 60
    body = f"  f({parameters}) {{ const c = a; }}\n  g() {{ const a = 1; }}\n"
    syntax = parse(Document("file:///a", language, f"{head}{body}}}\n"))
    assert not syntax.root.has_error
    assert not list(used_early(syntax, len(head), len(head + body)))
