"""All tokens that a guard allows, for the rare step at which the model's best ones are all refused.

The vocabulary is walked as a trie of bytes, so that a refused beginning is asked about once for all tokens that share
it. The cost is that of the beginnings which are still allowed.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from decoder.constraint.protocol import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.vocabulary import Vocabulary

_LAST = 255


def allowed_tokens(guard: Guard, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Bool [vocabulary.size]: which tokens `guard` accepts, the end of the text included."""
    allowed = np.zeros(vocabulary.size, dtype=np.bool_)
    if guard.may_stop() is None:
        allowed[list(vocabulary.end)] = True
    keys, tokens = vocabulary.in_order
    pending = [(b"", guard, 0, len(keys))]
    while pending:
        beginning, state, place, end = pending.pop()
        while place < end and keys[place] == beginning:
            allowed[tokens[place]] = True
            place += 1
        while place < end:
            longer = keys[place][: len(beginning) + 1]
            following = (
                bisect_left(keys, longer[:-1] + bytes([longer[-1] + 1]), place, end) if longer[-1] < _LAST else end
            )
            after = state.feed(longer[-1:])
            if not isinstance(after, Refusal):
                pending.append((longer, after, place, following))
            place = following
    return allowed
