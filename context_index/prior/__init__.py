"""Which names are probable at a place, told without a model: a logistic regression over what the workspace writes.

`Prior` is a workspace's, `PlacePrior` a place's. Weights are fitted by `inscope train --prior` (`fit`, `examples`).
"""

from __future__ import annotations

from context_index.prior.names import PlacePrior, Weighed
from context_index.prior.prior import Prior

__all__ = ["PlacePrior", "Prior", "Weighed"]
