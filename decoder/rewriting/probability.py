"""The probability that a rewrite by the built-in model is what was meant.

It is a logistic regression like that of completions (`decoder.calibration`). Its strongest feature is how strange the
instruction is to the model (`surprise`): the model does not do what it was not taught, however sure it is. So for an
instruction that is stranger than most of its recipe, the probability is at most the share of such rewrites that were
right. `inscope bench rewrite-probability` fits all numbers. It has not been measured for other models.
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
"""The fitted numbers of the built-in model."""
FEATURES: Final = ("score", "margin", "tokens", "surprise")
"""What the regression weighs; see `features`."""
_WIDEST_MARGIN = 5.0
"""In nats. With a larger margin a model is not right more often."""


@dataclass(frozen=True, slots=True)
class RewriteCalibration:
    """The numbers that were fitted to rewrites."""

    regression: Calibration
    strange: float
    """The surprise in nats from which on an instruction counts as one that the model was not taught."""
    right_of_strange: float
    """The share of rewrites after such instructions that were right."""

    def probability(self, values: Mapping[str, float]) -> float:
        """The probability of an attempt with these features."""
        probability = self.regression.probability(values)
        is_strange = math.expm1(values["surprise"]) >= self.strange
        return min(probability, self.right_of_strange) if is_strange else probability

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> RewriteCalibration:
        """The calibration in the parsed content of `FILE`."""
        return cls(Calibration.read(fields, FEATURES), fields["strange"], fields["right_of_strange"])


def features(attempt: RewriteAttempt, surprise: float) -> Mapping[str, float]:
    """The features of an attempt: its score, the margin of its least certain token, its length, and the surprise.

    Length and surprise are given as logarithms.

    Args:
        surprise: How strange the instruction is, in nats (`decoder.rewriting.surprise`).
    """
    scores, margins = attempt.record.scores.values, attempt.record.margins.values
    return {
        "score": math.fsum(scores),
        "margin": min(_WIDEST_MARGIN, *margins),
        "tokens": math.log(len(scores)),
        "surprise": math.log1p(surprise),
    }


def probability(attempt: RewriteAttempt, surprise: float) -> float:
    """The probability that an attempt is what was meant, if the built-in model ended it by itself.

    Args:
        surprise: How strange the instruction is, in nats (`decoder.rewriting.surprise`).
    """
    return _built_in().probability(features(attempt, surprise))


@cache
def _built_in() -> RewriteCalibration:
    return RewriteCalibration.read(json.loads(FILE.read_text("utf-8")))
