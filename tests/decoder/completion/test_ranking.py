"""Names scored through a shared trie are scored as each alone would be."""

from __future__ import annotations

import math
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoder.completion.ranking import rank
from decoder.models.loading import load_model
from tests.decoder.tiny_models import ARCHITECTURES, write_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoder.models.model import Logits, Model

pytestmark = pytest.mark.slow

NAMES = st.lists(st.text("abcdefg_", min_size=0, max_size=9), max_size=12, unique=True)
PROMPT = [11, 12, 13, 14]


@pytest.fixture(scope="module", params=["llama", "mistral", "qwen3_next"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Model:
    assert request.param in ARCHITECTURES
    directory = write_model(request.param, tmp_path_factory.mktemp(request.param))
    return load_model(str(directory), device="cpu", dtype="float32", threads=1)


def alone(model: Model, name: str) -> float:
    """Brute force: the prompt and the name, read from nothing."""
    tokens = model.vocabulary.encode(name)
    if not tokens:
        return 0.0
    model.truncate(0)
    rows = model.forward([*PROMPT, *tokens], len(tokens) + 1)[:-1].astype(np.float64)
    return sum(float(row[token] - np.logaddexp.reduce(row)) for row, token in zip(rows, tokens, strict=True))


@settings(max_examples=20)
@given(names=NAMES)
def test_without_a_budget_each_name_is_scored_as_if_alone(model: Model, names: list[str]) -> None:
    scores = rank(model, PROMPT, names)
    assert list(model.tokens) == PROMPT
    assert list(scores) == names
    for name in names:
        assert math.isclose(scores[name], alone(model, name), rel_tol=1e-3, abs_tol=1e-3)


@settings(max_examples=20)
@given(names=NAMES, budget=st.integers(0, 6))
def test_within_a_budget_no_more_forwards_are_made_and_every_name_has_an_estimate(
    model: Model, names: list[str], budget: int
) -> None:
    model.truncate(0)
    forwards = 0
    forward = model.forward

    def counting(tokens: Sequence[int], rows: int = 1) -> Logits:
        nonlocal forwards
        forwards += 1
        return forward(tokens, rows)

    model.forward = counting  # type: ignore[method-assign]
    try:
        scores = rank(model, PROMPT, names, budget_forwards=budget)
    finally:
        del model.forward
    assert forwards <= 1 + budget
    assert list(scores) == names
    assert list(model.tokens) == PROMPT
    exact = {name for name in names if len(model.vocabulary.encode(name)) <= 1}
    for name in exact:
        assert math.isclose(scores[name], alone(model, name), rel_tol=1e-3, abs_tol=1e-3)


def test_names_that_begin_alike_share_a_forward(model: Model) -> None:
    stem = "abcabcabc"
    names = [stem + "d" * count for count in range(1, 5)]
    exact = rank(model, PROMPT, names)
    assert rank(model, PROMPT, names, budget_forwards=len(names)) == pytest.approx(exact)


@settings(max_examples=20)
@given(names=NAMES)
def test_every_name_has_an_estimate_once_the_prompt_is_read(model: Model, names: list[str]) -> None:
    assert list(rank(model, PROMPT, names, budget_forwards=0)) == names


def test_a_cancelled_ranking_returns_what_is_known_and_restores_the_cache(model: Model) -> None:
    cancel = Event()
    cancel.set()
    model.truncate(0)
    assert rank(model, PROMPT, ["abc", "abd"], cancel=cancel) == {}
    cancel.clear()
    forward = model.forward

    def cancelling(tokens: Sequence[int], rows: int = 1) -> Logits:
        cancel.set()
        return forward(tokens, rows)

    model.forward = cancelling  # type: ignore[method-assign]
    try:
        scores = rank(model, PROMPT, ["abcdefg", "gfedcba"], cancel=cancel)
    finally:
        del model.forward
    assert set(scores) == {"abcdefg", "gfedcba"}
    assert list(model.tokens) == PROMPT
