"""The fitted weights, in a small readable file made by `inscope train --prior`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from context_index.prior.features import FEATURES, GROUPS
from context_index.prior.place import SITUATIONS

if TYPE_CHECKING:
    import numpy.typing as npt

    from context_index.prior.features import Candidates
    from context_index.prior.place import Place

SHIPPED: Final = Path(__file__).with_name("weights.json")
KINDS: Final = ("python names", "python members", "script names", "script members")
"""What is weighed by itself; TypeScript counts as script."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One regression, ready for use."""

    groups: npt.NDArray[np.float32]
    """[1 + SITUATIONS, GROUPS]: of a group by itself, then in each situation."""
    dense: npt.NDArray[np.float32]
    """[DENSE]."""

    @classmethod
    def of(cls, row: npt.NDArray[np.floating]) -> Weights:
        """Weights in the order of `FEATURES`."""
        split = len(GROUPS) * (1 + len(SITUATIONS))
        groups = np.asarray(row[:split], dtype=np.float32).reshape(1 + len(SITUATIONS), len(GROUPS))
        return cls(groups, np.asarray(row[split:], dtype=np.float32))

    def scores(self, candidates: Candidates, place: Place, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32 [names]: natural logarithms of the candidates' odds, up to a constant."""
        of_group = self.groups[0] + np.array(place.situations, dtype=np.float32) @ self.groups[1:]
        scores: npt.NDArray[np.float32] = self.dense @ table + of_group[candidates.groups]
        return scores


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """All regressions, and how much they are to be believed beside a model."""

    by_kind: Mapping[str, Weights]
    menu: Mapping[str, float]
    """By kind: the power to which the prior's probability is taken before it multiplies the model's, where whole names
    are ordered and only the order counts."""


@cache
def shipped() -> FittedWeights:
    """The weights in the package."""
    return read(json.loads(SHIPPED.read_text("utf-8")))


def read(fields: Mapping[str, Mapping[str, Mapping[str, float]]]) -> FittedWeights:
    """What `written` made. Features that it lacks weigh nothing."""
    kinds = fields["weights"]
    rows = {kind: np.array([kinds[kind].get(one, 0.0) for one in FEATURES]) for kind in KINDS}
    menu = {kind: float(fields["menu"][kind]) for kind in KINDS}  # type: ignore[arg-type]  # plain numbers
    return FittedWeights({kind: Weights.of(row) for kind, row in rows.items()}, menu)


def kind_of(*, python: bool, member: bool) -> str:
    """Which of `KINDS` a place is."""
    return f"{'python' if python else 'script'} {'members' if member else 'names'}"


def written(
    weights: Mapping[str, npt.NDArray[np.floating]], menu: Mapping[str, float], recipe: Mapping[str, object]
) -> str:
    """JSON; weights of nearly nothing are left out."""
    kinds = {
        kind: {name: round(float(one), 4) for name, one in zip(FEATURES, row, strict=True) if abs(one) >= 5e-4}  # noqa: PLR2004 -- half of the last digit
        for kind, row in weights.items()
    }
    return json.dumps({"recipe": recipe, "menu": menu, "weights": kinds}, indent=1) + "\n"
