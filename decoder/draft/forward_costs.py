"""What forwards of different lengths cost on this machine, measured once for each model when it is first drafted for.

A dozen forwards after what the cache holds, taken back at once. Figures differ from run to run, and so do the windows
that are chosen by them: the counts of accepted and rejected tokens may vary, the output does not. On the CPU the time
counts that this thread computed: on the clock a busy machine interrupts long forwards more often than short ones, and
made drafts look useless.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from decoder.draft.window import Costs

if TYPE_CHECKING:
    from decoder.models.model import Model
    from decoder.models.vocabulary import Vocabulary

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
_ROUNDS = 2
"""The fastest of them counts: other programs can only make a forward slower."""
_SLOW = 0.25
"""Seconds; where a forward of one token takes longer, one round must do."""

_KNOWN: WeakKeyDictionary[Vocabulary, Costs] = WeakKeyDictionary()
"""By vocabulary, which a model shares with its branches."""


def costs_of(model: Model) -> Costs:
    """What forwards cost, after what the cache holds now; the cache is left as it was.

    Where the context has no room to measure, the costs are assumed, and the next draft tries again.

    Raises:
        OutOfDeviceMemoryError: the device has no room for 128 more tokens.
    """
    if model.vocabulary not in _KNOWN:
        if len(model.tokens) + SIZES[-1] > model.context:
            return Costs()
        _KNOWN[model.vocabulary] = _measured(model)
    return _KNOWN[model.vocabulary]


def _measured(model: Model) -> Costs:
    length = len(model.tokens)
    token = next(token for token, text in enumerate(model.vocabulary.token_bytes) if text)
    best = [float("inf")] * len(SIZES)
    clock = time.thread_time if model.device == "cpu" else time.perf_counter
    for _ in range(_ROUNDS):
        for place, size in enumerate(SIZES):
            started = clock()
            model.forward([token] * size, size)
            best[place] = min(best[place], clock() - started)
            model.truncate(length)
        if best[0] > _SLOW:
            break
    rising = [max(best[: place + 1]) for place in range(len(best))]
    return Costs(SIZES, tuple(rising))
