"""Where a suggestion ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.lexical import at_cursor
from decoder.stops import Ends, Stop, Until, repeats_itself

# until, prefix, output with ^ where it ends, why; ↵ is a line break
ENDINGS = """
line       | x =            |  f(^↵  a)            | line
statement  | x =            |  f(↵  a);^ g()       | statement
statement  | x =            |  f(a)^↵y = 1         | statement
statement  | for (          | let i = 0; i < n)    | -
statement  | if (a) {↵      |   f(b)^↵}            | statement
statement  | x =            |  a +↵  b^↵c          | statement
statement  | x =            |  a -↵  b^↵c          | statement
statement  | x =            |  a in↵  b.in^↵c      | statement
statement  | x =            |  a++^↵c              | statement
block      | if (a) {↵  |   f();↵  g();↵}^↵h()     | block
block      | f(() => {↵     |   a;↵}^)             | block
line       | x =            |  "a;b"^↵             | line
line       | x = 1;         | ^↵y = 2              | line
statement  | x = 1;         | ↵y = 2;^             | statement
statement  | f(             | ↵  a)^↵              | statement
statement  | f({            | ↵  p: a,^↵  q: b      | statement
statement  | enum A {↵      |   p = 1,^↵  q         | statement
statement  | x =            |  "a;b";^ c           | statement
statement  | f = function ( | a) { b; c; }^↵d      | statement
statement  | if (a          |  && b) {↵  c();↵}^↵d | statement
statement  | f("            | a", {↵  p: b↵})^↵c   | statement
statement  | f(() => {↵     |   a;^ b              | statement
py block     | def f():↵    |     a↵    b^↵c       | block
py block     | def f():↵    |     a(↵  1)↵    b^↵c | block
py statement | x =          |  [1,↵  2]^↵y         | statement
py statement | x =          |  a; b^↵              | statement
py block     | def f():↵    |     abcd^↵    abcd↵ | repetition
py statement | if             |  a:↵    b^↵c          | statement
py statement | if             |  a:↵    if b:↵  c^↵   | statement
py statement | x =            |  1  # it's:^↵y        | statement
py statement | if             |  a:  # why↵    b^↵c   | statement
py statement | x =            |  [1,  # one↵  2]^↵y   | statement
py statement | x = 1          |   # of y:^↵y = 2↵z    | statement
py statement | x =            | # of y↵1^↵z           | statement
py statement | # of           |  the^↵x = 1↵          | statement
statement  | x =            |  f() // of y =^↵z     | statement
statement  | x =            |  a + // of y↵  b^↵c   | statement
statement  | f({            | ↵  p: a, // one^↵  q  | statement
statement  | x =            |  "//"^↵y              | statement
statement  | x =            |  a.in // of y^↵z      | statement
statement  | x =            |  a in // of y↵  b^↵c  | statement
statement  | x =            |  a-- // of y^↵z       | statement
statement  | x =            |  /a=/^↵z              | statement
statement  | x =            |  [...await↵  b]^↵c    | statement
statement  | x =            |  `a=`^↵z              | statement
"""


def _cases() -> list[tuple[str, str, str, str]]:
    rows = [[cell.replace("↵", "\n") for cell in line.split("|")] for line in ENDINGS.strip().splitlines()]
    return [(until.strip(), prefix.strip(" "), output.strip(" "), stop.strip()) for until, prefix, output, stop in rows]


def _ends(until: str, prefix: str, *, above: str = "", below: str = "") -> Ends:
    python = until.startswith("py")
    indentation = 4 if python and prefix.endswith("\n") else 2 if prefix.endswith("\n") else 0
    return Ends(
        Until(until.removeprefix("py ")),
        at_cursor(prefix, language=Language.PYTHON if python else Language.JAVASCRIPT),
        indentation=indentation,
        line=prefix[prefix.rfind("\n") + 1 :],
        above=above,
        below=below,
    )


@pytest.mark.parametrize(("until", "prefix", "output", "stop"), _cases())
def test_where_a_suggestion_ends(until: str, prefix: str, output: str, stop: str) -> None:
    ending = _ends(until, prefix).advance(output.replace("^", ""))
    if stop == "-":
        assert ending is None
    else:
        assert ending is not None
        assert (ending.stop, ending.length) == (Stop(stop), output.index("^"))


def test_two_characters_may_end_a_line() -> None:
    text = "  first();\r\n  second();\r\n}"
    ending = _ends("block", "if (a) {\n").advance(text)
    assert ending is not None
    assert (ending.stop, ending.length) == (Stop.BLOCK, len(text))


@given(st.sampled_from(_cases()), st.data())
def test_portions_do_not_matter(case: tuple[str, str, str, str], data: st.DataObject) -> None:
    until, prefix, output, _ = case
    text = output.replace("^", "")
    cut = data.draw(st.integers(0, len(text)))
    ends = _ends(until, prefix)
    assert (ends.advance(text[:cut]) or ends.advance(text[cut:])) == _ends(until, prefix).advance(text)


@pytest.mark.parametrize(
    ("until", "prefix", "around", "output", "stop"),
    [
        ("py statement", "if", ("", "    b = 1"), " a:^\n", Stop.STATEMENT),  # its block
        ("block", "if (a) {\n", ("", "return total;"), "  f();^\n  return total;\n", Stop.REPETITION),
        ("statement", "f();\n", ("f();", "g();"), "^f();", Stop.REPETITION),
        ("statement", "f();\n", ("f();", "g();"), "^g();", Stop.REPETITION),
        ("statement", "f();\n", ("f();", "g();"), "h();^", Stop.STATEMENT),
        ("statement", "so()\n", ("so()", "g();"), "^so();", Stop.REPETITION),  # whatever ends them
    ],
)
def test_what_stands_around_is_not_said_again(
    until: str, prefix: str, around: tuple[str, str], output: str, stop: Stop
) -> None:
    ending = _ends(until, prefix, above=around[0], below=around[1]).advance(output.replace("^", ""))
    assert ending is not None
    assert (ending.stop, ending.length) == (stop, output.index("^"))


# until, prefix, an output whose budget has ended, with ^ up to where it is kept
CUT = """
block    | if (a) {↵   |   f();^↵  g(
block    | if (a) {↵   |   f();↵  g();^↵
block    | if (a) {↵   |   f();^↵  for (b of c) {↵    d();↵    e(
block    | if (a) {↵   |   f();↵  for (b of c) {↵    d();↵  }^↵  e(
block    | if (a) {↵   |   for (b of c) {↵    d();^↵    e(
block    | if (a) {↵   |   for (b of c) {^↵    d(
block    | if (a) {↵   |   f(↵    b,↵    c
block    | if (a) {↵   |   f();^↵  g(() => {↵    b();↵    c(
py block | def f():↵   |     a()^↵    b(
py block | def f():↵   |     a()↵    if b:↵        c()^↵        d(
py block | def f():↵   |     a()^↵    if b:↵        c(
py block | def f():↵   |     a()^↵    if b:  # why↵        c(
py block | def f():↵   |     a()  # of b:^↵    c(
py block | def f():↵   |     from a import *^↵    c(
py block | def f():↵   |     from a import *  # all^↵    c(
py block | def f():↵   |     a()^↵    b = c *↵    d(
py block | def f():↵   |     a()↵    b = new^↵    c(
py block | def f():↵   |     a()^↵    if b:↵        # why↵        c(
"""


@pytest.mark.parametrize("row", CUT.strip().splitlines())
def test_where_an_output_is_cut_whose_budget_has_ended(row: str) -> None:
    until, prefix, output = (cell.replace("↵", "\n") for cell in row.split("|"))
    output = output.removeprefix(" ")
    ends = _ends(until.strip(), prefix.strip(" "))
    assert ends.advance(output.replace("^", "")) is None
    assert ends.whole == (output.index("^") if "^" in output else None)


@pytest.mark.parametrize(
    ("tokens", "surplus"),
    [([1, 2, 3], 0), ([9, *[1, 2, 3, 4] * 3], 8), ([1, 2, 3, 4] * 2, 0), ([0] * 5, 0), ([0] * 6, 5), ([1, 0] * 6, 10)],
)
def test_tokens_that_repeat_are_cut(tokens: list[int], surplus: int) -> None:
    assert repeats_itself(tokens) == surplus
