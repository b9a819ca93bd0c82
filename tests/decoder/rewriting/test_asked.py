"""Sentences that ask for something outright, and those that only sound like it."""

from __future__ import annotations

import pytest

from decoder.rewriting.asked import Of, asked_change, asked_new, asked_rename, asked_value

RENAMES = """
rename qty to quantity                      => qty quantity ANY alone
Please rename `qty` to `quantity` everywhere. => qty quantity ANY alone
can you rename total as amount?             => total amount ANY alone
rename the function add_up to sum_up        => add_up sum_up NAME alone
rename the method total() to sum            => total sum MEMBER alone
rename this.total to amount                 => total amount MEMBER alone
total -> amount                             => total amount ANY alone
rename total to name                        => total name ANY alone
rename total to amount in the file          => total amount ANY alone
rename total to amount in add_up            => total amount ANY
rename total to amount and sort the rows    => total amount ANY
rename line to row                          => line row ANY alone described
rename the helper to compute                => helper compute ANY alone described
rename total to something clearer           =>
rename total to be clearer                  =>
rename variables to camelCase               =>
rename the parameter to y                   => parameter y ANY alone described
rename it to amount                         =>
rename a to b and c to d                    =>
rename x, a variable, to y                  =>
rename total to `row-total`                 =>
rename total to total                       =>
make total optional                         =>
"""
CHANGES = """
change total to amount                      => total amount
please change the variable total to amount  => total amount
change Cart to Basket                       => Cart Basket
replace total with amount                   => total amount
call total amount instead                   => total amount
use amount instead of total                 => total amount
total should be called amount               => total amount
let total be named amount everywhere        => total amount
let total be sorted                         =>
change 'total' to 'amount'                  => total amount
use a map instead of total                  =>
change total to optional                    =>
change load to async                        =>
change load to cached                       =>
change total to Money                       =>
change total to a list                      =>
change total to amount in the loop          =>
change total to amount and sort             =>
"""
NEW = """
extract 8080 into a constant PORT           => PORT
extract 3000 into PORT                      => PORT
move 8080 to PORT                           => PORT
introduce a constant called PORT for 8080   => PORT
extract the loop into a function called add => add
put total into sums                         =>
replace 8080 with the constant PORT         =>
turn PORT into a constant                   =>
extract the loop into a function            =>
define total before the loop                =>
"""


VALUES = """
change 200 to 100                           => 200 100
replace 'a b' with 'c'                      => 'a b' 'c'
please change every "a" to "b".             => "a" "b"
change max_length to 100                    =>
change 200 to many                          =>
change 1 to 1                               =>
change 1 to 2 where total is 3              =>
"""


def cases(lines: str) -> list[tuple[str, list[str]]]:
    return [
        (left.strip(), right.split())
        for left, _, right in (line.partition(" =>") for line in lines.strip().splitlines())
    ]


@pytest.mark.parametrize(("sentence", "told"), cases(RENAMES))
def test_renames(sentence: str, told: list[str]) -> None:
    found = asked_rename(sentence)
    if not told:
        assert found is None
        return
    old, new, of, *rest = told
    assert found == (old, new, Of[of], "alone" in rest, "described" in rest)


@pytest.mark.parametrize(("sentence", "told"), cases(CHANGES))
def test_changes(sentence: str, told: list[str]) -> None:
    found = asked_change(sentence)
    assert (list(found[:2]) if found else []) == told


@pytest.mark.parametrize(("sentence", "told"), cases(VALUES))
def test_values(sentence: str, told: list[str]) -> None:
    assert " ".join(asked_value(sentence) or ()).split() == told


@pytest.mark.parametrize(("sentence", "told"), cases(NEW))
def test_new_names(sentence: str, told: list[str]) -> None:
    assert asked_new(sentence) == (told[0] if told else None)
