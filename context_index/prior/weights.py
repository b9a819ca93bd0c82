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

    from context_index.prior.features import NameCandidates
    from context_index.prior.place import PriorPlace

SHIPPED: Final = Path(__file__).with_name("weights.json")
KINDS: Final = ("python names", "python members", "script names", "script members")
"""What is weighed by itself; TypeScript counts as script."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One regression, ready for use."""

    groups: npt.NDArray[np.float32]
    """[1 + SITUATIONS, GROUPS]: the first row is each group's own weight, the others are added in their situation."""
    dense: npt.NDArray[np.float32]
    """[DENSE]: one for each number that a candidate has."""

    @classmethod
    def of(cls, row: npt.NDArray[np.floating]) -> Weights:
        """Weights in the order of `FEATURES`."""
        split = len(GROUPS) * (1 + len(SITUATIONS))
        groups = np.asarray(row[:split], dtype=np.float32).reshape(1 + len(SITUATIONS), len(GROUPS))
        return cls(groups, np.asarray(row[split:], dtype=np.float32))

    def scores(
        self, candidates: NameCandidates, place: PriorPlace, table: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """float32 [names]: natural logarithms of the candidates' odds, up to a constant."""
        of_group = self.groups[0] + np.array(place.situations, dtype=np.float32) @ self.groups[1:]
        scores: npt.NDArray[np.float32] = self.dense @ table + of_group[candidates.groups]
        return scores


@cache
def shipped() -> Mapping[str, Weights]:
    """The weights in the package, by kind."""
    return weights_of(json.loads(SHIPPED.read_text("utf-8")))


def weights_of(fields: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Mapping[str, Weights]:
    """The weights in what the fit wrote; a feature that it lacks weighs nothing."""
    return {kind: Weights.of(np.array([fields["weights"][kind].get(one, 0.0) for one in FEATURES])) for kind in KINDS}


def kind_of(prior: str, *, member: bool) -> str:
    """Which of `KINDS` a place is."""
    return f"{prior} {'members' if member else 'names'}"
