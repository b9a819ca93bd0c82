"""Which declarations the names of a sentence mean: cases with the lines that they are on."""

from __future__ import annotations

import pytest

from context_index import Document, Language, declaration_around, leading_comments, parse
from lsp_server.engine.rewriting.region import parsed_rename, region_of, rename_in, without_place

PYTHON = """\
import math

LIMIT = 3


# How large it is.
@cached
def area(radius):
    return math.pi * radius ** 2


class Cart:
    def total(self):
        rate = 2
        return rate

    def add(self, item):
        pass


class Order:
    def total(self):
        return 0
"""
JAVASCRIPT = """\
import fs from 'fs';

const LIMIT = 3;

/** How large it is. */
export function area(radius) {
  const total = 1;
  return total * radius;
}

export const twice = (x) => 2 * x;

class Cart {
  total() { return 0; }
}
"""
CASES = [
    (PYTHON, Language.PYTHON, "add a docstring to area", (6, 9)),
    (PYTHON, Language.PYTHON, "LIMIT should be 4", (3, 3)),
    (PYTHON, Language.PYTHON, "in Cart, total is rounded", (13, 15)),
    (PYTHON, Language.PYTHON, "round total", (13, 23)),
    (PYTHON, Language.PYTHON, "rate is too low", (1, 23)),
    (PYTHON, Language.PYTHON, "make it faster", (1, 23)),
    (PYTHON, Language.PYTHON, "document Order", (21, 23)),
    ("LIMIT = 3  # at most\ndef area():\n    pass\n", Language.PYTHON, "document area", (2, 3)),
    ("LIMIT = 3  # at most\n# of a circle\ndef area():\n    pass\n", Language.PYTHON, "document area", (2, 4)),
    ("let a = 1; /* one */ function area() {}\n", Language.JAVASCRIPT, "document area", (1, 1)),
    (JAVASCRIPT, Language.JAVASCRIPT, "area takes a height", (5, 9)),
    (JAVASCRIPT, Language.JAVASCRIPT, "`twice` adds", (11, 11)),
    (JAVASCRIPT, Language.JAVASCRIPT, "twice and LIMIT", (3, 11)),
    (JAVASCRIPT, Language.JAVASCRIPT, "total is 1", (14, 14)),
    (JAVASCRIPT, Language.JAVASCRIPT, "what does fs do", (1, 15)),
]


@pytest.mark.parametrize(("text", "language", "instruction", "lines"), CASES)
def test_the_region_of_an_instruction(text: str, language: Language, instruction: str, lines: tuple[int, int]) -> None:
    syntax = parse(Document("untitled:a", language, text))
    start, end = region_of(text, syntax, instruction, None)
    assert (text.count("\n", 0, start) + 1, text.count("\n", 0, end)) == lines
    assert start == 0 or text[start - 1] == "\n"


# an instruction => its wordings without words that say where
WORDINGS = """
round it in area                    => round it in; round it; round
in area, round it                   => round it; in; it
round it in the function area       => round it in the function; round it in the; round it in; round it
round the sum in Cart.total         => round the sum in; round the sum; round the; round
return 0 if None is item in total   => return 0 if None is item in; return 0 if None is item
return 0 if radius is None          =>
make area round                     => make; round
area                                =>
make it faster                      =>
"""


@pytest.mark.parametrize("case", WORDINGS.strip().splitlines())
def test_the_words_that_say_where_may_be_left_out(case: str) -> None:
    instruction, _, expected = (part.strip() for part in case.partition("=>"))
    syntax = parse(Document("untitled:a", Language.PYTHON, PYTHON))
    region = region_of(PYTHON, syntax, instruction, None)
    assert "; ".join(without_place(syntax, instruction, region)) == expected


def test_words_that_say_another_place_than_the_region_stay() -> None:
    syntax = parse(Document("untitled:a", Language.PYTHON, PYTHON))
    lines = region_of(PYTHON, syntax, "", (PYTHON.index("def add"), PYTHON.index("pass")))
    assert without_place(syntax, "round it in add", lines)
    assert without_place(syntax, "round it in Cart", lines)
    assert not without_place(syntax, "round it in area", lines)


