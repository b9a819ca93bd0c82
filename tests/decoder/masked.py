"""The mask that `decoder.choice` goes without: every token is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoder.choice import check
from decoder.constraint.protocol import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

    from decoder.constraint.state import ConstraintState
    from decoder.models.vocabulary import Vocabulary


def allowed_tokens(constraint: ConstraintState, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Bool [vocabulary.size]: which tokens `constraint` accepts, the end of the text included."""
    return np.array([not isinstance(check(token, constraint, vocabulary), Refusal) for token in range(vocabulary.size)])
