"""Where another output turns off one of which nothing could be shown: at the closest choice before its fault.

A greedy output is right for a while and then is not: a bracket is opened that cannot be closed there, a declared name
is declared again, a phrase is copied from where other names stand. What went wrong came of one of the choices before,
and most likely of one at which the model hesitated. So outputs are tried in the order of the nats that are lost by
turning off, the fewest first. Where that leads nowhere, the model begins with another token than it ever has. Knows
outputs alone, and nothing of why one could not be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from decoder.choice import Choice
    from decoder.constraint.guard import Guard
    from decoder.generation import Generation
    from decoder.models.vocabulary import Vocabulary

_FAR: Final = 0.1
"""Nats for each token between a turn and what is believed to be the fault."""
_FORCED: Final = 3.0
"""Nats that a choice must have lost to refusals to be the fault: what follows it is not what the model means."""
_SURE: Final = 4.0
"""Nats that may be lost by turning off: of what the model never thought of, nothing good comes but by chance."""
MOST: Final = 3
"""Turns for one suggestion: what came later was hardly ever right, and took a tenth of the time of all."""
_WRITTEN: Final = 2
"""Of the tokens that a suggestion may have, so many times as many are written in all before the last turn."""
_AT_ITS_END: Final = frozenset({Stop.STUCK, Stop.REPETITION})


class Closeness(NamedTuple):
    """How close one choice was."""

    margin: float
    """Nats by which the token is more probable than the next that was not refused."""
    lost: float
    """Nats by which it is less probable than the best that was refused."""


NOT_CLOSE: Final = Closeness(np.inf, 0.0)


def closeness(choice: Choice, logits: npt.NDArray[np.float32], guard: Guard, vocabulary: Vocabulary) -> Closeness:
    """How close a choice was, made from logits [vocabulary] with `guard` before it."""
    chosen, others = float(logits[choice.token]), logits.copy()
    others[[choice.token, *(token for token, _ in choice.refused)]] = -np.inf
    if guard.owed:  # nothing else was asked for
        others = others[[*vocabulary.starting_with(guard.owed), *vocabulary.beginning_of(guard.owed)]]
    best = chosen if guard.owed else float(logits.max())
    return Closeness(chosen - float(others.max(initial=-np.inf)), best - chosen)


@dataclass(frozen=True, slots=True, order=True)
class _Way:
    """How to turn off: what the output does not begin with, and the nats that are lost."""

    lost: float
    number: int
    """Ways that were found before; who was found first is tried first."""
    avoided: frozenset[bytes] = field(compare=False)


@dataclass(slots=True)
class Turns:
    """The ways that are left, and the one that was taken last."""

    _way: _Way = _Way(0.0, 0, frozenset())
    _ways: list[_Way] = field(default_factory=list)
    _found: int = 0
    _taken: int = 0
    _written: int = 0
    _begun: frozenset[bytes] = frozenset()
    """The first tokens of all outputs, behind what was owed."""

    @property
    def avoided(self) -> frozenset[bytes]:
        """Beginnings of the next output behind which no token ends."""
        return self._way.avoided

    def turn(self, run: Generation, stop: Stop) -> bool:
        """Take the next way, `run` having followed the one before until `stop`; whether there is one."""
        self._written += len(run.closeness)
        places = [*_places(run, stop)]
        if places:
            self._begun |= {min(places, key=lambda place: place[1])[2]}
        for distance, place, beginning in places:
            margin = run.closeness[place].margin
            if np.isfinite(margin):
                self._found += 1
                lost = self._way.lost + max(margin, 0.0) + _FAR * distance
                self._ways.append(_Way(lost, self._found, self.avoided | {beginning}))
        best = min(self._ways, default=None)
        if best is not None and best.lost <= _SURE and self._taken < MOST and self._written < _WRITTEN * run.max_tokens:
            self._ways.remove(best)
            self._way = best
            self._taken += 1
            return True
        self._taken, self._ways = MOST, []
        if self._begun <= self.avoided:  # it began with nothing else this time
            return False
        self._way = _Way(_SURE, self._found, self._begun)
        return True


def _places(run: Generation, stop: Stop) -> Iterator[tuple[int, int, bytes]]:
    """How far from its fault, at which token and with which beginning not to be repeated one may turn off an output.

    Behind what is owed only: a half-typed word is not taken back. Where nothing tells the fault, what comes first
    counts as near it, as the text is to be another.
    """
    owed = len(run.guards[0].owed)
    beginnings = [bytes(run.output[:length]) for length in run.lengths[1:]]
    if run.surplus:
        beginnings.append(bytes(run.output) + run.surplus)
    places = [place for place, beginning in enumerate(beginnings) if len(beginning) > owed]
    places = [place for place in places if place < len(run.closeness)]
    fault = next((place for place in places if run.closeness[place].lost > _FORCED), None)
    if fault is not None:
        places = [place for place in places if place < fault] or places[:1]
    if fault is not None or stop in _AT_ITS_END:
        places.reverse()
    return ((distance, place, beginnings[place]) for distance, place in enumerate(places))
