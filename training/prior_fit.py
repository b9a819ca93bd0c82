"""Fits the prior over names to the packages of this machine, for `inscope train --prior`.

The prior is to rank the true name above all others that were possible. It is fitted by logistic regressions on pairs of
the true candidate and another, by the difference of their features. After the first round a pair weighs the sum of both
names' probabilities in the round before, so that the rounds approach the conditional logit (McFadden 1974). This needs
scikit-learn. Packages that are held out for evaluation are not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.features import DENSE, FEATURES, GROUPS
from context_index.prior.weights import KINDS, Weights
from training.corpus import HELD_OUT
from training.prior_places import FAMILIES, PriorExample, examples, projects

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.features import NameCandidates
    from context_index.prior.place import PriorPlace

_ROUNDS: Final = 3
"""How often a regression is fitted, each time to pairs that are weighed by the round before."""
_OTHERS: Final = 40
"""The most wrong candidates of a place that are compared with the true one in a round."""
_STRENGTH: Final = 1.0
"""The inverse of the regularisation, scikit-learn's C."""
_IN_FILE: Final = DENSE.index("in the file")
"""The row of an example's table that says whether the file uses a name."""
_LEAST_PROBABILITY: Final = 1e-9
"""What every probability is raised by, so that its logarithm is finite."""
_MEASURED: Final = 400
"""About how many places the scale of the weights is chosen by."""
_TEMPERATURES: Final = np.linspace(0.4, 1.6, 25)
"""Scales of the weights that are tried after each round."""
_PACKAGES: Final = 72
"""The most packages of a family of languages."""
_NAMES, _MEMBERS, _PER_FILE = 24, 12, 6
"""The most names and the most members of a package, and the most of either in one of its files."""


def fit_weights(roots: Sequence[Path], scratch: Path, *, seed: int, say: Callable[[str], None]) -> str:
    """The text of the file of weights, fitted to the packages below the roots.

    Args:
        roots: Folders of packages.
        scratch: An empty directory for copies of packages.
        say: Called with a sentence for each family and each kind of place.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
        FileNotFoundError: there are too few packages.
    """
    weights: dict[str, npt.NDArray[np.float64]] = {}
    recipe: dict[str, object] = {"seed": seed, "strength": _STRENGTH, "rounds": _ROUNDS, "others": _OTHERS}
    for family in FAMILIES:
        places: list[PriorExample] = []
        packages = []
        for project in islice(projects(family, roots, scratch, lambda name: name not in HELD_OUT), _PACKAGES):
            places += examples(project, names=_NAMES, members=_MEMBERS, per_file=_PER_FILE, seed=seed)
            packages.append(project.name)
        say(f"{family}: {len(places)} places of {len(packages)} packages")
        for kind in (kind for kind in KINDS if kind.startswith(family)):
            of_kind = [place for place in places if place.kind == kind]
            if not of_kind:
                raise FileNotFoundError(f"there is nothing to learn {kind} from")
            weights[kind] = fit(of_kind, seed=seed)
            top1, nats = measure(of_kind, weights[kind])
            say(f"{kind}: of {len(of_kind)} places the true name is first in {top1:.3f}, {nats:.3f} nats")
            recipe[kind] = {"places": len(of_kind), "packages": packages}
    return weights_file(weights, recipe)


def weights_file(weights: Mapping[str, npt.NDArray[np.floating]], recipe: Mapping[str, object]) -> str:
    """The text of the file of weights, as JSON, without weights below 0.0005."""
    kinds = {
        kind: {name: round(float(value), 4) for name, value in zip(FEATURES, row, strict=True) if abs(value) >= 5e-4}  # noqa: PLR2004 -- too small to matter
        for kind, row in weights.items()
    }
    return json.dumps({"recipe": recipe, "weights": kinds}, indent=1) + "\n"


