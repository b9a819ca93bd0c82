"""The probability that a rewrite by the built-in model is what was meant.

It is a logistic regression like that of completions (`decoder.calibration`). Its strongest feature is how strange the
instruction is to the model (`surprise`): the model does not do what it was not taught, however sure it is. It was
trained to predict the instructions of its recipe as well as their results, so its own probabilities tell whether it has
been taught what somebody asks for, and no list of words is needed. For an instruction that is stranger than most of its
recipe, the probability is at most the share of such rewrites that were right. `inscope bench rewrite-probability` fits
all numbers. It has not been measured for other models.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from decoder import embedded
from decoder.calibration import Calibration
from decoder.prompt.layouts import PREFIX, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoder.models.model import Model
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
        is_other = self.is_strange(math.expm1(values["surprise"]))
        return min(probability, self.right_of_strange) if is_other else probability

    def is_strange(self, surprise: float) -> bool:
        """Whether an instruction counts as one that the model was not taught."""
        return surprise >= self.strange

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> RewriteCalibration:
        """The calibration in the parsed content of `FILE`."""
        return cls(Calibration.read(fields, FEATURES), fields["strange"], fields["right_of_strange"])


def surprise(model: Model, prompt: Sequence[int]) -> float:
    """How many nats the tokens of a prompt's instruction are less probable than the model expects, summed up.

    What the model expects at a token is its entropy there. So a name, which cannot be predicted, costs nothing, and a
    word that the recipe never has at this place costs much.

    Args:
        model: Only its weights are used, not its cache.
        prompt: A prompt in the built-in model's layout (`layouts.rewrite`).
    """
    special = model.vocabulary.special
    start, end = (prompt.index(special[marker]) for marker in (PREFIX, SUFFIX))
    instruction = prompt[start + 1 : end]
    if not instruction:
        return 0.0
    logits = model.branch().forward(prompt[: end - 1], len(instruction)).astype(np.float64)
    log_probabilities = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    entropies = -np.sum(np.exp(log_probabilities) * log_probabilities, axis=1)
    costs = -log_probabilities[np.arange(len(instruction)), list(instruction)]
    return float(np.maximum(costs - entropies, 0.0).sum())


def features(attempt: RewriteAttempt, surprise: float) -> Mapping[str, float]:
    """The features of an attempt: its score, the margin of its least certain token, its length, and the surprise.

    Length and surprise are given as logarithms.

    Args:
        surprise: How strange the instruction is, in nats (`surprise`).
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
        surprise: How strange the instruction is, in nats (`surprise`).
    """
    return _built_in().probability(features(attempt, surprise))


def is_strange(surprise: float) -> bool:
    """Whether the built-in model was not taught an instruction with this surprise."""
    return _built_in().is_strange(surprise)


@cache
def _built_in() -> RewriteCalibration:
    return RewriteCalibration.read(json.loads(FILE.read_text("utf-8")))
