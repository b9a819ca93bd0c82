"""Rows hold every token of every example, in order, and cut none that fits."""

from hypothesis import given
from hypothesis import strategies as st

from training.packing import pack

LENGTH = 16
PADDING = 0


@st.composite
def examples(draw: st.DrawFn) -> list[list[int]]:
    """Each example has a number of its own, which all its tokens have."""
    sizes = draw(st.lists(st.integers(1, 40), max_size=300))
    return [[number + 1] * size for number, size in enumerate(sizes)]


@given(examples())
def test_nothing_is_lost_and_what_fits_stays_whole(given_: list[list[int]]) -> None:
    rows = list(pack(((tokens, [2] * len(tokens)) for tokens in given_), LENGTH, PADDING))
    assert all(len(row.tokens) == len(row.weights) == LENGTH for row in rows)
    assert all(
        (token == PADDING) == (weight == 0)
        for row in rows
        for token, weight in zip(row.tokens, row.weights, strict=True)
    )
    for tokens in given_:
        held = [row.tokens.count(tokens[0]) for row in rows if tokens[0] in row.tokens]
        assert sum(held) == len(tokens)
        assert len(held) == -(-len(tokens) // LENGTH)


def test_few_places_stay_empty() -> None:
    sizes = [1 + (i * 7919) % 500 for i in range(3_000)]
    rows = list(pack((([1] * size, [1] * size) for size in sizes), 512, PADDING))
    empty = sum(row.weights.count(0) for row in rows)
    assert empty < 0.04 * 512 * len(rows)
