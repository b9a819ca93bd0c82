"""Where a name that exists must stand, and that masks made from these names rule out nothing that the rule accepts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.choice import choose
from decoder.constraint.guard import Guard
from decoder.constraint.mask import allowed_tokens, possible_tokens
from decoder.constraint.protocol import Refusal
from tests.decoder.scope.test_scope import rule_at
from tests.decoder.scripted import byte_vocabulary

DUE = """
javascript | total + ^             | total items
javascript | new ^                 | Shape
javascript | class A extends ^     | Shape
javascript | if (total === t^      | total
javascript | let qz = 1; total - ^ | qz total new
javascript | total = ^             |
javascript | f(^                   |
javascript | let ^                 |
javascript | total.^               |
javascript | total ^               |
javascript | typeof ^              |
javascript | '^                    |
typescript | let x: ^              | User Shape string
typescript | new ^                 | Shape
typescript | total as ^            | User
typescript | total = ^             |
python     | total + ^             | total items f'
python     | total <= ^            | total
python     | x = ^                 |
python     | f(^                   |
python     | [total + ^            |
python     | total + f^            |
python     | import ^              |
"""


def guard_at(language: Language, text: str) -> Guard:
    """The rule, `text` being written."""
    guard = Guard((rule_at(language),)).feed(text.encode())
    assert not isinstance(guard, Refusal)
    return guard


@pytest.mark.parametrize("line", DUE.strip().splitlines())
def test_names_that_are_due(line: str) -> None:
    language, text, names = (part.strip() for part in line.split("|"))
    expected = guard_at(Language(language), text.replace("^", "")).expected()
    assert (expected is None) == (not names)
    if expected is not None:
        assert {*names.split()} <= {*expected[1]}
        assert "zz" not in expected[1]


_ENDS = ["", "t", "to", "total", "z", "S", "n", "f", " ", "(", "total ", "(total + ", "new ", "{"]


@pytest.mark.slow
@settings(max_examples=200)
@given(st.sampled_from(DUE.strip().splitlines()), st.sampled_from(_ENDS), st.integers(0, 2**32))
def test_lazy_choice_equals_masked_choice_where_names_are_due(line: str, end: str, seed: int) -> None:
    language, text, _ = (part.strip() for part in line.split("|"))
    vocabulary, guard = byte_vocabulary(), Guard((rule_at(Language(language)),)).feed((text[:-1] + end).encode())
    if isinstance(guard, Refusal):
        return
    allowed = allowed_tokens(guard, vocabulary)
    possible = possible_tokens(guard, vocabulary)
    assert possible is None or not (allowed & ~possible).any()
    preferences = np.random.default_rng(seed).normal(size=vocabulary.size).astype(np.float32)
    choice = choose(preferences, guard, vocabulary)
    assert choice is not None
    assert choice.token == np.where(allowed, preferences, -np.inf).argmax()
