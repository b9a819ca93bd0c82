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
    ],
)
def test_whether_a_sentence_may_want_another_name(sentence: str, may: bool) -> None:
    assert may_rename(sentence) is may


@pytest.mark.parametrize(
    ("instruction", "old", "new", "read"),
    [
        ("make total optional", "total", "optional", ("total", "optional")),
        ("total should be positive", "(total", "(positive", ("total", "positive")),
        ("total should be `positive`", "total", "positive", None),
        ("put total into sums", "total", "sums", None),  # the sentence says that it is a name
        ("rename total to optional", "total", "optional", None),
        ("make total a list", "total", "list", None),  # it means something
        ("make total optional", "total", "amount", None),  # another fault
        ("make total optional", "total, rows", "total, rows, optional", None),  # nothing is gone
        ("make rows optional", "total", "optional", None),  # nobody spoke of that one
    ],
)
def test_a_word_of_a_wish_is_no_name(instruction: str, old: str, new: str, read: tuple[str, str] | None) -> None:
    text = ORIGINAL.replace(old, new)
    assert misread(instruction, ORIGINAL, text, python=True, known={"list"}) == read
    assert (Worth(instruction, ORIGINAL, None, python=True, known={"list"}).of(text) == -MISREAD) == bool(read)


def test_the_original_again_is_better_than_that() -> None:
    assert Worth("make total optional", ORIGINAL, None, python=True).of(ORIGINAL) == -UNCHANGED > -MISREAD
