"""Cursors: each line of `cases/cursor.txt` is a place and what is being completed there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index import Cursor, CursorKind, Document, Language, cursor_at, parse
from context_index.languages.record import Lexis, StringForm
from context_index.tokens import TokenKind, _anchor, _Lexer, tokens_before
from tests.alone import parser_alone
from tests.examples import examples

ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\"}
CASES = [
    line
    for line in (Path(__file__).parent / "cases" / "cursor.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("# ")
]
FIELD = re.compile(r" (word|callee|module)=")


def unescaped(text: str) -> str:
    return re.sub(r"\\[nrt\\]", lambda escape: ESCAPES[escape[0]], text)


def read(case: str) -> tuple[Document, int, Cursor]:
    language, _, rest = case.partition(" | ")
    code, _, expected = rest.rpartition(" => ")
    before, _, after = unescaped(code).partition("^")
    kind, *pairs = FIELD.split(expected)
    fields: dict[str, Any] = {name: unescaped(value) for name, value in zip(pairs[::2], pairs[1::2], strict=True)}
    cursor = Cursor(CursorKind(kind.removeprefix("! ")), len(before), **fields, binding=kind.startswith("! "))
    return Document("file:///a", Language(language), before + after), len(before), cursor


@pytest.mark.parametrize("case", CASES)
def test_cursor(case: str) -> None:
    document, offset, expected = read(case)
    assert cursor_at(parse(document), offset) == expected


@pytest.mark.slow
@settings(max_examples=60)
@given(st.sampled_from(CASES), st.sampled_from(CASES), st.data())
def test_a_cursor_is_found_anywhere_in_any_text(one: str, other: str, data: st.DataObject) -> None:
    document, _, _ = read(one)
    text = document.text + "\n" + read(other)[0].text
    offset = data.draw(st.integers(0, len(text)))
    syntax = parse(Document("file:///a", document.language, text))
    found = cursor_at(syntax, offset)
    assert text[:offset].endswith(found.word)


PIECES = (
    "a",
    "1",
    " ",
    "\n",
    "\r\n",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "#",
    "'",
    '"',
    '"""',
    "`",
    "${",
    "{",
    "}",
    "(",
    ")",
    ":",
    "f'",
)


@examples(300)
@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from([Language.PYTHON, Language.TYPESCRIPT])
)
def test_tokens_after_lines_read_before_are_those_of_the_whole(text: str, language: Language) -> None:
    syntax = parse(Document("file:///a", language, text))
    anchor = _anchor(syntax, len(text))
    assert tokens_before(syntax, len(text)) == _Lexer(language, anchor, text[anchor:]).read()


LINES = "\n" * 60
SPANNING = [
    (Language.JAVASCRIPT, "a; f(`b", f"{LINES}c`)", "`"),
    (Language.JAVASCRIPT, "a; f(`b${ `c` }", f"{LINES}c`)", "`"),
    (Language.JAVASCRIPT, "a; f(`b${ d(", LINES + "c)}`)", "`"),
    (Language.JAVASCRIPT, "a; f(`b`, ", f"{LINES}c)", ""),
    (Language.JAVASCRIPT, "'use strict'; f(", f"{LINES}c)", ""),
    (Language.PYTHON, "a; f(rf'''b{c}", f"{LINES}c''')", "rf'''"),
    (Language.PYTHON, "'''a'''\nf(", f"{LINES}c)", ""),
    (Language.C, "int a; /* b", f"{LINES}c */", "/*"),
    (Language.C, 'char *a = "b', "\\\n" * 60 + 'c";', '"'),
]


@pytest.mark.parametrize(("language", "before", "after", "opening"), SPANNING)
def test_reading_begins_before_the_string_or_comment_that_a_line_is_in(
    language: Language, before: str, after: str, opening: str
) -> None:
    document = Document("file:///a", language, before + after)
    cursor = document.text.rindex("c")
    found = _anchor(parse(document), cursor)
    line = document.position(cursor).line
    assert found == (before.index(opening) if opening else document.lines[line - 40])


RECORDED = [
    (r"f(`a\`, b", "f ( `a\\` , b"),
    ("f(`a\nb", "f ( `a\nb…"),
    ("`a ${b}` c", "`a ${b}` c"),
    ('"a #{b} #c" d', '"a  ${ b }  #c" d'),
    ('"a #{b', '"a  ${ b'),
    (r"'a\' b", r"'a\' b"),
    ("x -- it's\ny", "x -- it's \n y"),
    ("x // y", "x / / y"),
]


@pytest.mark.parametrize(("text", "expected"), RECORDED)
def test_tokens_are_those_that_the_record_says(text: str, expected: str) -> None:
    lexis = Lexis(
        comment="--",
        has_block_comments=False,
        strings={
            '"': StringForm(hole="#{"),
            "'": StringForm(has_escapes=False),
            "`": StringForm(has_escapes=False, has_lines=True),
        },
    )
    with parser_alone(Language.C, lexis=lexis):
        items = tokens_before(parse(Document("file:///a", Language.C, text)), len(text)).items
    assert (
        " ".join(f"{one.text}…" if one.open and one.kind is TokenKind.STRING else one.text for one in items) == expected
    )