AT = [
    (PYTHON, Language.PYTHON, 3, "LIMIT", (3, 3)),
    (PYTHON, Language.PYTHON, 6, "area", (6, 9)),
    (PYTHON, Language.PYTHON, 7, "area", (6, 9)),
    (PYTHON, Language.PYTHON, 9, "area", (6, 9)),
    (PYTHON, Language.PYTHON, 12, "Cart", (12, 18)),
    (PYTHON, Language.PYTHON, 14, "total", (13, 15)),
    (PYTHON, Language.PYTHON, 16, "Cart", (12, 18)),
    (PYTHON, Language.PYTHON, 18, "add", (17, 18)),
    (PYTHON, Language.PYTHON, 1, "", (1, 23)),
    (PYTHON, Language.PYTHON, 10, "", (1, 23)),
    (JAVASCRIPT, Language.JAVASCRIPT, 3, "LIMIT", (3, 3)),
    (JAVASCRIPT, Language.JAVASCRIPT, 5, "area", (5, 9)),
    (JAVASCRIPT, Language.JAVASCRIPT, 8, "area", (5, 9)),
    (JAVASCRIPT, Language.JAVASCRIPT, 9, "area", (5, 9)),
    (JAVASCRIPT, Language.JAVASCRIPT, 11, "twice", (11, 11)),
    (JAVASCRIPT, Language.JAVASCRIPT, 14, "total", (14, 14)),
    (JAVASCRIPT, Language.JAVASCRIPT, 15, "Cart", (13, 15)),
    ("def f():\n    g(\n", Language.PYTHON, 2, "f", (1, 2)),
    ("f(() => {\n  g();\n});\n", Language.JAVASCRIPT, 2, "", (1, 3)),
]


@pytest.mark.parametrize(("text", "language", "line", "name", "lines"), AT)
def test_the_region_around_a_cursor(
    text: str, language: Language, line: int, name: str, lines: tuple[int, int]
) -> None:
    syntax = parse(Document("untitled:a", language, text))
    length = len(text.split("\n")[line - 1])
    for column in (0, length // 2, length):
        cursor = syntax.document.lines[line - 1] + column
        start, end = region_of(text, syntax, "make it faster", None, cursor)
        declared = declaration_around(syntax, cursor)
        assert (declared.name if declared else "") == name
        assert (text.count("\n", 0, start) + 1, text.count("\n", 0, end)) == lines


@pytest.mark.parametrize(
    ("language", "part"),
    [
        (Language.PYTHON, "^# a\n# b\n|def f():\n    # c\n    return 1\n^"),
        (Language.PYTHON, "x = 1\n^\n# a\n\n# b\n|y = 1\n^"),
        (Language.PYTHON, '^|"""a"""\n^'),
        (Language.PYTHON, "^|@cached  # a\ndef f(): pass\n^"),
        (Language.PYTHON, "^|# a\n# b\n^\ndef f(): pass\n"),
        (Language.PYTHON, "class A:\n^    # a\n|    def f(self): pass\n^"),
        (Language.JAVASCRIPT, "^/**\n * a\n */\n|export function f() {}\n^"),
        (Language.JAVASCRIPT, "^// a\n|/* b */ f() // c\n^"),
        (Language.JAVASCRIPT, "^/* a\n b */\r\n\r\n|f()\r\n^"),
        (Language.TYPESCRIPT, "class A {\n^  /** a */\n|  private f(): void {}\n^}\n"),
    ],
)
def test_comments_at_the_beginning_of_a_region(language: Language, part: str) -> None:
    before, inside, after = part.split("^")
    text = (before + inside + after).replace("|", "")
    start, end = len(before), len(before) + len(inside) - 1
    assert leading_comments(parse(Document("untitled:a", language, text)), start, end) == inside.index("|")


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("a\n^b^\nc\n", "a\n^b\n^c\n"),
        ("a\n^^b\nc\n", "a\n^b\n^c\n"),
        ("a\n^b\n^c\n", "a\n^b\n^c\n"),
        ("a\r\n^b\r\n^c\r\n", "a\r\n^b\r\n^c\r\n"),
        ("a\r\nb^b\r^\nc\r\n", "a\r\n^bb\r\n^c\r\n"),
        ("a\r^b\r^c\r", "a\r^b\r^c\r"),
        ("a\r^b^\rc\n", "a\r^b\r^c\n"),
        ("a\nb\rc^c\nd^", "a\nb\r^cc\nd^"),
    ],
)
def test_a_selection_is_widened_to_whole_lines(chosen: str, expected: str) -> None:
    before, inside, after = chosen.split("^")
    text, span = before + inside + after, (len(before), len(before + inside))
    start, end = region_of(text, None, "", span)
    assert f"{text[:start]}^{text[start:end]}^{text[end:]}" == expected


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("rename total to amount", ("total", "amount", "")),
        (" rename `total`  to `amount` ", ("total", "amount", "")),
        ("Rename total to amount in `execute`.", ("total", "amount", "execute")),
        ("rename total to amount in the loop", None),
        ("rename total to amount on execute", None),
        ("rename total to amount in", None),
        ("please rename total to amount", None),
        ("rename the total to amount", None),
        ("rename 3 to amount", None),
        ("use amount instead of total", None),
    ],
)
def test_one_form_of_renaming_is_read(instruction: str, names: tuple[str, str, str] | None) -> None:
    assert rename_in(instruction) == names


@pytest.mark.parametrize("text", ["total", "total=", "=x", "a b=c", "1=b", ""])
def test_what_is_no_renaming_is_reported(text: str) -> None:
    with pytest.raises(ValueError, match="two names such as total=amount"):
        parsed_rename(text)
