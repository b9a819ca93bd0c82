"""What all benchmarks print: the machine, times, percentiles, and rows of figures."""

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
    """What the figures were measured on, and how busy it was before."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 0,
        "load": round(psutil.getloadavg()[0], 2),
        "python": platform.python_version(),
        "torch": version("torch"),
        "transformers": version("transformers"),
    }


def machine_line() -> str:
    """The same in one line."""
    facts = machine()
    return (
        f"{facts['cpu']}, {facts['cores']} cores, load {facts['load']} before; "
        f"python {facts['python']}, torch {facts['torch']}, transformers {facts['transformers']}"
    )


def _cpu() -> str:
    info = Path("/proc/cpuinfo")  # Linux; elsewhere what platform knows
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    named = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def milliseconds(run: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1000


def busy_milliseconds(run: Callable[[], object]) -> float:
    """Processor time of one call, on all threads: what others do on the machine adds little to it."""
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1000


def alternating(runs: Sequence[Callable[[], object]], times: int) -> list[float]:
    """Medians of several things to time, taken in turn, so that a busy machine slows all of them."""
    for run in runs:
        run()
    taken: list[list[float]] = [[] for _ in runs]
    for _ in range(times):
        for run, row in zip(runs, taken, strict=True):
            row.append(milliseconds(run))
    return [median(row) for row in taken]


def percentile(values: Iterable[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def spread(values: Sequence[float]) -> dict[str, float]:
    """The median, and what nine in ten and all but one in a hundred do not exceed."""
    return {f"p{share}": round(percentile(values, share / 100), 2) for share in (50, 90, 99)}


def spread_text(values: Sequence[float]) -> str:
    """The same in a few characters, in milliseconds."""
    return " / ".join(f"{value:.1f}" for value in spread(values).values())


def line(title: str, *cells: str, width: int = 24) -> None:
    """One row of figures, with a space before each however long it is."""
    print(f"{title:<40}" + "".join(f" {cell:>{width - 1}}" for cell in cells))
