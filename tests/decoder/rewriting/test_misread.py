"""Sentences that want a name replaced, those that do not, and texts in which it was done all the same."""

from __future__ import annotations

import pytest

from decoder.rewriting.instruction import may_rename
from decoder.rewriting.misread import misread
from decoder.rewriting.worth import MISREAD, UNCHANGED, Worth

ORIGINAL = "def f(total, rows):\n    rows.append(total)\n    return total\n"


@pytest.mark.parametrize(
    ("sentence", "may"),
    [
        ("rename total to amount", True),
        ("total should be called amount", True),
        ("total -> amount", True),
        ("use amount instead of total", True),
        ("amount, not total", True),
        ("change every total to amount", True),
        ("`total` should be `amount`", True),
        ("total_sum should be rowSum", True),
        ("total should be positive", False),
        ("make total optional", False),
        ("sort rows descending", False),
        ("check that `total` is valid", False),
        ("use amount rather than total", True),
        ("renombra total a amount", True),
        ("назови total amount", True),
        ("make `name` optional", False),
    ],
)
def test_whether_a_sentence_may_want_another_name(sentence: str, may: bool) -> None:
    assert may_rename(sentence, ORIGINAL) is may


@pytest.mark.parametrize(
    ("instruction", "old", "new", "read"),
    [
        ("make total optional", "total", "optional", ("total", "optional")),
        ("total should be positive", "(total", "(positive", ("total", "positive")),
        ("total should be `positive`", "total", "positive", None),
        ("put total into sums", "total", "sums", None),  # the sentence says that it is a name
        ("rename total to optional", "total", "optional", None),
        ("make total a list", "total", "list", None),  # it means something
        ("make total optional", "total", "amount", ("total", "amount")),  # nobody said that one
        ("use a clearer word for total", "total", "amount", None),
        ("make total private", "total", "_total", None),  # another form of it
        ("make total a value", "return total", "return None", None),
        ("make total a value", "return total", "return 7", None),
        ("make total optional", "total, rows", "total, rows, optional", None),  # nothing is gone
        ("make rows optional", "total", "optional", None),  # nobody spoke of that one
    ],
)
def test_a_word_of_a_wish_is_no_name(instruction: str, old: str, new: str, read: tuple[str, str] | None) -> None:
    text = ORIGINAL.replace(old, new)
    assert misread(instruction, ORIGINAL, text, python=True, known={"list"}) == read
    assert (Worth(instruction, ORIGINAL, None, python=True, known={"list"}).of(text) == -MISREAD) == bool(read)


MEMBERS = """
make total optional       | interface A {<>  total: number;<>}     | total: number | y: number          | total y
make total optional       | interface A {<>  total: number;<>}     | total: number | total?: number     |
total should be readonly  | interface A {<>  total: number;<>}     | total: number | readonly: number   | total readonly
total should be readonly  | interface A {<>  total: number;<>}     | total: number | readonly total: number |
make total optional       | class A {<>  total = 0;<>  f() { return this.total; }<>}  | total = 0 | y = 0 | total y
make forEach a map        | rows.forEach(f);                       | forEach       | map                |
make load async           | const a = load(b);                     | load(         | await load(        |
"""


@pytest.mark.parametrize("case", MEMBERS.strip().splitlines())
def test_a_member_keeps_its_name(case: str) -> None:
    instruction, original, old, new, read = (part.strip().replace("<>", "\n") for part in case.split("|"))
    assert old in original
    assert misread(instruction, original, original.replace(old, new), python=False) == (tuple(read.split()) or None)


def test_what_is_called_name_says_nothing_of_naming() -> None:
    assert may_rename("the name total is bad: amount", ORIGINAL)
    assert not may_rename("make name optional", "f(name)")
    assert not may_rename("name should be optional", "f(name)")
    assert may_rename("rename name to label", "f(name)")
    assert may_rename("change the name total to amount", "f(name, total)")
    assert may_rename("name total amount", "f(name, total)")


RIGHT = """
return rows sorted | function f(rows) { rows.pop(); g(rows); return rows; } | \
function f(rows) { const sorted = g(rows.pop()); return sorted; }
destructure props into title and body | function f(props) { return props.title + props.body; } | \
function f({ title, body }) { return title + body; }
memoize load of path with cached | function load(path) { g(path); path = h(path); } | \
import { cached } from 'c'; const f = cached(function load() { g(); });
use a map of rows | function f(rows) { return g(rows, rows); } | function f(rows) { return rows.map((a) => g(a)); }
"""


@pytest.mark.parametrize("case", RIGHT.replace("\\\n", "").strip().splitlines())
def test_what_is_bound_beside_a_name_takes_the_place_of_none(case: str) -> None:
    instruction, original, text = case.split(" | ")
    assert misread(instruction, original, text, python=False) is None


def test_the_original_again_is_better_than_that() -> None:
    assert Worth("make total optional", ORIGINAL, None, python=True).of(ORIGINAL) == -UNCHANGED > -MISREAD
