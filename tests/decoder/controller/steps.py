"""Steps of few candidates."""

from __future__ import annotations

from array import array

from decoder.controller.protocol import Step


def step_of(position: int, written: str, candidates: list[tuple[int, str, float]], distribution: bytes = b"") -> Step:
    """A step."""
    ids, texts, logprobs = zip(*candidates, strict=True)
    return Step(position, written, array("i", ids), texts, array("f", logprobs), distribution)
