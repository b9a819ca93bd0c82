"""What the tables may be shown in place of a form that they do not know: it keeps every place, and is read."""

from __future__ import annotations

import re

import pytest

from context_index.symbols import Language, SymbolContext
from decoder.completion import CompletionTask
from decoder.completion.preparation import constraint_at
from decoder.constraint.documents import DocumentStates
from decoder.constraint.protocol import Refusal
from decoder.grammar import Grammar
from decoder.grammar.respelling import Respeller
from tests.decoder.scripted import variables

FORMS = [
    (Language.TYPESCRIPT, 'export type * from "./z";\n'),
    (Language.TYPESCRIPT, "interface Sink<in T> { put(value: T): void }\n"),
    (Language.TYPESCRIPT, "class Count { static accessor size = 1; }\n"),
    (Language.TYPESCRIPT, 'let made: import("./z").Box<Map<string, number>> = 1;\n'),
    (Language.TYPESCRIPT, "for (using row of rows) { row }\n"),
    (Language.TYPESCRIPT, "class Ä<in T> { größe = 'é😀'; }\n"),
    (Language.TSX, "const e = <p>R&D</p>;\n"),
    (Language.TSX, 'const e = <a href="?a=1&b=2">é😀</a>;\n'),
    (Language.JAVASCRIPT, "class Count { accessor size = 1; }\n"),
    (Language.PYTHON, "def first[T = int](values: T):\n    pass\n"),
    (Language.PYTHON, "class Box[T = dict[str, int]]:\n    pass\n"),
    (Language.PYTHON, "total = 1\nlazy import json\n"),
]
TOKEN = re.compile(r"\w+|[^\w\s]")


@pytest.mark.parametrize(("language", "text"), FORMS)
def test_ways_are_read_and_keep_every_place(language: Language, text: str) -> None:
    respeller = Respeller(language)
    refused = respeller.refused(text)
    assert refused is not None
    ways = [*respeller.ways(text, refused, [one.span() for one in TOKEN.finditer(text)])]
    costs = [way.cost for way in ways]
    assert costs == sorted(costs)
    assert any(not way.penalty for way in ways)
    for way in ways:
        read = text
        for one in way.replacements:
            assert len(one.text.encode()) == len(text[one.start : one.end].encode())
            read = read[: one.start] + one.text + read[one.end :]
        assert len(read) == len(text)
        assert [one for one in read if one.isspace() and one != " "] == [one for one in text if one == "\n"]
        after = respeller.refused(read)
        assert way.reach == (len(text) if after is None else after) > refused or after is None
        if not way.penalty:
            assert Grammar.load(language).start().advance(read) is not None


READ = [
    (Language.TYPESCRIPT, "const total = 1;\nfor (const row of rows) {\n  g(row);\n"),
    (Language.TSX, "const e = <p>a {total"),
    (Language.JAVASCRIPT, "class Count {\n  size = 1;\n  get("),
    (Language.PYTHON, "def first[T](values: list[T]) -> T:\n    return values["),
    (Language.PYTHON, ""),
]


@pytest.mark.parametrize(("language", "text"), READ)
def test_what_is_read_is_not_refused(language: Language, text: str) -> None:
    assert Respeller(language).refused(text) is None


BELOW = [
    (Language.TSX, "const e = <p>a & b</p>;\nf(", "const e = <p>a   b</p>;\nf("),
    (Language.TYPESCRIPT, 'export type * from "./z";\nf(', 'export      * from "./z";\nf('),
    (Language.TYPESCRIPT, "class C { static accessor a = 1; }\nf(", "class C { static          a = 1; }\nf("),
    (Language.JAVASCRIPT, "class C { accessor a = 1; }\nf(", "class C {          a = 1; }\nf("),
    (Language.PYTHON, "def g[T = int](x: T): pass\nf(", "def g[T      ](x: T): pass\nf("),
]


@pytest.mark.parametrize(("language", "prefix", "spelling"), BELOW)
def test_names_bind_below_a_form(language: Language, prefix: str, spelling: str) -> None:
    symbols = SymbolContext(language, variables("total", "f"))
    free = constraint_at(CompletionTask(prefix, "\n", symbols), prefix, DocumentStates())[0]
    assert not isinstance(free.advance(b"zork)"), Refusal)
    task = CompletionTask(prefix, "\n", symbols, spelling=f"{spelling}\n")
    held, entry = constraint_at(task, prefix, DocumentStates())
    assert entry is not None
    assert entry.state is not None
    assert isinstance(held.advance(b"zork)"), Refusal)
    assert not isinstance(held.advance(b"total)"), Refusal)
