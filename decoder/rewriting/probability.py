"""How probable it is that a rewrite by the built-in model is what was meant.

A calibration as that of completions, with weights of its own, which `inscope bench rewrite-probability` fits. Of other
models nobody has measured it.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from decoder.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.rewriting.attempt import Attempt

FILE: Final = Path(__file__).parents[1] / "embedded" / "rewrites.json"
FEATURES: Final = ("score", "margin", "tokens")
_WIDEST_MARGIN = 5.0
"""Nats; beyond, nothing is as good as nothing else."""


def features(attempt: Attempt) -> Mapping[str, float]:
    """What the probability is made of: of all that was written, of its closest choice, and its length."""
    scores, margins = attempt.scores.values, attempt.margins.values
    return {
        "score": math.fsum(scores),
        "margin": min(_WIDEST_MARGIN, *margins),
        "tokens": math.log(len(scores)),
    }


def probability(attempt: Attempt) -> float:
    """Of an attempt that the built-in model has ended."""
    return _weights().probability(features(attempt))


@cache
def _weights() -> Calibration:
    return Calibration.read(json.loads(FILE.read_text("utf-8")), FEATURES)
