"""A suggestion's probability: what it is made of, that it says what was observed, and files that say nothing of it."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language
from decoder.beginnings import beginnings
from decoder.calibration import FEATURES, Begun, Calibration, built_in, features_of
from decoder.completion.result import readable
from decoder.lexical import Lexical, at_cursor
from decoder.prompt.healing import heal
from training.calibration_fit import fit

ZERO = dict.fromkeys(FEATURES, 0.0)


MARK = "|"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("    |sum", {"length": math.log(3), "blank": 1.0}),
        ("a = s|um", {"length": math.log(2), "word": 1.0}),
        ("a =| sum\n", {"length": math.log(3)}),
        ("\nfoo(|), 1", {"length": math.log(4)}),
        ("|a:\n  b", {"length": math.log(6), "lines": 1.0, "blank": 1.0}),
    ],
)
def test_what_the_probability_is_made_of(marked: str, expected: dict[str, float]) -> None:
    above, text = marked.split(MARK)
    found = features_of(-3.0, text, Begun.of(heal(above)))
    assert found == {**ZERO, "score": -3.0, "certainty": -math.log1p(-math.exp(-3.0)), **expected}


@given(st.floats(-40, 0), st.floats(-40, 0))
def test_the_more_probable_text_is_the_more_probably_right(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert built_in().probability({**ZERO, "score": less}) <= built_in().probability({**ZERO, "score": more})


@pytest.mark.slow
def test_what_is_fitted_says_what_was_observed() -> None:
    draw = random.Random(3)
    truth = Calibration(2.0, {**ZERO, "score": 0.8, "word": -1.5})
    observed = []
    for _ in range(4_000):
        features = {**ZERO, "score": -draw.random() * 8, "word": float(draw.random() < 0.3)}
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
        ({"intercept": 10**400, "weights": ZERO}, "needs a number 'intercept'"),
        ({"intercept": math.nan, "weights": ZERO}, "must be finite"),
        ({"intercept": 1, "weights": {**ZERO, "score": math.inf}}, "must be finite"),
    ],
)
def test_files_that_are_none(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Calibration.read(fields)


@pytest.mark.parametrize("least", [1 / 3, 1 / 2, 2 / 3])
@pytest.mark.parametrize("place", [Begun(word=False, line=False), Begun(word=True, line=True)])
def test_below_the_least_score_no_text_is_so_probable(least: float, place: Begun) -> None:
    score = built_in().least_score(least, place)
    for at, reaches in ((score - 0.01, False), (score + 0.11, True)):
        lengths = range(4, 100)
        given = [built_in().probability(features_of(at, "a" * length, place)) for length in lengths]
        assert (max(given) >= least) == reaches


def test_a_calibration_that_does_not_rise_with_the_score_gives_up_nothing() -> None:
    falling, place = Calibration(0.0, dict.fromkeys(FEATURES, -1.0)), Begun(word=False, line=True)
    assert falling.least_score(0.25, place) == -math.inf
    assert built_in().least_score(0.0, place) == -math.inf


def test_a_probability_that_every_score_reaches_gives_up_nothing() -> None:
    """The lowest score that is looked at is no bound."""
    sure, place = Calibration(50.0, {**ZERO, "score": 0.1, "certainty": 0.1}), Begun(word=False, line=True)
    assert sure.least_score(0.5, place) == -math.inf


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("x = |user.name(first)", ["user", "user.name", "user.name(first)"]),
        ("|user.name(first)", ["user.name", "user.name(first)"]),
        ("x = |name", ["name"]),
        ("  |name", []),
        ("x = na|me(1)", ["me(1)"]),
        ("x = na|meless", ["meless"]),
        ("|n + 1;", ["n + 1", "n + 1;"]),
        ("|())))", []),
        ("|if (a) {", ["if (a)"]),
        ("|if (a) { b(); }", ["if (a)", "if (a) { b(); }"]),
        ("(|a, b), c", ["a, b", "a, b)", "a, b), c"]),
        ("x =| 'abc def'", [" 'abc def'"]),
        ("x = `|abc def `", ["abc def", "abc def `"]),
    ],
)
def test_beginnings_close_what_they_open_and_end_with_words_and_closings(marked: str, expected: list[str]) -> None:
    above, text = marked.split(MARK)
    begun = Begun.of(heal(above))
    found = list(
        beginnings(
            text, at_cursor(above, language=Language.JAVASCRIPT), "", range(1, len(text) + 1), [-0.1] * len(text)
        )
    )
    assert [text[:length] for length in readable(text, found, begun)] == expected
    assert found[-1].length == len(text)


def test_a_prefix_of_a_string_is_no_word() -> None:
    found = beginnings("raise f'a'", Lexical(Language.PYTHON.record.lexis), "", range(1, 11), [-0.1] * 10)
    assert ["raise f'a'"[: one.length] for one in found] == ["raise", "raise f'a'"]
