"""What a rewritten text is worth beside its probability, and what an instruction may want replaced."""

from __future__ import annotations

import pytest

from decoder.rewriting.substitution import substitution
from decoder.rewriting.worth import UNCHANGED, UNEVEN, Worth

LOOP = "for row in b:\n    f(row, c.row, row=row)\n"
DONE = "for total in b:\n    f(total, c.row, row=total)\n"


@pytest.mark.parametrize(
    ("instruction", "guess"),
    [
        ("rename row to total", {"row": "total"}),
        ("Please rename row: it should read total.", {"row": "total"}),
        ("rename b to total", {"b": "total"}),
        ("row should be called `it`", {"row": "it"}),
        ("change the name row to total", {"row": "total"}),
        ("rename row, a variable, to total", {"row": "total"}),
        ("do nothing and return when row or b is empty", None),  # too many
        ("swap row and b", None),
        ("Please sort b.", None),
        ("total, not row", {"row": "total"}),
        ("tidy up", None),
        ("row may be None", None),
        ("make row a tuple", None),
        ("rename x to total", None),
    ],
)
def test_what_an_instruction_may_want_replaced(instruction: str, guess: dict[str, str] | None) -> None:
    found = substitution(instruction, LOOP, python=True, known={"tuple"})
    assert (found and found.words) == guess


def test_a_guess_leaves_members_and_what_arguments_are_called() -> None:
    guess = substitution("row -> total", LOOP, python=True)
    assert guess is not None
    assert guess.text == DONE
    assert guess.is_made_in(DONE)
    assert not guess.is_made_in(LOOP)


@pytest.mark.parametrize(
    ("text", "nats"),
    [
        (LOOP, -UNCHANGED),
        (LOOP.replace("    ", "  "), -UNCHANGED),
        (DONE, 0),
        (DONE.replace("(total", "(row"), -UNEVEN),
        (DONE.replace("c.row", "c.total"), -UNEVEN),
        (DONE.replace("(total, c.row, ", "("), -UNEVEN),
        ("pass", 0),  # it may have been about something else
    ],
)
def test_a_name_is_replaced_everywhere_and_nowhere_else(text: str, nats: float) -> None:
    guess = substitution("row -> total", LOOP, python=True)
    assert Worth("row -> total", LOOP, guess, python=True).of(text) == nats


MANY = "".join(f"    f(row[{number}], g({number}))\n" for number in range(500))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (MANY.replace("row", "total"), 0),
        (MANY.replace("row", "total").replace("(499", "(b"), 1),
        (MANY.replace("row", "total").replace("    f(total[77], g(77))\n", ""), 1),
        (MANY.replace("row", "total") + "    h(b)\n" * 200, 1),
        (MANY.replace("row", "total", 1), 3),
        (MANY.replace("row", "total").replace("g(", "h("), 3),
        (MANY.replace("row", "total").replace("g(", "h(").replace("h(7))\n", "h(7)) "), 3),
    ],
)
def test_in_long_texts_no_more_places_are_counted_than_count(text: str, places: int) -> None:
    guess = substitution("row -> total", MANY, python=True)
    assert guess is not None
    assert guess.astray(text, 3) == places


TWO = 'a = "%s" % b\nc = "{}".format(b)\nd = "e"\n'


@pytest.mark.parametrize(
    ("text", "nats"),
    [
        ('a = f"{b}"\nc = f"{b}"\nd = "e"\n', 0),
        ('a = f"{b}"\nc = "{}".format(b)\nd = "e"\n', -UNEVEN),
        ('a = f"{b}"\nc = f"{b}"\nd = f"e"\n', -UNEVEN),
        ('a = "%s" % b\nc = "{}".format(b)\n', 0),
        ("a = f\"{b}\"\nc = f\"{b}\"\nd = f'''{b}'''\n", 0),
    ],
)
def test_strings_are_formatted_alike(text: str, nats: float) -> None:
    assert Worth("f-strings", TWO, None, python=True).of(text) == nats
