"""How probable names are at a place, without a model: a logistic regression over what the workspace writes.

`Prior` belongs to a workspace, `PlacePrior` to a place. `inscope train --prior` fits the weights.
"""

from __future__ import annotations

from context_index.prior.place_prior import NameProbabilities, PlacePrior
from context_index.prior.prior import Prior

__all__ = ["NameProbabilities", "PlacePrior", "Prior"]
