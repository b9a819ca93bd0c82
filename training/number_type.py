"""Finds the number type that a processor multiplies faster: bfloat16, or float32, which the weights are in.

GPUs use bfloat16. A CPU may have instructions for bfloat16 and still be slower with it: on a Xeon with AVX512-BF16, a
run with one thread was a third slower in bfloat16 (690 tokens a second, 940 in float32). A single product, which is
timed here, was slower, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch

Measure = Callable[[torch.dtype], float]
"""Seconds that a product takes in a type."""

BY_NAME: Mapping[str, torch.dtype] = {"bfloat16": torch.bfloat16, "float32": torch.float32}

_ROUNDS = 4
"""How often each type is timed, in turn. The fastest time counts: the first has costs that come only once, and other
work on the machine can only add time."""
_ROWS = 1_024
"""Rows of the product that is timed."""


@dataclass(frozen=True, slots=True)
class NumberType:
    """The type in which a run computes products."""

    name: str
    """A key of `BY_NAME`."""
    why: str
    """Why it was chosen, as a sentence for people."""

    @property
    def dtype(self) -> torch.dtype:
        """The type in torch."""
        return BY_NAME[self.name]


def choose(device: str, kept: str | None, measure: Measure) -> NumberType:
    """Choose the type for a run.

    Args:
        device: Its name in torch.
        kept: The type that the run had before it was stopped; None for a new run.
        measure: Times a product in a type; called only for a new run on a CPU.
    """
    if not device.startswith("cpu"):
        return NumberType("bfloat16", "training in bfloat16, as the device is no CPU")
    if kept is not None:
        return NumberType(kept, f"training in {kept}, as the run began")
    fastest_times = {name: min(times) for name, times in _measure_in_turn(measure).items()}
    fastest = min(fastest_times, key=lambda name: fastest_times[name])
    result = ", ".join(f"{1000 * seconds:.1f} ms in {name}" for name, seconds in fastest_times.items())
    return NumberType(fastest, f"training in {fastest}: a product takes {result}")


def product(width: int, inner: int) -> Measure:
    """A function that times one product of a feed-forward layer as in training, from float32 weights under autocast.

    If torch uses one thread, the time is that thread's processor time, on which other work has little influence.

    Args:
        width: The width of the model.
        inner: The width of its feed-forward layers.
    """
    rows, matrix = torch.ones(_ROWS, width), torch.ones(width, inner)
    clock = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter

    def seconds(dtype: torch.dtype) -> float:
        started = clock()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=dtype is torch.bfloat16):
            torch.mm(rows, matrix)
        return clock() - started

    return seconds


def _measure_in_turn(measure: Measure) -> dict[str, list[float]]:
    """By type: the seconds of each round."""
    times: dict[str, list[float]] = {name: [] for name in BY_NAME}
    for _ in range(_ROUNDS):
        for name, dtype in BY_NAME.items():
            times[name].append(measure(dtype))
    return times
