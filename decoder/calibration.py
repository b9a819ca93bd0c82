"""How probable it is that a suggestion's first line is exactly what was meant: a logistic regression over its search.

The weights are fitted for a model (`inscope train --calibration`) and are stored beside the model's own. A model
without that file uses the built-in model's: suggestions keep their order, but the probabilities are not measured.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from decoder import embedded

FILE: Final = "calibration.json"
"""The file beside a model's weights."""
DOUBTED: Final = "doubted"
"""Whether the document has a new error elsewhere with the text, or still does not parse; known from verification."""
FEATURES: Final = ("score", "certainty", "per_character", "wordless", DOUBTED)
"""With the score alone the probability is too flat where a text is probable; `score` and `certainty` of the same weight
would be the log odds. On packages outside of the fit, the logarithmic loss is 2 % larger without `per_character`.
Beside these, how long a text is, whether the file has it and the language add nothing."""
_MOST_CERTAIN = 0.999
"""A probability above it counts as this one."""
_LOWEST = 500
"""The lowest score that is looked at, in tenths of a nat below 0."""


def features_of(score: float, text: str) -> dict[str, float]:
    """The features of a text but `DOUBTED`, which no search knows.

    Args:
        score: Natural logarithm of the probability of the first line as it was written.
        text: That line; not blank.
    """
    return {
        "score": score,
        "certainty": _certainty(score),
        "per_character": score / len(text.strip()),
        "wordless": float(not any(character.isalnum() for character in text)),
    }


def _certainty(score: float) -> float:
    """Minus the natural logarithm of the probability that is left for other texts."""
    return -math.log1p(-min(math.exp(score), _MOST_CERTAIN))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of a logistic regression."""

    intercept: float
    weights: Mapping[str, float]
    """By feature."""
    _least: dict[float, float] = field(default_factory=dict, init=False, compare=False, repr=False)
    """The least scores that were asked for, by probability."""

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability that a text is exactly right."""
        logit = self.intercept + math.fsum(weight * features[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))

    def least_score(self, probability: float) -> float:
        """The score below which no text is so probable, whatever its other features; minus infinity where unknown."""
        if probability not in self._least:
            self._least[probability] = self._find_least_score(probability)
        return self._least[probability]

    def _find_least_score(self, probability: float) -> float:
        weights = dict(self.weights)
        score, certainty = weights.pop("score", 0.0), weights.pop("certainty", 0.0)
        if probability <= 0 or score <= 0 or min(certainty, weights.get("per_character", 0.0)) < 0:
            return -math.inf
        # a score per character is at most 0, which that of a long text approaches; all other features are 0 or 1
        best = {name: float(weight > 0 and name != "per_character") for name, weight in weights.items()}

        def reaches(tenths: int) -> bool:
            at = -tenths / 10
            return self.probability({**best, "score": at, "certainty": _certainty(at)}) >= probability

        return -bisect_left(range(_LOWEST), True, key=lambda tenths: not reaches(tenths)) / 10  # noqa: FBT003 - sought

    @classmethod
    def read(cls, fields: Mapping[str, Any], names: Sequence[str] = FEATURES) -> Calibration:
        """The calibration of a file.

        Args:
            names: The features that it must weigh.

        Raises:
            ValueError: it is none; the message says why.
        """
        try:
            weights = {str(name): float(weight) for name, weight in fields["weights"].items()}
            intercept = float(fields["intercept"])
        except (KeyError, TypeError, AttributeError) as fault:
            message = "it needs a number 'intercept' and an object of numbers 'weights'"
            raise ValueError(message) from fault
        if set(weights) != set(names):
            message = f"weights are needed for {', '.join(names)}"
            raise ValueError(message)
        return cls(intercept, weights)

    def written(self, recipe: Mapping[str, object]) -> str:
        """The file, with how it was fitted."""
        weights = {name: round(weight, 4) for name, weight in self.weights.items()}
        fields = {"intercept": round(self.intercept, 4), "weights": weights, "recipe": recipe}
        return json.dumps(fields, indent=1) + "\n"


@cache
def built_in() -> Calibration:
    """The built-in model's."""
    return Calibration.read(json.loads((embedded.path() / FILE).read_text("utf-8")))
