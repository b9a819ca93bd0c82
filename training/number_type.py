"""The number type that a processor multiplies faster: bfloat16, or the float32 of the weights.

GPUs use bfloat16. A processor may have instructions for it and still be slower: on a Xeon with AVX512-BF16, with one
thread, a run was a third slower in bfloat16 (690 tokens a second, 940 in float32), and so was a product.
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
"""By turns; the fastest of each counts: the first pays for what is made once, and others only ever add."""
_ROWS = 1_024


@dataclass(frozen=True, slots=True)
class NumberType:
    """The type that products are made in, by its name in `BY_NAME`, and why, in a sentence for people."""

    name: str
    why: str

    @property
    def dtype(self) -> torch.dtype:
        """As torch has it."""
        return BY_NAME[self.name]


def choose(device: str, kept: str | None, measure: Measure) -> NumberType:
    """The type for a run.

    Args:
        device: As torch names it.
        kept: The type that the run had before it was stopped; None for a run that begins.
        measure: Asked only of a run that begins on the CPU.
    """
    if not device.startswith("cpu"):
        return NumberType("bfloat16", "training in bfloat16, as the device is no CPU")
    if kept is not None:
        return NumberType(kept, f"training in {kept}, as the run began")
    seconds = {name: min(times) for name, times in _times(measure).items()}
    fastest = min(seconds, key=lambda name: seconds[name])
    result = ", ".join(f"{1000 * taken:.1f} ms in {name}" for name, taken in seconds.items())
    return NumberType(fastest, f"training in {fastest}: a product takes {result}")


def product(width: int, inner: int) -> Measure:
    """Times one product of a feed-forward layer as training makes it, from float32 and under autocast.

    On the clock of this thread's computing where one thread computes, so that a busy machine decides less.

    Args:
        width: Of the model.
        inner: Width of its feed-forward layers.
    """
    rows, matrix = torch.ones(_ROWS, width), torch.ones(width, inner)
    clock = time.thread_time if torch.get_num_threads() == 1 else time.perf_counter

    def seconds(dtype: torch.dtype) -> float:
        started = clock()
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=dtype is torch.bfloat16):
            torch.mm(rows, matrix)
        return clock() - started

    return seconds


def _times(measure: Measure) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in BY_NAME}
    for _ in range(_ROUNDS):
        for name, dtype in BY_NAME.items():
            times[name].append(measure(dtype))
    return times
