"""Whatever is appended and rolled back, a cache is what the protocol of models promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder.models.model import Logits, Model

Step = list[int] | float
"""Tokens to append, or the share of all tokens to keep."""
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(st.lists(st.integers(0, 96), min_size=1, max_size=24), st.floats(0, 1)), max_size=8
)


def check_steps(
    model: Model,
    steps: list[Step],
    afresh: Callable[[list[int]], Logits],
    is_same: Callable[[Logits, Logits], bool],
) -> None:
    """Its logits are those of all tokens read afresh."""
    model.truncate(0)
    expected: list[int] = []
    for step in steps:
        if isinstance(step, list):
            logits = model.forward(step, len(step))
            expected += step
            assert logits.dtype == np.float32
            assert is_same(logits, afresh(expected)[-len(step) :])
        else:
            length = int(step * len(expected))
            model.truncate(length)
            del expected[length:]
        assert list(model.tokens) == expected
