"""Measures what forwards of different lengths cost on this machine, once for each model when its first draft is used.

`costs_of` runs a dozen forwards after the tokens in the cache, and drops their tokens again. The costs differ from run
to run, and so do the windows that are chosen by them: the counts of accepted and rejected tokens may vary, the output
does not. On the CPU this thread's processor time is measured, and not the clock's: a busy machine interrupts long
forwards more often than short ones, which made drafts look useless.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from decoder.draft.window import Costs

if TYPE_CHECKING:
    from decoder.models.card import ModelCard
    from decoder.models.model import Model

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
"""The numbers of tokens of the forwards that are measured."""
_ROUNDS = 2
"""How often each is measured. The shortest time counts: other programs can only make a forward slower."""
_SLOW_SECONDS = 0.25
"""If a forward of one token takes longer, there is one round only."""

_MEASURED: WeakKeyDictionary[ModelCard, Costs] = WeakKeyDictionary()
"""The costs by the model's card, which a model shares with its branches."""


def costs_of(model: Model) -> Costs:
    """What forwards of a model cost, after the tokens in its cache, which is left as it was.

    If the context has no room to measure, the costs of `Costs` are assumed, and the next draft tries again.

    Raises:
        OutOfDeviceMemoryError: the device has no room for 128 more tokens.
    """
    if model.card not in _MEASURED:
        if len(model.tokens) + SIZES[-1] > model.context:
            return Costs()
        _MEASURED[model.card] = _measure(model)
    return _MEASURED[model.card]


def _measure(model: Model) -> Costs:
    """Measure the costs; a longer forward costs at least as much as a shorter one."""
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
        if best[0] > _SLOW_SECONDS:
            break
    rising = [max(best[: place + 1]) for place in range(len(best))]
    return Costs(SIZES, tuple(rising))
