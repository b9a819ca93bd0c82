"""A suggestion's probability: what it is made of, that it says what was observed, and files that say nothing of it."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.calibration import DOUBTED, FEATURES, Calibration, built_in, features_of
from training.calibration_fit import fit

ZERO = dict.fromkeys(FEATURES, 0.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum", {"per_character": -1.0}),
        (" sum\n", {"per_character": -1.0}),
        (")", {"per_character": -3.0, "wordless": 1.0}),
        ("), 1", {"per_character": -0.75}),
    ],
)
def test_what_the_probability_is_made_of(text: str, expected: dict[str, float]) -> None:
    found = {**features_of(-3.0, text), DOUBTED: 0.0}
    assert found == {**ZERO, "score": -3.0, "certainty": -math.log1p(-math.exp(-3.0)), **expected}


@given(st.floats(-40, 0), st.floats(-40, 0))
def test_the_more_probable_text_is_the_more_probably_right(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert built_in().probability({**ZERO, "score": less}) <= built_in().probability({**ZERO, "score": more})


@pytest.mark.slow
def test_what_is_fitted_says_what_was_observed() -> None:
    draw = random.Random(3)
    truth = Calibration(2.0, {**ZERO, "score": 0.8, "wordless": -1.5})
    observed = []
    for _ in range(4_000):
        features = {**ZERO, "score": -draw.random() * 8, "wordless": float(draw.random() < 0.3)}
        observed.append((features, draw.random() < truth.probability(features)))
    found = Calibration.read(json.loads(fit(observed)))
    for features, _ in observed[:50]:
        assert found.probability(features) == pytest.approx(truth.probability(features), abs=0.05)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "needs a number 'intercept'"),
        ({"intercept": "a lot", "weights": {}}, "could not convert"),
        ({"intercept": 1, "weights": [1]}, "an object of numbers 'weights'"),
        ({"intercept": 1, "weights": {"score": 1}}, "weights are needed for score, certainty"),
    ],
)
def test_files_that_are_none(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Calibration.read(fields)


@pytest.mark.parametrize("least", [0.1, 0.25, 0.5])
def test_below_the_least_score_no_text_is_so_probable(least: float) -> None:
    score = built_in().least_score(least)
    for at, reaches in ((score - 0.01, False), (score + 0.11, True)):
        given = {**features_of(at, "a"), "per_character": 0.0, DOUBTED: 0.0}
        assert (built_in().probability(given) >= least) == reaches


def test_a_calibration_that_does_not_rise_with_the_score_gives_up_nothing() -> None:
    falling = Calibration(0.0, dict.fromkeys(FEATURES, -1.0))
    assert falling.least_score(0.25) == -math.inf
    assert built_in().least_score(0.0) == -math.inf
