"""Preferences: greedy, sampled, nucleus; and that lazily checked draws follow the restricted distribution."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.sampling import Sampler, SamplingOptions, log_normaliser

LOGITS = np.log(np.array([0.4, 0.3, 0.2, 0.1], dtype=np.float32))


DRAWS = 4_000


@cache
def drawn(options: SamplingOptions) -> np.ndarray:
    """The preferences at as many positions; float64 [draws, vocabulary]."""
    sampler = Sampler(options)
    return np.stack([sampler.preferences(LOGITS, position) for position in range(DRAWS)])


def frequencies(options: SamplingOptions, legal: set[int]) -> np.ndarray:
    """How often each token is the most preferred legal one."""
    illegal = [token for token in range(len(LOGITS)) if token not in legal]
    preferences = drawn(options).copy()
    preferences[:, illegal] = -np.inf
    return np.bincount(preferences.argmax(axis=1), minlength=len(LOGITS)) / DRAWS


@pytest.mark.parametrize(
    ("top_p", "legal", "expected"),
    [
        (1.0, {0, 1, 2, 3}, [0.4, 0.3, 0.2, 0.1]),
        (1.0, {1, 3}, [0, 0.75, 0, 0.25]),
        (0.6, {0, 1, 2, 3}, [4 / 7, 3 / 7, 0, 0]),
        (0.6, {1, 2}, [0, 1, 0, 0]),
        (0.6, {2, 3}, [0, 0, 2 / 3, 1 / 3]),
    ],
)
def test_first_legal_token_is_a_sample_of_the_restricted_distribution(
    top_p: float, legal: set[int], expected: list[float]
) -> None:
    observed = frequencies(SamplingOptions(temperature=1, top_p=top_p, seed=1), legal)
    # four standard deviations of 4,000 draws
    assert observed == pytest.approx(np.array(expected), abs=4 * (0.25 / 4_000) ** 0.5)


def test_temperature_sharpens() -> None:
    cold = frequencies(SamplingOptions(temperature=0.5, seed=1), {0, 1, 2, 3})
    assert cold == pytest.approx(np.array([16, 9, 4, 1]) / 30, abs=0.032)


def test_greedy_prefers_by_logit() -> None:
    assert Sampler(SamplingOptions()).preferences(LOGITS, 0) is LOGITS


def test_same_seed_and_position_same_preferences() -> None:
    options = SamplingOptions(temperature=1, seed=7)
    first, second = Sampler(options).preferences(LOGITS, 3), Sampler(options).preferences(LOGITS, 3)
    assert (first == second).all()
    assert (first != Sampler(options).preferences(LOGITS, 4)).any()
    assert (first != Sampler(SamplingOptions(temperature=1)).preferences(LOGITS, 3)).any()


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_log_probabilities_sum_to_one(values: list[float]) -> None:
    logits = np.array(values, dtype=np.float32)
    assert np.exp(logits - log_normaliser(logits)).sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(("temperature", "top_p"), [(-1, 1), (101, 1), (1, 0), (1, 1.1)])
def test_options_out_of_range_are_refused(temperature: float, top_p: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        SamplingOptions(temperature=temperature, top_p=top_p)
