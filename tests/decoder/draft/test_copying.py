"""What is expected to follow when the end of a text repeats a place of it, with variations; one letter is a token."""

from __future__ import annotations

import pytest

from decoder.draft import Aligned, Undrafted
from decoder.draft.copying import Copying
from tests.decoder.drafting import drafted, said_by

CASES = """
nothing was said before^                      =>
one two three, one t^                         => wo three
one two three, one s^                         => wo shr
x = 1; y = x = 2^                             => ; y =
x = f(1, 1); x = f(2^                         => , 2); x
x = f(1, 1); x = f(2, 2); x = f(3, ^          => 3); x =
x = f(1, 2); x = f(3, ^                       => 2); x =
abcdefgh1 abcdefgh2 uvwxyz^                   =>
first abcd, second abce, third abc^           => e, thir
"""


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_the_end_goes_on_as_before_with_what_it_replaced(case: str) -> None:
    written, _, expected = case.partition("=>")
    copying = Copying(written.partition("^")[0].encode())
    assert bytes(copying.ahead(8)).decode().startswith(expected.strip())
    assert bool(copying.ahead(8)) == bool(expected.strip())
    assert [copying.next()] == [*copying.ahead(1), None][:1]


def test_a_text_is_followed_in_portions_as_at_once() -> None:
    text = b"a = f(1, 1); a = f(2, 2); b = g(a); a = f(3, 3); b = g(b); a"
    grown = Copying(text[:9])
    for token in text[9:]:
        grown.extend([token])
    at_once = Copying(text)
    assert grown.ahead(12) == at_once.ahead(12)
    assert (grown.match, grown.differences) == (at_once.match, at_once.differences)


def test_lines_that_vary_a_pattern_cost_a_few_forwards_each_wherever_they_stand() -> None:
    rows = [[1, 2, n, 3, 4, 5, n, 6, 7, 8, 9, 10] for n in range(20, 40)]
    written = [token for row in rows for token in row]
    before, after = list(range(60, 90)), list(range(90, 120))
    _, counts = drafted(said_by(before + written + after), Aligned(before + after), max_tokens=400)
    assert counts.forwards < 12 + 3 * len(rows)
    tokens, plain = drafted(said_by(before + written + after), Undrafted(), max_tokens=400)
    assert plain.forwards == len(tokens) + 1
