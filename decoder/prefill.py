"""Brings a model's cache to a prompt: keeps the part that it shares with the last prompt, and reads the rest.

While somebody types, a prompt differs from the last one only near its end, so nearly all tokens are kept. The logits
equal those of reading the prompt with an empty cache, up to the rounding of another grouping (float32: about 1e-5, with
the same best token unless two are that close). Knows no devices, and not what a prompt says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

from decoder.models.model import Logits, Model, is_partial

CHUNK = 256
"""Tokens read before `cancel` is checked again: about a sixth of a second for 82M parameters on two idle cores."""


@dataclass(frozen=True, slots=True)
class Prefilled:
    """The result of reading a prompt: the cache now holds it."""

    logits: Logits
    """After the last token of the prompt, float32 [1, vocabulary]."""
    reused: int
    """Tokens that the cache held already."""


def prefill(
    model: Model,
    tokens: Sequence[int],
    *,
    cancel: Event | None = None,
    chunk: int = CHUNK,
) -> Prefilled | None:
    """Make `model.tokens` equal `tokens`, of which there must be at least one.

    None if `cancel` was set before all were read; what was read stays in the cache for the next request.

    Args:
        chunk: The most tokens that are read before `cancel` is checked again.

    Raises:
        OutOfDeviceMemoryError: the cache then holds a beginning of `tokens`.
    """
    reading = portions(model, tokens, chunk=chunk)
    while not (cancel and cancel.is_set()):
        if (prefilled := next(reading)) is not None:
            return prefilled
    return None


def portions(model: Model, tokens: Sequence[int], *, chunk: int = CHUNK) -> Iterator[Prefilled | None]:
    """`prefill` in portions of `chunk` tokens, so that the caller may do something else between them.

    Yields None after each portion but the last, and then the result.
    """
    reused = min(shared_length(model.tokens, tokens), len(tokens) - 1)  # the last token is read again for its logits
    model.truncate(reused)
    if is_partial(model):
        chunk = len(tokens)  # a server reads its prompt itself, and each row is a request
    start = reused
    while len(tokens) - start > chunk:
        model.forward(tokens[start : start + chunk])
        start += chunk
        yield None
    yield Prefilled(model.forward(tokens[start:]), reused)


def shared_length(first: Sequence[object], other: Sequence[object]) -> int:
    """How many elements two sequences have in common at their beginning."""
    shortest = min(len(first), len(other))
    if first[:shortest] == other[:shortest]:
        return shortest
    return next((place for place in range(shortest) if first[place] != other[place]), shortest)
