"""Fits the prior: a logistic regression that ranks the name that was there above the others that were possible.

It learns from pairs of the true candidate and another, by the difference of their features. After the first round a
pair weighs the sum of both names' probabilities in the round before, so the rounds approach the conditional logit
(McFadden 1974) by plain logistic regressions. Needs scikit-learn, which nothing else does: `pip install
'inscope[train]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.examples import Example, Hole, Project, examples, holes
from context_index.prior.features import FEATURES, expanded
from context_index.prior.weights import KINDS, Weights, kind_of, shipped, written

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "KINDS",
    "OTHERS",
    "ROUNDS",
    "STRENGTH",
    "Example",
    "Figures",
    "Hole",
    "Project",
    "examples",
    "fitted",
    "holes",
    "kind_of",
    "measured",
    "shipped",
    "written",
]
ROUNDS: Final = 3
OTHERS: Final = 40
"""The number of wrong candidates that are compared in each round."""
STRENGTH: Final = 1.0
"""Inverse of the regularisation, scikit-learn's C."""
_SPECK: Final = 1e-9
_TEMPERATURES: Final = np.linspace(0.4, 1.6, 25)


@dataclass(frozen=True, slots=True)
class Figures:
    """How often the true name is first, and the mean of one over its rank."""

    places: int
    top1: float
    reciprocal_rank: float
    nats: float
    """Mean negative logarithm of the probability of the true name."""


def fitted(
    examples: Sequence[Example], *, seed: int = 0, say: Callable[[str], None] = lambda _line: None
) -> npt.NDArray[np.float64]:
    """Weights in the order of `FEATURES`, at the scale at which their softmax is a probability.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 -- for fitting only

    draw = np.random.default_rng(seed)
    row = np.zeros(len(FEATURES))
    for number in range(ROUNDS):
        pairs, weights = _pairs(examples, row if number else None, draw)
        signs = draw.choice([-1.0, 1.0], len(pairs))
        regression = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=300)
        regression.fit(pairs * signs[:, np.newaxis], signs > 0, sample_weight=weights)
        row = regression.coef_[0].astype(np.float64)
        row *= _temperature(examples, row)
        say(f"round {number + 1}: {measured(examples, row)}")
    return row


def measured(examples: Iterable[Example], row: npt.NDArray[np.floating]) -> Figures:
    """The prior alone at some places."""
    weights = Weights.of(row)
    ranks, nats = [], []
    for one in examples:
        scores = weights.scores(one.candidates, one.place, one.table)
        ranks.append(int((scores > scores[one.true]).sum()) + 1)
        nats.append(float(np.logaddexp.reduce(scores) - scores[one.true]))
    reciprocal = [1 / rank for rank in ranks]
    return Figures(len(ranks), float(np.mean(np.array(ranks) == 1)), float(np.mean(reciprocal)), float(np.mean(nats)))


def _pairs(
    examples: Sequence[Example], row: npt.NDArray[np.float64] | None, draw: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Differences of features, float32 [pairs, FEATURES], and what each pair weighs.

    With probabilities p of the round before, a pair weighs p(true) + p(other): times the regression's own residual,
    p(other) / (p(true) + p(other)), that is p(other), as in the gradient of the conditional logit.
    """
    found, weights = [], []
    for one in examples:
        belief = _belief(one, row)
        count = min(OTHERS, len(belief) - 1)
        if not count:
            continue
        keys = np.log(belief) + draw.gumbel(size=len(belief)) * (row is None)
        keys[one.true] = -np.inf
        others = np.argpartition(-keys, count - 1)[:count]
        table = expanded(one.candidates, one.place, one.table)
        found.append(table[one.true] - table[others])
        weights.append(np.full(count, 1 / count) if row is None else belief[one.true] + belief[others])
    return np.concatenate(found), np.concatenate(weights)


def _belief(one: Example, row: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
    """Float64 [names]: at first every name that the file uses counts more than one that it does not."""
    if row is None:
        return np.where(one.table[0] > 0, 5.0, 1.0)
    scores = Weights.of(row).scores(one.candidates, one.place, one.table).astype(np.float64)
    believed: npt.NDArray[np.float64] = np.exp(scores - np.logaddexp.reduce(scores))
    return believed + _SPECK


def _temperature(examples: Sequence[Example], row: npt.NDArray[np.float64]) -> float:
    """What the scores are to be multiplied with for the true names to be most probable."""
    losses = [measured(examples[:: max(1, len(examples) // 400)], row * scale).nats for scale in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])
