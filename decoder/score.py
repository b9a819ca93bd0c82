"""How probable a choice was, given what had to be written; choices add up to how probable the output is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.sampling import log_normaliser

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.models.vocabulary import Vocabulary


def score(
    token: int, guard: Guard, logits: npt.NDArray[np.float32], before: Guard, vocabulary: Vocabulary | None = None
) -> float:
    """Natural logarithm of a token's probability, what it costs taken off.

    Args:
        guard: After the token, `before` before it.
        logits: float32 [vocabulary], from which it is chosen: what is refused counts as lost.
        vocabulary: Whose tokens go on with what is owed, if anything is: how probable that was is nobody's fault.
    """
    rivals = logits
    if vocabulary is not None and (owed := before.owed):
        rivals = logits[[*{token, *vocabulary.starting_with(owed), *vocabulary.beginning_of(owed)}]]
    return float(logits[token]) - log_normaliser(rivals) - max(0.0, guard.penalty - before.penalty)
