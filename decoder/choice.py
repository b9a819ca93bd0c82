"""One decoding step's decision: the most preferred token that the guard allows.

The model's favourite is nearly always legal, so candidates are checked one by one, best first; a mask over the
vocabulary is computed only after the best 64 have all been refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from decoder.constraint.mask import allowed_tokens
from decoder.constraint.protocol import Refusal, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from decoder.constraint.guard import Guard
    from decoder.vocabulary import Vocabulary

CHECKED_BEFORE_MASK = 64


@dataclass(frozen=True, slots=True)
class Choice:
    """A token, the guard after it, and what was refused on the way to it."""

    token: int
    guard: Guard
    ends: bool
    """The model is done: the token ends the text, or writes what the text after the cursor supplies."""
    refused: tuple[tuple[int, Refusal], ...] = ()
    masked: bool = False


def choose(
    preferences: npt.NDArray[np.floating], guard: Guard, vocabulary: Vocabulary, *, hopeless: float = -np.inf
) -> Choice | None:
    """The first legal token in descending order of `preferences`; None where there is none.

    Args:
        preferences: float [vocabulary.size], as a `Sampler` gives them.
        hopeless: Once a name has been refused, tokens preferred less than this are not tried: letter by letter they
            would turn a name that does not exist into one that does.
    """
    refused: list[tuple[int, Refusal]] = []
    floor = -np.inf
    for token in _descending(preferences) if not guard.owed else _continuing(guard.owed, preferences, vocabulary):
        if preferences[token] < floor:
            return None
        verdict = _check(token, guard, vocabulary)
        if not isinstance(verdict, Refusal):
            return Choice(token, verdict, token in vocabulary.end, tuple(refused))
        if verdict.supplied and not refused and guard.may_stop() is None:
            return Choice(token, guard, ends=True, refused=((token, verdict),))
        refused.append((token, verdict))
        floor = hopeless if verdict.rule is Rule.SCOPE else floor
    if guard.owed:
        return None
    allowed = allowed_tokens(guard, vocabulary)
    if not allowed.any():
        return None
    token = int(np.where(allowed, preferences, -np.inf).argmax())
    if preferences[token] < floor:
        return None
    after = _check(token, guard, vocabulary)
    if isinstance(after, Refusal):
        raise TypeError(f"the mask allows token {token}, which {after.rule} refuses: {after.what}")
    return Choice(token, after, token in vocabulary.end, tuple(refused), masked=True)


def _check(token: int, guard: Guard, vocabulary: Vocabulary) -> Guard | Refusal:
    if token in vocabulary.end:
        return guard.may_stop() or guard
    written = vocabulary.token_bytes[token]
    return guard.feed(written) if written else Refusal(Rule.ENCODING, f"special token {token}")


def _continuing(owed: bytes, preferences: npt.NDArray[np.floating], vocabulary: Vocabulary) -> Iterator[int]:
    """The best token of all, for the record, then every token that writes what is owed or begins to, best first."""
    best = int(preferences.argmax())
    yield best
    writing = np.unique(np.array([*vocabulary.beginning_of(owed), *vocabulary.starting_with(owed)], dtype=np.intp))
    for token in writing[np.argsort(-preferences[writing], kind="stable")]:
        if token != best:
            yield int(token)


def _descending(preferences: npt.NDArray[np.floating]) -> Iterator[int]:
    """The best tokens, best first; equal scores in the order of their ids. Sorts only after the first was refused."""
    best = int(preferences.argmax())
    yield best
    count = min(CHECKED_BEFORE_MASK, len(preferences))
    threshold = np.partition(preferences, -count)[-count]
    top = np.flatnonzero(preferences >= threshold)
    for token in top[np.argsort(-preferences[top], kind="stable")][:count]:
        if token != best:
            yield int(token)
