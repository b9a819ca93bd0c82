"""Texts that end amid something: keys without a value, in trees that do not tell. Others are among the gate's cases."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse
from lsp_server.checks.unfinished import is_unfinished

JS, TS, PY = Language.JAVASCRIPT, Language.TYPESCRIPT, Language.PYTHON


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        (TS, "interface A {\n  <\n    S,\n    ^enhancer:^\n    B = S\n  >(\n    a: C,\n  ): D\n", True),
        (JS, "x = {\n  ^a:^\n  b,\n};\n", True),
        (JS, "x = {\n  ^a:^\n    b,\n};\n", False),
        (TS, "switch (a) {\n  ^case b:^\n    c();\n}\n", False),
        (TS, "switch (a) {\n  ^case b:^\n  case c:\n    d();\n}\n", False),
        (TS, "switch (a) {\n  ^default:^\n    c();\n}\n", False),
        (JS, "// ^note:^\nf();\n", False),
        (TS, "x = a ? ^b:^\nc;\n", False),
        (TS, "type A = {\n  ^b?:^\n    | C\n    | D;\n};\n", False),
        (TS, "type A = {\n  ^b:^ C;\n};\n", False),
        (PY, "if a:\n    ^else:^\n    b()\n", False),
    ],
)
def test_a_key_goes_on_in_its_line_or_deeper(language: Language, line: str, expected: bool) -> None:
    before, written, behind = line.split("^")
    syntax = parse(Document("untitled:x", language, before + written + behind))
    assert is_unfinished(syntax, len(before), len(before) + len(written)) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("interface A {\n  <B, C>(^<T = any, V = any^\n  object: <T = any>(a: T) => T\n}\n", True),
        ("interface A {\n  <B, C>(^<T = any, V = any>^\n  object: <T = any>(a: T) => T\n}\n", False),
        ("interface A {\n  <B, C>(^<T = any,^\n  V = any>(a: T) => T\n}\n", False),
        ("interface A {\n  <B, C>(^<T = any^\n  , V = any>(a: T) => T\n}\n", False),
        ("f) (;\n^if (a <b)^\n  c();\n", False),
        ("f) (;\n^if (a < b)^\n  c();\n", False),
        ("f) (;\n^const a = () => b<C>()^\n  c();\n", False),
        ("^x = a < b^;\nc();\n", False),
    ],
)
def test_a_list_of_types_has_an_end_in_a_torn_file(line: str, expected: bool) -> None:
    before, written, behind = line.split("^")
    syntax = parse(Document("untitled:x", TS, before + written + behind))
    assert is_unfinished(syntax, len(before), len(before) + len(written)) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a =\n  ^b =^\n  c;\n", False),
        ("a =\n  b +\n  ^c +^\n  d;\n", False),
        ("x = 1;\n^b =^\nc;\n", True),
        ("^b =^\nc;\n", True),
        ("a =\n  ^b +^\n  c;\n", True),
    ],
)
def test_a_link_of_a_chain_may_stand_above_the_next(line: str, expected: bool) -> None:
    before, written, behind = line.split("^")
    syntax = parse(Document("untitled:x", JS, before + written + behind))
    assert is_unfinished(syntax, len(before), len(before) + len(written)) is expected


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        (JS, "import { a ^as^ }\nb();\n", True),
        (JS, "import { ^a as^, b } from 'c';\n", True),
        (JS, "import { ^a as^ b } from 'c';\n", False),
        (TS, "let a = f(b ^as^);\n", True),
        (TS, "let a = ^b as^;\n", True),
        (TS, "let a = ^b as^ const;\n", False),
        (PY, "import ^a as^\n", True),
        (PY, "with a ^as^:\n    b()\n", True),
        (PY, "with ^a as^ b:\n    b()\n", False),
        (PY, "# ^a as^\n", False),
        (JS, "f('a ^as^');\n", False),
        (JS, "f(a.^as^);\n", False),
        (JS, "f(^as^);\n", False),
    ],
)
def test_another_name_follows_as(language: Language, line: str, expected: bool) -> None:
    before, written, behind = line.split("^")
    syntax = parse(Document("untitled:x", language, before + written + behind))
    assert is_unfinished(syntax, len(before), len(before) + len(written)) is expected
