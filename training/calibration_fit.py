"""Fits how probable suggestions are to be right (`decoder.calibration`) to places where the right text is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.calibration import FILE, Calibration

if TYPE_CHECKING:
    from pathlib import Path

_STRENGTH: Final = 10.0
"""Inverse of the penalty on squared weights: hardly any, there are few features."""

Observed = tuple[Mapping[str, float], bool]
"""The features of a suggestion, and whether it was exactly right."""


def fit(observed: Sequence[Observed]) -> str:
    """The text of `calibration.json`, see `fitted`."""
    recipe = {"suggestions": len(observed), "right": sum(right for _, right in observed), "strength": _STRENGTH}
    return fitted(observed).written(recipe)


def fitted(observed: Sequence[Observed]) -> Calibration:
    """The weights under which what was observed is the most probable.

    Raises:
        ValueError: none was right, or all were.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - a second, which only those who fit wait for

    names = list(observed[0][0])
    features = np.array([[one[name] for name in names] for one, _ in observed])
    model = LogisticRegression(C=_STRENGTH, max_iter=10_000).fit(features, [right for _, right in observed])
    weights = dict(zip(names, map(float, model.coef_[0]), strict=True))
    return Calibration(float(model.intercept_[0]), weights)


def save(text: str, directory: Path) -> Path:
    """Write the text of `fit` to a model's directory; the file."""
    file = directory / FILE
    file.write_text(text, "utf-8")
    return file
