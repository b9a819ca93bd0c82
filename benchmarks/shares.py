"""Means and shares with their standard errors, for the tables of all benchmarks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Estimate(NamedTuple):
    """The mean of a sample and its standard error; both are NaN if the sample is empty."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.1f} ± {self.error:.1f}"


def mean(values: Iterable[float]) -> Estimate:
    """The mean of a sample, and its standard error."""
    sample = list(values)
    if not sample:
        return Estimate(math.nan, math.nan)
    average = sum(sample) / len(sample)
    variance = sum((value - average) ** 2 for value in sample) / max(1, len(sample) - 1)
    return Estimate(average, math.sqrt(variance / len(sample)))


def share(values: Iterable[bool]) -> Estimate:
    """The share of true values in a sample, in per cent, and its standard error."""
    return mean(100.0 * value for value in values)