def fit(places: Sequence[PriorExample], *, seed: int = 0) -> npt.NDArray[np.float64]:
    """The weights for places of one kind, in the order of `FEATURES`.

    They are scaled so that the softmax of their scores is a probability.

    Raises:
        ModuleNotFoundError: scikit-learn is not installed.
        ValueError: no place has two candidates.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 -- for fitting only

    draw = np.random.default_rng(seed)
    row = np.zeros(len(FEATURES))
    for number in range(_ROUNDS):
        pairs, weights = _pairs(places, row if number else None, draw)
        signs = draw.choice([-1.0, 1.0], len(pairs))  # a regression needs both classes; a difference has no side
        regression = LogisticRegression(C=_STRENGTH, fit_intercept=False, max_iter=300)
        regression.fit(pairs * signs[:, np.newaxis], signs > 0, sample_weight=weights)
        row = regression.coef_[0].astype(np.float64)
        some = places[:: max(1, len(places) // _MEASURED)]
        losses = [measure(some, row * scale)[1] for scale in _TEMPERATURES]
        row *= float(_TEMPERATURES[int(np.argmin(losses))])
    return row


def measure(places: Iterable[PriorExample], row: npt.NDArray[np.floating]) -> tuple[float, float]:
    """The share of places at which the true name is first, and the mean negative logarithm of its probability."""
    weights = Weights.of(row)
    first, nats = [], []
    for example in places:
        scores = weights.scores(example.candidates, example.place, example.table)
        first.append(bool((scores <= scores[example.true]).all()))
        nats.append(float(np.logaddexp.reduce(scores) - scores[example.true]))
    return float(np.mean(first)), float(np.mean(nats))


def _pairs(
    places: Sequence[PriorExample], row: npt.NDArray[np.float64] | None, draw: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Differences of features between the true name and others, float32 [pairs, FEATURES], and each pair's weight.

    In the first round (`row` is None) the others are drawn, weighted by `_probabilities` (the largest of log p plus
    Gumbel noise are such a draw), and each place weighs 1. Later they are the most probable ones by the round before.
    With its probabilities p, a pair weighs p(true) + p(other). The regression's own residual is
    p(other) / (p(true) + p(other)), so that the product is p(other), as in the gradient of the conditional logit.
    """
    differences, weights = [], []
    for example in places:
        probabilities = _probabilities(example, row)
        count = min(_OTHERS, len(probabilities) - 1)
        if not count:
            continue
        keys = np.log(probabilities) + draw.gumbel(size=len(probabilities)) * (row is None)
        keys[example.true] = -np.inf
        others = np.argpartition(-keys, count - 1)[:count]
        table = expand(example.candidates, example.place, example.table)
        differences.append(table[example.true] - table[others])
        both = probabilities[example.true] + probabilities[others]
        weights.append(np.full(count, 1 / count) if row is None else both)
    return np.concatenate(differences), np.concatenate(weights)


def _probabilities(example: PriorExample, row: npt.NDArray[np.float64] | None) -> npt.NDArray[np.float64]:
    """The candidates' probabilities by the weights of the round before, float64 [names].

    In the first round they are only proportional: 5 for a name that the file uses, 1 for any other.
    """
    if row is None:
        return np.where(example.table[_IN_FILE] > 0, 5.0, 1.0)
    scores = Weights.of(row).scores(example.candidates, example.place, example.table).astype(np.float64)
    softmax: npt.NDArray[np.float64] = np.exp(scores - np.logaddexp.reduce(scores))
    return softmax + _LEAST_PROBABILITY


def expand(candidates: NameCandidates, place: PriorPlace, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The features of all candidates at a place, float32 [names, FEATURES].

    They are the groups, the groups in each situation, and the dense numbers of `table`.
    """
    groups = np.eye(len(GROUPS), dtype=np.float32)[candidates.groups]
    situated = [groups * is_on for is_on in place.situations]
    return np.concatenate([groups, *situated, table.T], axis=1)
