"""The rates of a run: they warm up, hold, and fall, and a model that goes on never sees the full ones."""

import pytest

from training.recipe import TRAINED_PEAK, Recipe


@pytest.mark.parametrize("peak", [1.0, TRAINED_PEAK])
def test_rates_rise_hold_and_fall(peak: float) -> None:
    recipe = Recipe(tokens=1_000 * 512 * 8, peak=peak)
    rates = [recipe.rate_at(step) for step in range(recipe.steps)]
    top = rates.index(max(rates))
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert max(rates) == peak
    assert rates.count(peak) == pytest.approx(recipe.steps * (1 - recipe.decay), abs=recipe.warm_up + 2)
    assert rates[-1] == pytest.approx(peak * recipe.floor)


def test_a_longer_run_is_the_same_until_it_decays() -> None:
    short, long = Recipe(tokens=10_000_000), Recipe(tokens=20_000_000)
    until = int(short.steps * (1 - short.decay))
    assert [short.rate_at(step) for step in range(until)] == [long.rate_at(step) for step in range(until)]
