"""All tokens that a guard allows, for the rare step at which the model's best ones are all refused.

The vocabulary is walked as a trie of bytes, so that a refused beginning is asked about once for all tokens that share
it. The cost is that of the beginnings which are still allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoder.constraint.protocol import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.vocabulary import Vocabulary


def allowed_tokens(guard: Guard, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Bool [vocabulary.size]: which tokens `guard` accepts, the end of the text included."""
    allowed = np.zeros(vocabulary.size, dtype=np.bool_)
    if guard.may_stop() is None:
        allowed[list(vocabulary.end)] = True
    pending: list[tuple[bytes, Guard]] = [(b"", guard)]
    while pending:
        beginning, state = pending.pop()
        following = set()
        for token in vocabulary.starting_with(beginning):
            written = vocabulary.token_bytes[token]
            if written == beginning:
                allowed[token] = True
            else:
                following.add(written[len(beginning)])
        for byte in following:
            after = state.feed(bytes([byte]))
            if not isinstance(after, Refusal):
                pending.append((beginning + bytes([byte]), after))
    return allowed
