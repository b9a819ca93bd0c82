"""Fits the weights of `decoder.calibration` to suggestions of which it is known whether they were right.

`inscope train --calibration` writes them to a model's directory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from decoder.calibration import FILE, Calibration

if TYPE_CHECKING:
    from pathlib import Path

_STRENGTH: Final = 10.0
"""The inverse of the penalty on squared weights. The penalty is small, as there are few features."""

Observed = tuple[Mapping[str, float], bool]
"""The features of a suggestion, and whether it was exactly right."""


def fit(observed: Sequence[Observed]) -> str:
    """The text of `calibration.json`: the weights, and what they were fitted to.

    Raises:
        ValueError: none of the suggestions was right, or all were.
    """
    recipe = {"suggestions": len(observed), "right": sum(right for _, right in observed), "strength": _STRENGTH}
    return fit_weights(observed).written(recipe)


def fit_weights(observed: Sequence[Observed]) -> Calibration:
    """The weights under which the observations are most probable.

    Raises:
        ValueError: none of the suggestions was right, or all were.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - a second, which only those who fit wait for

    names = list(observed[0][0])
    features = np.array([[values[name] for name in names] for values, _ in observed])
    model = LogisticRegression(C=_STRENGTH, max_iter=10_000).fit(features, [right for _, right in observed])
    weights = dict(zip(names, map(float, model.coef_[0]), strict=True))
    return Calibration(float(model.intercept_[0]), weights)


def save(text: str, directory: Path) -> Path:
    """Write the text of `fit` to a model's directory; the path of the file."""
    file = directory / FILE
    file.write_text(text, "utf-8")
    return file
