"""A model that remembers says what the model behind it would, and asks it no more than once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from decoder import remembering
from decoder.remembering import Remembering
from tests.decoder.scripted import ScriptedModel, randomly

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from decoder.models.model import Logits

TOKENS = st.lists(st.integers(0, 2), min_size=1, max_size=4)
STEPS = st.lists(st.tuples(st.integers(0, 12), TOKENS, st.integers(1, 4)), max_size=20)
"""How many tokens stay, what follows, and rows asked for."""


class Counted(ScriptedModel):
    """Noise, which knows what it was asked."""

    def __init__(self, seed: int) -> None:
        noise = randomly(seed)
        super().__init__(noise._script, prompt_length=0)
        self.asked: Counter[tuple[int, ...]] = Counter()

    def forward(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        logits = super().forward(tokens, rows)
        self.asked[tuple(self.tokens)] += rows == 1
        return logits


@given(STEPS, TOKENS)
def test_it_says_what_the_model_says_and_asks_for_no_row_twice(
    steps: list[tuple[int, list[int], int]], begun: list[int]
) -> None:
    model, plain = Counted(3), Counted(3)
    model.forward(begun)
    plain.forward(begun)
    model.asked.clear()
    remembers = Remembering(model)
    for kept, tokens, rows in steps:
        remembers.truncate(min(kept, len(plain.tokens)))
        plain.truncate(min(kept, len(plain.tokens)))
        asked = min(rows, len(tokens))
        assert np.array_equal(remembers.forward(tokens, asked), plain.forward(tokens, asked))
        assert list(remembers.tokens) == plain.tokens
    assert max(model.asked.values(), default=0) <= 1


def test_tokens_that_stand_behind_one_another_are_not_read_again() -> None:
    model = Counted(1)
    remembers = Remembering(model)
    for tokens in ([1, 2, 3], [4], [5]):
        remembers.forward(tokens)
    remembers.truncate(2)
    for tokens in ([3], [4], [6]):  # turned off behind the 4
        remembers.forward(tokens)
    assert model.forwarded == len([1, 2, 3, 4, 5, 6])
    remembers.truncate(3)
    for tokens in ([4], [5], [7]):  # the 5 was taken back for the 6
        remembers.forward(tokens)
    assert model.forwarded == len([1, 2, 3, 4, 5, 6, 5, 7])


def test_what_finds_no_room_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembering, "_MOST", 4 * randomly(2).vocabulary.size)
    model = Counted(2)
    remembers = Remembering(model)
    rows = []
    for _ in range(2):
        rows += [remembers.forward([1])[0], remembers.forward([2])[0]]
        remembers.truncate(0)
    assert np.array_equal(rows[:2], rows[2:])
    assert model.asked == {(1,): 1, (1, 2): 2}
