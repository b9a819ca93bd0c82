"""The fitted weights of the prior, in a small readable file made by `inscope train --prior`."""

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
"""What has weights of its own; "script" is JavaScript and TypeScript."""


@dataclass(frozen=True, slots=True)
class Weights:
    """One regression, ready for use."""

    groups: npt.NDArray[np.float32]
    """[1 + SITUATIONS, GROUPS]: first each group's own weight, then what each situation adds to it."""
    dense: npt.NDArray[np.float32]
    """[DENSE]: one for each dense feature."""

    @classmethod
    def of(cls, row: npt.NDArray[np.floating]) -> Weights:
        """The weights in a row, which has them in the order of `FEATURES`."""
        split = len(GROUPS) * (1 + len(SITUATIONS))
        groups = np.asarray(row[:split], dtype=np.float32).reshape(1 + len(SITUATIONS), len(GROUPS))
        return cls(groups, np.asarray(row[split:], dtype=np.float32))

    def scores(
        self, candidates: NameCandidates, place: PriorPlace, table: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        """float32 [names]: natural logarithms of the candidates' odds, up to a constant.

        Args:
            table: float32 [DENSE, names]: the candidates' dense features.
        """
        group_scores = self.groups[0] + np.array(place.situations, dtype=np.float32) @ self.groups[1:]
        scores: npt.NDArray[np.float32] = self.dense @ table + group_scores[candidates.groups]
        return scores


@cache
def shipped() -> Mapping[str, Weights]:
    """The weights in the package, by kind."""
    return weights_of(json.loads(SHIPPED.read_text("utf-8")))


def weights_of(fields: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Mapping[str, Weights]:
    """The weights in the file that the fit wrote, by kind; a feature that it lacks weighs nothing."""
    weights = fields["weights"]
    return {kind: Weights.of(np.array([weights[kind].get(name, 0.0) for name in FEATURES])) for kind in KINDS}


def kind_of(prior: str, *, member: bool) -> str:
    """The one of `KINDS` for a place.

    Args:
        prior: `LanguageRecord.prior`.
        member: Whether a member is completed, and not a name in scope.
    """
    return f"{prior} {'members' if member else 'names'}"
