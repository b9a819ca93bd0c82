"""Brings a model's cache to a prompt: keeps the part that it shares with the last prompt, and reads the rest.

While one types, a prompt differs from the last one only near its end, so nearly all tokens are kept. The logits are
those of reading the prompt from nothing, up to the rounding of another grouping (float32: about 1e-5, with the same
best token unless two are that close). Knows no devices and no prompts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

from decoder.models.model import Logits, Model

CHUNK = 256
"""Tokens between two looks at `cancel`: about a sixth of a second for 82M parameters on two idle cores."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """The cache holds the prompt."""

    logits: Logits
    """After each of the last `rows` tokens of the prompt."""
    reused: int
    """Tokens that the cache held already."""


def prefill(
    model: Model,
    tokens: Sequence[int],
    *,
    rows: int = 1,
    cancel: Event | None = None,
    deadline: float | None = None,
    chunk: int = CHUNK,
) -> Prefilled | None:
    """Make `model.tokens` equal `tokens`, which must have at least `rows` of them.

    None where `cancel` was set or `deadline` (on `time.monotonic`'s clock) passed before the end; what was read so far
    stays in the cache for the next request.

    Raises:
        OutOfDeviceMemoryError: the cache then holds a beginning of `tokens`.
    """
    reading = portions(model, tokens, rows=rows, chunk=chunk)
    while not (cancel and cancel.is_set()) and (deadline is None or time.monotonic() < deadline):
        if (prefilled := next(reading)) is not None:
            return prefilled
    return None


def portions(model: Model, tokens: Sequence[int], *, rows: int = 1, chunk: int = CHUNK) -> Iterator[Prefilled | None]:
    """The same in portions: None after each but the last, which brings the logits."""
    reused = min(shared_length(model.tokens, tokens), len(tokens) - rows)
    model.truncate(reused)
    start = reused
    while len(tokens) - start > max(chunk, rows):
        stop = min(start + chunk, len(tokens) - rows)  # the last portion holds every row that is asked for
        model.forward(tokens[start:stop])
        start = stop
        yield None
    yield Prefilled(model.forward(tokens[start:], rows), reused)


def shared_length(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two sequences have in common at their beginning."""
    shortest = min(len(one), len(other))
    if one[:shortest] == other[:shortest]:
        return shortest
    return next((place for place in range(shortest) if one[place] != other[place]), shortest)
