"""Fits the prior over names to the packages of this machine: a logistic regression, `inscope train --prior`.

It ranks the name that was there above the others that were possible, and learns from pairs of the true candidate and
another, by the difference of their features. After the first round a pair weighs the sum of both names' probabilities
in the round before, so the rounds approach the conditional logit (McFadden 1974) by plain logistic regressions. Needs
scikit-learn. Packages that are held out for evaluation are not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.features import FEATURES, GROUPS
from context_index.prior.weights import KINDS, Weights
from training.corpus import HELD_OUT
from training.prior_places import FAMILIES, PriorExample, examples, projects

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.features import NameCandidates
    from context_index.prior.place import PriorPlace

_ROUNDS: Final = 3
_OTHERS: Final = 40
"""The number of wrong candidates that are compared in each round."""
_STRENGTH: Final = 1.0
"""Inverse of the regularisation, scikit-learn's C."""
_LEAST_PROBABILITY: Final = 1e-9
_TEMPERATURES: Final = np.linspace(0.4, 1.6, 25)
_PACKAGES: Final = 72
"""The most packages of a family of languages."""
_NAMES, _MEMBERS, _PER_FILE = 24, 12, 6
"""The most places of a package, and of a file of it."""


def fit_weights(roots: Sequence[Path], scratch: Path, *, seed: int, say: Callable[[str], None]) -> str:
    """The file of weights.

    Args:
        roots: Folders of packages.
        scratch: An empty directory.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
        FileNotFoundError: there are too few packages.
    """
    weights: dict[str, npt.NDArray[np.float64]] = {}
    recipe: dict[str, object] = {"seed": seed, "strength": _STRENGTH, "rounds": _ROUNDS, "others": _OTHERS}
    for family in FAMILIES:
        found: list[PriorExample] = []
        packages = []
        for project in islice(projects(family, roots, scratch, lambda name: name not in HELD_OUT), _PACKAGES):
            found += examples(project, names=_NAMES, members=_MEMBERS, per_file=_PER_FILE, seed=seed)
            packages.append(project.name)
        say(f"{family}: {len(found)} places of {len(packages)} packages")
        for kind in (one for one in KINDS if one.startswith(family)):
            own = [one for one in found if one.kind == kind]
            if not own:
                raise FileNotFoundError(f"there is nothing to learn {kind} from")
            weights[kind] = fit(own, seed=seed)
            top1, nats = measure(own, weights[kind])
            say(f"{kind}: of {len(own)} places the true name is first in {top1:.3f}, {nats:.3f} nats")
            recipe[kind] = {"places": len(own), "packages": packages}
    return weights_file(weights, recipe)


def weights_file(weights: Mapping[str, npt.NDArray[np.floating]], recipe: Mapping[str, object]) -> str:
    """JSON; weights of nearly nothing are left out."""
    kinds = {
        kind: {name: round(float(one), 4) for name, one in zip(FEATURES, row, strict=True) if abs(one) >= 5e-4}  # noqa: PLR2004 -- half of the last digit
        for kind, row in weights.items()
    }
    return json.dumps({"recipe": recipe, "weights": kinds}, indent=1) + "\n"


def fit(places: Sequence[PriorExample], *, seed: int = 0) -> npt.NDArray[np.float64]:
    """Weights in the order of `FEATURES`, at the scale at which their softmax is a probability.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 -- for fitting only

    draw = np.random.default_rng(seed)
    row = np.zeros(len(FEATURES))
    for number in range(_ROUNDS):
        pairs, weights = _pairs(places, row if number else None, draw)
        signs = draw.choice([-1.0, 1.0], len(pairs))
        regression = LogisticRegression(C=_STRENGTH, fit_intercept=False, max_iter=300)
        regression.fit(pairs * signs[:, np.newaxis], signs > 0, sample_weight=weights)
        row = regression.coef_[0].astype(np.float64)
        losses = [measure(places[:: max(1, len(places) // 400)], row * scale)[1] for scale in _TEMPERATURES]
        row *= float(_TEMPERATURES[int(np.argmin(losses))])
    return row


def measure(places: Iterable[PriorExample], row: npt.NDArray[np.floating]) -> tuple[float, float]:
    """How often the true name is first, and the mean negative logarithm of its probability, by the prior alone."""
    weights = Weights.of(row)
    first, nats = [], []
    for one in places:
        scores = weights.scores(one.candidates, one.place, one.table)
        first.append(bool((scores <= scores[one.true]).all()))
        nats.append(float(np.logaddexp.reduce(scores) - scores[one.true]))
    return float(np.mean(first)), float(np.mean(nats))


def _pairs(
    places: Sequence[PriorExample], row: npt.NDArray[np.float64] | None, draw: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Differences of features, float32 [pairs, FEATURES], and what each pair weighs.

    With probabilities p of the round before, a pair weighs p(true) + p(other): times the regression's own residual,
    p(other) / (p(true) + p(other)), that is p(other), as in the gradient of the conditional logit.
    """
    found, weights = [], []
    for one in places:
        probabilities = _probabilities(one, row)
        count = min(_OTHERS, len(probabilities) - 1)
        if not count:
            continue
        keys = np.log(probabilities) + draw.gumbel(size=len(probabilities)) * (row is None)
        keys[one.true] = -np.inf
        others = np.argpartition(-keys, count - 1)[:count]
        table = expand(one.candidates, one.place, one.table)
        found.append(table[one.true] - table[others])
        weights.append(np.full(count, 1 / count) if row is None else probabilities[one.true] + probabilities[others])
    return np.concatenate(found), np.concatenate(weights)


def _probabilities(one: PriorExample, row: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
    """Float64 [names]: at first every name that the file uses counts more than one that it does not."""
    if row is None:
        return np.where(one.table[0] > 0, 5.0, 1.0)
    scores = Weights.of(row).scores(one.candidates, one.place, one.table).astype(np.float64)
    softmax: npt.NDArray[np.float64] = np.exp(scores - np.logaddexp.reduce(scores))
    return softmax + _LEAST_PROBABILITY


def expand(candidates: NameCandidates, place: PriorPlace, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """float32 [names, FEATURES]: groups, groups in their situations, and the dense numbers, for fitting."""
    groups = np.eye(len(GROUPS), dtype=np.float32)[candidates.groups]
    situated = [groups * on for on in place.situations]
    return np.concatenate([groups, *situated, table.T], axis=1)
