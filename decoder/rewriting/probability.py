"""The probability that a rewrite by the built-in model is what was meant.

A logistic regression like that of completions (`decoder.calibration`); `inscope bench rewrite-probability` fits its
weights. It has not been measured for other models.
"""

from __future__ import annotations

import json
import math
from functools import cache
from typing import TYPE_CHECKING, Final

from decoder import embedded
from decoder.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.rewriting.attempt import Attempt

FILE: Final = embedded.path() / "rewrites.json"
FEATURES: Final = ("score", "margin", "tokens")
_WIDEST_MARGIN = 5.0
"""Nats; with a larger margin a model is not right more often."""


def features(attempt: Attempt) -> Mapping[str, float]:
    """The features of an attempt: its score, the margin of its least certain token, and its length."""
    scores, margins = attempt.record.scores.values, attempt.record.margins.values
    return {
        "score": math.fsum(scores),
        "margin": min(_WIDEST_MARGIN, *margins),
        "tokens": math.log(len(scores)),
    }


def probability(attempt: Attempt) -> float:
    """The probability of an attempt that the built-in model ended by itself."""
    return _weights().probability(features(attempt))


@cache
def _weights() -> Calibration:
    return Calibration.read(json.loads(FILE.read_text("utf-8")), FEATURES)
