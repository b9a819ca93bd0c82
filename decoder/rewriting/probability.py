"""The probability that a rewrite by the built-in model is what was meant.

A logistic regression like that of completions (`decoder.calibration`), whose strongest feature is how strange the
instruction is to the model. What it was not taught it does not do, however sure it is: where an instruction is stranger
than most of its recipe, the probability is at most the share that was right of such. `inscope bench
rewrite-probability` fits all numbers. It has not been measured for other models.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from decoder import embedded
from decoder.calibration import Calibration

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.rewriting.attempt import RewriteAttempt

FILE: Final = embedded.path() / "rewrites.json"
FEATURES: Final = ("score", "margin", "tokens", "surprise")
_WIDEST_MARGIN = 5.0
"""Nats; with a larger margin a model is not right more often."""


@dataclass(frozen=True, slots=True)
class RewriteCalibration:
    """Numbers that were fitted to rewrites."""

    regression: Calibration
    strange: float
    """The surprise from which on an instruction is taken for one that the model was not taught."""
    right_of_strange: float
    """The share of such that was right."""

    def probability(self, values: Mapping[str, float]) -> float:
        """The probability of an attempt with these features."""
        known = self.regression.probability(values)
        is_strange = math.expm1(values["surprise"]) >= self.strange
        return min(known, self.right_of_strange) if is_strange else known

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> RewriteCalibration:
        """From the fields of `FILE`."""
        return cls(Calibration.read(fields, FEATURES), fields["strange"], fields["right_of_strange"])


def features(attempt: RewriteAttempt, surprise: float) -> Mapping[str, float]:
    """The features of an attempt: its score, the margin of its least certain token, its length, and the surprise.

    Args:
        surprise: That of its instruction, see `decoder.rewriting.surprise`.
    """
    scores, margins = attempt.record.scores.values, attempt.record.margins.values
    return {
        "score": math.fsum(scores),
        "margin": min(_WIDEST_MARGIN, *margins),
        "tokens": math.log(len(scores)),
        "surprise": math.log1p(surprise),
    }


def probability(attempt: RewriteAttempt, surprise: float) -> float:
    """The probability of an attempt that the built-in model ended by itself, after an instruction."""
    return _built_in().probability(features(attempt, surprise))


@cache
def _built_in() -> RewriteCalibration:
    return RewriteCalibration.read(json.loads(FILE.read_text("utf-8")))
