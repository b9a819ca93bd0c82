"""How probable it is that a suggestion is exactly what was meant: a logistic regression over its search.

Its weights are fitted for a model (`inscope train --calibration`) and are beside the model's own. A model without such
a file takes the built-in one's: suggestions keep their order, but nobody has measured what the numbers mean then.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = "calibration.json"
"""Beside a model's weights."""
FEATURES: Final = ("score", "margin", "tokens", "wordless", "seen")
_BUILT_IN = Path(__file__).parent / "embedded" / FILE
_WIDEST_MARGIN = 5.0
"""Nats; beyond, nothing is as good as nothing else."""


def features_of(scores: Sequence[float], margins: Sequence[float], text: str, around: str) -> dict[str, float]:
    """What a probability is made of, by the names of `FEATURES`.

    Args:
        scores: Of all that was written, token by token; at least one.
        margins: Likewise.
        text: What of it is shown.
        around: The document without the text.
    """
    return {
        "score": math.fsum(scores),
        "margin": min(_WIDEST_MARGIN, *margins),
        "tokens": math.log(len(scores)),
        "wordless": float(not any(character.isalnum() for character in text)),
        "seen": float(text.strip() in around),
    }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of a logistic regression."""

    intercept: float
    weights: Mapping[str, float]
    """By feature."""

    def __post_init__(self) -> None:
        if set(self.weights) != set(FEATURES):
            message = f"weights are needed for {', '.join(FEATURES)}"
            raise ValueError(message)

    def probability(self, features: Mapping[str, float]) -> float:
        """Of a text being exactly right."""
        logit = self.intercept + math.fsum(self.weights[name] * features[name] for name in FEATURES)
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> Calibration:
        """The calibration of a file.

        Raises:
            ValueError: it is none; the message says why.
        """
        try:
            weights = {str(name): float(weight) for name, weight in fields["weights"].items()}
            return cls(float(fields["intercept"]), weights)
        except (KeyError, TypeError, AttributeError) as fault:
            message = "it needs a number 'intercept' and an object of numbers 'weights'"
            raise ValueError(message) from fault

    def written(self, recipe: Mapping[str, object]) -> str:
        """The file, with how it was fitted."""
        weights = {name: round(self.weights[name], 4) for name in FEATURES}
        fields = {"intercept": round(self.intercept, 4), "weights": weights, "recipe": recipe}
        return json.dumps(fields, indent=1) + "\n"


@cache
def built_in() -> Calibration:
    """The built-in model's."""
    return Calibration.read(json.loads(_BUILT_IN.read_text("utf-8")))
