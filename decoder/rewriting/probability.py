"""How probable it is that a rewrite by the built-in model is what was meant.

A calibration as that of completions, with weights of its own, which `inscope bench rewrite-probability` fits. Of other
models nobody has measured it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from decoder.calibration import Calibration, features_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.rewriting.attempt import Attempt

FILE: Final = Path(__file__).parents[1] / "embedded" / "rewrites.json"


def features(attempt: Attempt, text: str) -> Mapping[str, float]:
    """What the probability is made of.

    Args:
        text: The file as it was.
    """
    return features_of(attempt.scores.values, attempt.margins.values, attempt.written, text)


def probability(attempt: Attempt, text: str) -> float:
    """Of an attempt that the built-in model has ended."""
    return _weights().probability(features(attempt, text))


@cache
def _weights() -> Calibration:
    return Calibration.read(json.loads(FILE.read_text("utf-8")))
