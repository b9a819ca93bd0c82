"""Places of types, at cursor marks: the word at the mark is replaced by a name."""

from __future__ import annotations

import pytest

from context_index import Document, Language, is_type_place, parse, type_words, word_end, word_start

TYPES = """
const x: ^
const x: str^
const x: Array<str^>;
let m: Map<string, ^>;
function f(a: ^) {}
function f(a: Money): str^
type T = ^
type T = A | ^
interface I { a: ^ }
interface I extends ^ {}
class A implements B^ {}
class A { private a: str^; c() {} }
x as str^
x satisfies ^
"""
VALUES = """
const x = str^
let z: typeof fo^
class A extends B^ {}
f(a ? b : c^)
x = { b: str^ }
if (a < b^) {}
import { A^ } from "x"
"""
UNREAD = """
const f = (a: ^
new Map<str^
"""
CASES = [(line, True) for line in TYPES.strip().split("\n")] + [
    (line, False) for line in (VALUES + UNREAD).strip().split("\n") if line
]


def is_at_mark(marked: str, language: Language) -> bool:
    offset = marked.index("^")
    text = marked.replace("^", "")
    syntax = parse(Document("file:///x", language, text))
    return is_type_place(syntax, word_start(text, offset), word_end(text, offset))


@pytest.mark.parametrize(("marked", "expected"), CASES)
def test_the_parser_says_where_a_type_is_named(marked: str, expected: bool) -> None:
    assert is_at_mark(marked, Language.TYPESCRIPT) is expected


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.PYTHON])
def test_no_place_is_one_where_types_have_no_names_of_their_own(language: Language) -> None:
    assert not is_at_mark("x: str^", language)
    assert type_words(language) == ()


@pytest.mark.parametrize("language", [Language.TYPESCRIPT, Language.TSX])
def test_the_words_that_are_types_are_those_that_the_parser_reads_as_types(language: Language) -> None:
    assert {"string", "number", "boolean", "unknown", "void"} <= set(type_words(language))
    assert not {"type", "const", "typeof", "string[]"} & set(type_words(language))
