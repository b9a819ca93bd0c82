"""What all benchmarks use to measure times and to print: the machine, clocks, percentiles, and rows of figures."""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

import psutil


def machine() -> dict[str, str | float]:
    """The machine that the figures were measured on, how busy it was in the last minute, and versions of packages."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "load": round(psutil.getloadavg()[0], 2),
        "python": platform.python_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
    }


def machine_line() -> str:
    """What `machine` returns, in one line for people."""
    facts = machine()
    return (
        f"{facts['cpu']}, {facts['cores']} cores, load {facts['load']} before; "
        f"python {facts['python']}, torch {facts['torch']}, transformers {facts['transformers']}"
    )


def _cpu() -> str:
    """The processor's name: on Linux from `/proc/cpuinfo`, elsewhere what Python's `platform` knows."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return name or platform.processor() or platform.machine()


def milliseconds(run: Callable[[], object]) -> float:
    """How long one call takes on the clock."""
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1000


def busy_milliseconds(run: Callable[[], object]) -> float:
    """The processor time of one call, on all threads of this process; other work on the machine adds little to it."""
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1000


def alternating(runs: Sequence[Callable[[], object]], times: int) -> list[float]:
    """The median milliseconds of each run, after one that is not counted.

    The runs take turns, so that a busy machine slows all of them alike.
    """
    for run in runs:
        run()
    by_run: list[list[float]] = [[] for _ in runs]
    for _ in range(times):
        for run, taken in zip(runs, by_run, strict=True):
            taken.append(milliseconds(run))
    return [median(taken) for taken in by_run]


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least this share of the values, from 0 to 1, do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def spread(values: Sequence[float]) -> dict[str, float]:
    """The 50th, 90th and 99th percentile, as `p50`, `p90` and `p99`."""
    return {f"p{share}": round(percentile(values, share / 100), 2) for share in (50, 90, 99)}


def spread_text(values: Sequence[float]) -> str:
    """The same percentiles as text: `1.0 / 2.0 / 3.0`."""
    return " / ".join(f"{value:.1f}" for value in spread(values).values())


def line(title: str, *cells: str, width: int = 24) -> None:
    """Print one row of figures, with at least one space before each."""
    print(f"{title:<40}" + "".join(f" {cell:>{width - 1}}" for cell in cells))
