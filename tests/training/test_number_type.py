"""The type that a run makes its products in: by a measure once, and from then on as the run began."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from training import number_type
from training.number_type import Measure

pytestmark = pytest.mark.slow

CASES = """
device  kept      bfloat16, s              float32, s                => type
cpu     -         .009 .002 .002 .002      .009 .001 .001 .001       => float32
cpu     -         .009 .001 .001 .001      .009 .002 .002 .002       => bfloat16
cpu     -         .9 .001 .9 .9            .002 .002 .002 .002       => bfloat16
cpu     -         .001 .001 .001 .001      .001 .001 .001 .001       => bfloat16
cpu     bfloat16                                                     => bfloat16
cpu     float32                                                      => float32
cuda    -                                                            => bfloat16
cuda:1  float32                                                      => bfloat16
mps     -                                                            => bfloat16
"""


def parsed() -> list[tuple[str, str | None, list[float], str]]:
    found = []
    for line in CASES.strip().splitlines()[1:]:
        left, name = line.split("=>")
        device, kept, *times = left.split()
        found.append((device, None if kept == "-" else kept, [float(one) for one in times], name.strip()))
    return found


def scripted(times: list[float]) -> Measure:
    """Says the times in turn; one that is asked once too often fails the test."""
    half = len(times) // 2
    left: dict[torch.dtype, Iterator[float]] = {
        torch.bfloat16: iter(times[:half]),
        torch.float32: iter(times[half:]),
    }
    return lambda dtype: next(left[dtype])


@pytest.mark.parametrize(("device", "kept", "times", "name"), parsed())
def test_the_faster_type_is_chosen_once(device: str, kept: str | None, times: list[float], name: str) -> None:
    chosen = number_type.choose(device, kept, scripted(times))
    assert chosen.name == name
    assert chosen.dtype is getattr(torch, name)
    assert chosen.why.startswith(f"training in {name}")


def test_what_was_measured_is_reported() -> None:
    said = number_type.choose("cpu", None, scripted([0.01] * 3 + [0.0042] + [0.005] * 4)).why
    assert said == "training in bfloat16: a product takes 4.2 ms in bfloat16, 5.0 ms in float32"


@pytest.mark.parametrize("dtype", number_type.BY_NAME.values())
def test_a_product_is_timed(dtype: torch.dtype) -> None:
    assert number_type.product(8, 16)(dtype) >= 0
